-- +goose Up
-- The vehicles that a company has seen.
CREATE TABLE vehicles_vehicles (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    id         uuid NOT NULL,
    version    bigint NOT NULL,
    created_at timestamptz NOT NULL,
    created_by uuid,
    updated_at timestamptz NOT NULL,
    updated_by uuid,
    deleted_at timestamptz,
    vin text COLLATE "C" NOT NULL,
    year bigint,
    make text COLLATE "C" NOT NULL,
    model text COLLATE "C" NOT NULL,
    trim_level text COLLATE "C" NOT NULL,
    type text COLLATE "C" NOT NULL,
    color text COLLATE "C" NOT NULL,
    plate text COLLATE "C" NOT NULL,
    plate_state text COLLATE "C" NOT NULL,
    notes text NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX vehicles_vehicles_vin ON vehicles_vehicles (company_id, vin) WHERE deleted_at IS NULL;
CREATE INDEX vehicles_vehicles_deleted ON vehicles_vehicles (deleted_at) WHERE deleted_at IS NOT NULL;

-- +goose Down
DROP TABLE vehicles_vehicles;
