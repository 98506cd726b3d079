-- +goose Up
-- Trucks with their trailer. The documents that a truck needs have the day on which they expire.
CREATE TABLE trucks_trucks (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    id         uuid NOT NULL,
    version    bigint NOT NULL,
    created_at timestamptz NOT NULL,
    created_by uuid,
    updated_at timestamptz NOT NULL,
    updated_by uuid,
    deleted_at timestamptz,
    unit text COLLATE "C" NOT NULL,
    vin text COLLATE "C",
    plate text COLLATE "C" NOT NULL,
    plate_state text COLLATE "C" NOT NULL,
    year bigint,
    make text COLLATE "C" NOT NULL,
    model text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    trailer_kind text COLLATE "C",
    slots bigint NOT NULL,
    max_payload_lb bigint,
    winch boolean NOT NULL,
    enclosed boolean NOT NULL,
    liftgate boolean NOT NULL,
    registration_expires date,
    insurance_expires date,
    inspection_expires date,
    home_base text NOT NULL,
    eld_provider text COLLATE "C" NOT NULL,
    eld_id text COLLATE "C" NOT NULL,
    driver_id uuid,
    fleet_id uuid,
    status text COLLATE "C" NOT NULL,
    notes text NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX trucks_trucks_unit ON trucks_trucks (company_id, unit) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX trucks_trucks_vin ON trucks_trucks (company_id, vin) WHERE deleted_at IS NULL AND vin IS NOT NULL;
CREATE INDEX trucks_trucks_driver ON trucks_trucks (company_id, driver_id, id) WHERE driver_id IS NOT NULL;
CREATE INDEX trucks_trucks_fleet ON trucks_trucks (company_id, fleet_id, id) WHERE fleet_id IS NOT NULL;
-- Those that expire soon are looked for in all companies together.
CREATE INDEX trucks_trucks_registration_expires ON trucks_trucks (registration_expires, company_id, id) WHERE deleted_at IS NULL;
CREATE INDEX trucks_trucks_insurance_expires ON trucks_trucks (insurance_expires, company_id, id) WHERE deleted_at IS NULL;
CREATE INDEX trucks_trucks_inspection_expires ON trucks_trucks (inspection_expires, company_id, id) WHERE deleted_at IS NULL;
CREATE INDEX trucks_trucks_deleted ON trucks_trucks (deleted_at) WHERE deleted_at IS NOT NULL;

-- +goose Down
DROP TABLE trucks_trucks;
