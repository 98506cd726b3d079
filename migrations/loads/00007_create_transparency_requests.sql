-- +goose Up
-- Who has asked for the record of a transaction (49 CFR 371.3).
CREATE TABLE loads_transparency_requests (
    company_id   uuid        NOT NULL REFERENCES identity_companies (id),
    id           uuid        NOT NULL,
    version      bigint      NOT NULL,
    created_at   timestamptz NOT NULL,
    created_by   uuid,
    updated_at   timestamptz NOT NULL,
    updated_by   uuid,
    deleted_at   timestamptz,
    load_id      uuid        NOT NULL,
    party        text COLLATE "C" NOT NULL,
    name         text        NOT NULL,
    email        text COLLATE "C",
    requested_at timestamptz,
    note         text        NOT NULL,
    state        text COLLATE "C" NOT NULL,
    answered_at  timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX loads_transparency_requests_load ON loads_transparency_requests (company_id, load_id, requested_at, id);
CREATE INDEX loads_transparency_requests_at ON loads_transparency_requests (company_id, requested_at, id);

-- +goose Down
DROP TABLE loads_transparency_requests;
