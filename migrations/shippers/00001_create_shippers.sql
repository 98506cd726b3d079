-- +goose Up
-- What a company has agreed with a contact that ships, once for each contact.
CREATE TABLE shippers_shippers (
    company_id       uuid        NOT NULL REFERENCES identity_companies (id),
    id               uuid        NOT NULL,
    version          bigint      NOT NULL,
    created_at       timestamptz NOT NULL,
    created_by       uuid,
    updated_at       timestamptz NOT NULL,
    updated_by       uuid,
    deleted_at       timestamptz,
    contact_id       uuid        NOT NULL,
    code             text COLLATE "C" NOT NULL,
    credit_limit     numeric,
    credit_currency  text COLLATE "C",
    credit_hold      boolean     NOT NULL,
    hold_reason      text        NOT NULL,
    net_days         bigint,
    default_terms    text COLLATE "C" NOT NULL,
    allowed_carriers jsonb       NOT NULL,
    denied_carriers  jsonb       NOT NULL,
    release_required boolean     NOT NULL,
    release_rule     text COLLATE "C" NOT NULL,
    release_notes    text        NOT NULL,
    instructions     text        NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX shippers_shippers_contact ON shippers_shippers (company_id, contact_id) WHERE deleted_at IS NULL;
CREATE INDEX shippers_shippers_code ON shippers_shippers (company_id, code, id);
CREATE INDEX shippers_shippers_deleted ON shippers_shippers (deleted_at) WHERE deleted_at IS NOT NULL;

-- Where vehicles are picked up and delivered.
CREATE TABLE shippers_locations (
    company_id       uuid        NOT NULL REFERENCES identity_companies (id),
    id               uuid        NOT NULL,
    version          bigint      NOT NULL,
    created_at       timestamptz NOT NULL,
    created_by       uuid,
    updated_at       timestamptz NOT NULL,
    updated_by       uuid,
    deleted_at       timestamptz,
    shipper_id       uuid        NOT NULL,
    name             text COLLATE "C" NOT NULL,
    venue            text COLLATE "C" NOT NULL,
    address          jsonb,
    position         jsonb,
    time_zone        text COLLATE "C" NOT NULL,
    hours            jsonb       NOT NULL,
    contact_id       uuid,
    appointment      text COLLATE "C" NOT NULL,
    notice_hours     bigint,
    release_rule     text COLLATE "C" NOT NULL,
    instructions     text        NOT NULL,
    active           boolean     NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX shippers_locations_shipper ON shippers_locations (company_id, shipper_id, name, id);
CREATE INDEX shippers_locations_contact ON shippers_locations (company_id, contact_id, id) WHERE contact_id IS NOT NULL;
CREATE INDEX shippers_locations_deleted ON shippers_locations (deleted_at) WHERE deleted_at IS NOT NULL;

-- +goose Down
DROP TABLE shippers_locations;
DROP TABLE shippers_shippers;
