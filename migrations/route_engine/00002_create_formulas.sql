-- +goose Up
CREATE TABLE route_engine_formulas (
    company_id   uuid        NOT NULL REFERENCES identity_companies (id),
    id           uuid        NOT NULL,
    version      bigint      NOT NULL,
    created_at   timestamptz NOT NULL,
    created_by   uuid,
    updated_at   timestamptz NOT NULL,
    updated_by   uuid,
    deleted_at   timestamptz,
    name         text COLLATE "C" NOT NULL,
    revision     bigint      NOT NULL,
    state        text COLLATE "C" NOT NULL,
    currency     text COLLATE "C",
    factors      jsonb       NOT NULL,
    options      jsonb       NOT NULL,
    note         text        NOT NULL,
    published_at timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX route_engine_formulas_revision ON route_engine_formulas (company_id, revision);
CREATE UNIQUE INDEX route_engine_formulas_published ON route_engine_formulas (company_id) WHERE state = 'published' AND deleted_at IS NULL;

-- +goose Down
DROP TABLE route_engine_formulas;
