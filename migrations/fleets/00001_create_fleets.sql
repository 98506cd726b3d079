-- +goose Up
-- Groups of trucks and drivers.
CREATE TABLE fleets_fleets (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    id         uuid NOT NULL,
    version    bigint NOT NULL,
    created_at timestamptz NOT NULL,
    created_by uuid,
    updated_at timestamptz NOT NULL,
    updated_by uuid,
    deleted_at timestamptz,
    name text COLLATE "C" NOT NULL,
    dispatcher_id uuid,
    notes text NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX fleets_fleets_name ON fleets_fleets (company_id, name) WHERE deleted_at IS NULL;
CREATE INDEX fleets_fleets_deleted ON fleets_fleets (deleted_at) WHERE deleted_at IS NOT NULL;

-- +goose Down
DROP TABLE fleets_fleets;
