-- +goose Up
-- Who drives. The documents that a driver needs have the day on which they expire.
CREATE TABLE drivers_drivers (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    id         uuid NOT NULL,
    version    bigint NOT NULL,
    created_at timestamptz NOT NULL,
    created_by uuid,
    updated_at timestamptz NOT NULL,
    updated_by uuid,
    deleted_at timestamptz,
    name text COLLATE "C" NOT NULL,
    phone text COLLATE "C",
    email text COLLATE "C",
    license_number text COLLATE "C",
    license_class text COLLATE "C",
    license_state text COLLATE "C" NOT NULL,
    license_expires date,
    medical_expires date,
    twic_expires date,
    hazmat boolean NOT NULL,
    hazmat_expires date,
    pay_basis text COLLATE "C",
    user_id uuid,
    fleet_id uuid,
    status text COLLATE "C" NOT NULL,
    notes text NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX drivers_drivers_name ON drivers_drivers (company_id, name, id);
CREATE UNIQUE INDEX drivers_drivers_user ON drivers_drivers (company_id, user_id) WHERE deleted_at IS NULL AND user_id IS NOT NULL;
CREATE INDEX drivers_drivers_fleet ON drivers_drivers (company_id, fleet_id, id) WHERE fleet_id IS NOT NULL;
-- Those that expire soon are looked for in all companies together.
CREATE INDEX drivers_drivers_license_expires ON drivers_drivers (license_expires, company_id, id) WHERE deleted_at IS NULL;
CREATE INDEX drivers_drivers_medical_expires ON drivers_drivers (medical_expires, company_id, id) WHERE deleted_at IS NULL;
CREATE INDEX drivers_drivers_twic_expires ON drivers_drivers (twic_expires, company_id, id) WHERE deleted_at IS NULL;
CREATE INDEX drivers_drivers_hazmat_expires ON drivers_drivers (hazmat_expires, company_id, id) WHERE deleted_at IS NULL;
CREATE INDEX drivers_drivers_deleted ON drivers_drivers (deleted_at) WHERE deleted_at IS NOT NULL;

-- +goose Down
DROP TABLE drivers_drivers;
