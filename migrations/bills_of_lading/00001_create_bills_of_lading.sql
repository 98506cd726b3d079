-- +goose Up
CREATE TABLE bills_of_lading_bols (
    company_id    uuid        NOT NULL REFERENCES identity_companies (id),
    id            uuid        NOT NULL,
    version       bigint      NOT NULL,
    created_at    timestamptz NOT NULL,
    created_by    uuid,
    updated_at    timestamptz NOT NULL,
    updated_by    uuid,
    deleted_at    timestamptz,
    number        text COLLATE "C" NOT NULL,
    load_id       uuid NOT NULL,
    dispatch_id   uuid,
    state         text COLLATE "C" NOT NULL,
    inspection_type text COLLATE "C" NOT NULL,
    pickup_stop   uuid NOT NULL,
    delivery_stop uuid NOT NULL,
    carrier_id    uuid NOT NULL,
    carrier       jsonb NOT NULL,
    consignor     jsonb NOT NULL,
    consignee     jsonb NOT NULL,
    vehicles      jsonb NOT NULL,
    terms         text NOT NULL,
    amendments    jsonb NOT NULL,
    replaces      uuid,
    void_reason   text NOT NULL,
    issued_at     timestamptz,
    pickup_signed_at timestamptz,
    delivery_signed_at timestamptz,
    pickup_document uuid,
    delivery_document uuid,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX bills_of_lading_bols_number ON bills_of_lading_bols (company_id, number) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX bills_of_lading_bols_live ON bills_of_lading_bols (company_id, load_id, pickup_stop, delivery_stop) WHERE deleted_at IS NULL AND state <> 'void';
CREATE INDEX bills_of_lading_bols_created ON bills_of_lading_bols (company_id, created_at, id);
CREATE INDEX bills_of_lading_bols_load ON bills_of_lading_bols (company_id, load_id);

CREATE TABLE bills_of_lading_inspections (
    company_id    uuid        NOT NULL REFERENCES identity_companies (id),
    id            uuid        NOT NULL,
    version       bigint      NOT NULL,
    created_at    timestamptz NOT NULL,
    created_by    uuid,
    updated_at    timestamptz NOT NULL,
    updated_by    uuid,
    deleted_at    timestamptz,
    bol_id        uuid NOT NULL,
    load_id       uuid NOT NULL,
    vehicle_id    uuid NOT NULL,
    stage         text COLLATE "C" NOT NULL,
    state         text COLLATE "C" NOT NULL,
    inspected_at  timestamptz,
    submitted_at  timestamptz,
    clock_ahead   boolean NOT NULL,
    inspector     text COLLATE "C" NOT NULL,
    vin_scanned   text COLLATE "C" NOT NULL,
    vin_check     text COLLATE "C" NOT NULL,
    vin_note      text NOT NULL,
    odometer      bigint,
    odometer_unit text COLLATE "C" NOT NULL,
    keys_count    bigint,
    fuel_eighths  bigint,
    drivable      text COLLATE "C" NOT NULL,
    loose_items   text NOT NULL,
    weather       text COLLATE "C" NOT NULL,
    notes         text NOT NULL,
    position      jsonb,
    skipped_reason text NOT NULL,
    subject_to_inspection boolean NOT NULL,
    note_by       timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX bills_of_lading_inspections_one ON bills_of_lading_inspections (company_id, bol_id, vehicle_id, stage) WHERE deleted_at IS NULL;
CREATE INDEX bills_of_lading_inspections_created ON bills_of_lading_inspections (company_id, created_at, id);

CREATE TABLE bills_of_lading_damages (
    company_id    uuid        NOT NULL REFERENCES identity_companies (id),
    id            uuid        NOT NULL,
    version       bigint      NOT NULL,
    created_at    timestamptz NOT NULL,
    created_by    uuid,
    updated_at    timestamptz NOT NULL,
    updated_by    uuid,
    deleted_at    timestamptz,
    inspection_id uuid NOT NULL,
    bol_id        uuid NOT NULL,
    vehicle_id    uuid NOT NULL,
    stage         text COLLATE "C" NOT NULL,
    code_system   text COLLATE "C" NOT NULL,
    code          text COLLATE "C" NOT NULL,
    words         text COLLATE "C" NOT NULL,
    side          text COLLATE "C" NOT NULL,
    x             bigint,
    y             bigint,
    size_mm       bigint,
    note          text NOT NULL,
    pre_existing  boolean NOT NULL,
    claim_status  text COLLATE "C" NOT NULL,
    client_id     uuid,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX bills_of_lading_damages_created ON bills_of_lading_damages (company_id, created_at, id);
CREATE INDEX bills_of_lading_damages_bol ON bills_of_lading_damages (company_id, bol_id);
CREATE INDEX bills_of_lading_damages_inspection ON bills_of_lading_damages (company_id, inspection_id);

CREATE TABLE bills_of_lading_photos (
    company_id    uuid        NOT NULL REFERENCES identity_companies (id),
    id            uuid        NOT NULL,
    version       bigint      NOT NULL,
    created_at    timestamptz NOT NULL,
    created_by    uuid,
    updated_at    timestamptz NOT NULL,
    updated_by    uuid,
    deleted_at    timestamptz,
    inspection_id uuid NOT NULL,
    bol_id        uuid NOT NULL,
    vehicle_id    uuid NOT NULL,
    stage         text COLLATE "C" NOT NULL,
    attachment_id uuid NOT NULL,
    subject       text COLLATE "C" NOT NULL,
    damage_id     uuid,
    damage_client_id uuid,
    taken_at      timestamptz,
    clock_ahead   boolean NOT NULL,
    position      jsonb,
    sha256        text COLLATE "C" NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX bills_of_lading_photos_content ON bills_of_lading_photos (company_id, inspection_id, sha256) WHERE deleted_at IS NULL;
CREATE INDEX bills_of_lading_photos_created ON bills_of_lading_photos (company_id, created_at, id);
CREATE INDEX bills_of_lading_photos_bol ON bills_of_lading_photos (company_id, bol_id);
CREATE INDEX bills_of_lading_photos_attachment ON bills_of_lading_photos (company_id, attachment_id);

CREATE TABLE bills_of_lading_signatures (
    company_id    uuid        NOT NULL REFERENCES identity_companies (id),
    id            uuid        NOT NULL,
    version       bigint      NOT NULL,
    created_at    timestamptz NOT NULL,
    created_by    uuid,
    updated_at    timestamptz NOT NULL,
    updated_by    uuid,
    deleted_at    timestamptz,
    bol_id        uuid NOT NULL,
    load_id       uuid NOT NULL,
    stage         text COLLATE "C" NOT NULL,
    role          text COLLATE "C" NOT NULL,
    name          text COLLATE "C" NOT NULL,
    title         text COLLATE "C" NOT NULL,
    method        text COLLATE "C" NOT NULL,
    touchless     boolean NOT NULL,
    reason        text NOT NULL,
    strokes       text NOT NULL,
    statement     text NOT NULL,
    signed_at     timestamptz,
    clock_ahead   boolean NOT NULL,
    position      jsonb,
    ip_address    text COLLATE "C" NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX bills_of_lading_signatures_one ON bills_of_lading_signatures (company_id, bol_id, stage, role) WHERE deleted_at IS NULL;
CREATE INDEX bills_of_lading_signatures_created ON bills_of_lading_signatures (company_id, created_at, id);

CREATE TABLE bills_of_lading_receipts (
    company_id uuid        NOT NULL REFERENCES identity_companies (id),
    load_id    uuid        NOT NULL,
    client_id  uuid        NOT NULL,
    answer     jsonb       NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (company_id, load_id, client_id)
);
CREATE INDEX bills_of_lading_receipts_old ON bills_of_lading_receipts (created_at);

-- +goose Down
DROP TABLE bills_of_lading_receipts;
DROP TABLE bills_of_lading_signatures;
DROP TABLE bills_of_lading_photos;
DROP TABLE bills_of_lading_damages;
DROP TABLE bills_of_lading_inspections;
DROP TABLE bills_of_lading_bols;
