-- +goose Up
CREATE TABLE deliveries_deliveries (
    company_id         uuid        NOT NULL REFERENCES identity_companies (id),
    id                 uuid        NOT NULL,
    version            bigint      NOT NULL,
    created_at         timestamptz NOT NULL,
    created_by         uuid,
    updated_at         timestamptz NOT NULL,
    updated_by         uuid,
    deleted_at         timestamptz,
    load_id            uuid NOT NULL,
    stop_id            uuid NOT NULL,
    words              text COLLATE "C" NOT NULL,
    state              text COLLATE "C" NOT NULL,
    scheduled_from     timestamptz,
    scheduled_to       timestamptz,
    appointment_number text COLLATE "C" NOT NULL,
    contact_name       text COLLATE "C" NOT NULL,
    contact_phone      text COLLATE "C",
    recipient          text COLLATE "C" NOT NULL,
    notes              text NOT NULL,
    vehicle_count      bigint NOT NULL,
    attempts           jsonb NOT NULL,
    delivered_at       timestamptz,
    bol_id             uuid,
    proof_id           uuid,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX deliveries_deliveries_one ON deliveries_deliveries (company_id, load_id, stop_id) WHERE deleted_at IS NULL AND state <> 'cancelled';
CREATE INDEX deliveries_deliveries_scheduled ON deliveries_deliveries (company_id, scheduled_from, id);
CREATE INDEX deliveries_deliveries_created ON deliveries_deliveries (company_id, created_at, id);

-- +goose Down
DROP TABLE deliveries_deliveries;
