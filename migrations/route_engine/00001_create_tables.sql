-- +goose Up
-- Real miles between ZIP codes that somebody knows.
CREATE TABLE route_engine_corrections (
    company_id      uuid        NOT NULL REFERENCES identity_companies (id),
    id              uuid        NOT NULL,
    version         bigint      NOT NULL,
    created_at      timestamptz NOT NULL,
    created_by      uuid,
    updated_at      timestamptz NOT NULL,
    updated_by      uuid,
    deleted_at      timestamptz,
    from_zip        text COLLATE "C" NOT NULL,
    to_zip          text COLLATE "C" NOT NULL,
    miles           bigint      NOT NULL,
    note            text        NOT NULL,
    lane            text COLLATE "C" NOT NULL,
    estimated_miles bigint      NOT NULL,
    -- The first three digits of the ZIP codes, by which corrections nearby are found.
    from_zone       text COLLATE "C" NOT NULL,
    to_zone         text COLLATE "C" NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX route_engine_corrections_lane ON route_engine_corrections (company_id, lane, id);
CREATE INDEX route_engine_corrections_zones ON route_engine_corrections (company_id, from_zone, to_zone);
CREATE INDEX route_engine_corrections_deleted ON route_engine_corrections (deleted_at) WHERE deleted_at IS NOT NULL;

-- What a provider has measured for a company, or failed to.
CREATE TABLE route_engine_routes (
    company_id uuid   NOT NULL REFERENCES identity_companies (id),
    -- The provider and the version of its map.
    source     text COLLATE "C" NOT NULL,
    profile    text COLLATE "C" NOT NULL,
    -- Both ends in degrees with five digits after the point.
    lane       text COLLATE "C" NOT NULL,
    -- "measured", "none" where there is no route, "" where it was never answered.
    outcome    text COLLATE "C" NOT NULL,
    meters     bigint NOT NULL,
    seconds    bigint NOT NULL,
    polyline   text   NOT NULL,
    fetched_at timestamptz,
    failed_at  timestamptz,
    why        text   NOT NULL,
    asked_at   timestamptz NOT NULL,
    PRIMARY KEY (company_id, source, profile, lane)
);
CREATE INDEX route_engine_routes_asked ON route_engine_routes (asked_at);

-- What a geocoder has found for a company.
CREATE TABLE route_engine_addresses (
    company_id uuid   NOT NULL REFERENCES identity_companies (id),
    geocoder   text COLLATE "C" NOT NULL,
    -- The address as it was asked for, folded.
    query      text COLLATE "C" NOT NULL,
    found      jsonb  NOT NULL,
    fetched_at timestamptz,
    failed_at  timestamptz,
    why        text   NOT NULL,
    asked_at   timestamptz NOT NULL,
    PRIMARY KEY (company_id, geocoder, query)
);
CREATE INDEX route_engine_addresses_asked ON route_engine_addresses (asked_at);

-- +goose Down
DROP TABLE route_engine_addresses;
DROP TABLE route_engine_routes;
DROP TABLE route_engine_corrections;
