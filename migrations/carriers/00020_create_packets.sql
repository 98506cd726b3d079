-- +goose Up
-- Onboarding packets: what carriers are asked for, and what they typed.
CREATE TABLE carriers_packets (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    id         uuid NOT NULL,
    version    bigint NOT NULL,
    created_at timestamptz NOT NULL,
    created_by uuid,
    updated_at timestamptz NOT NULL,
    updated_by uuid,
    deleted_at timestamptz,
    carrier_id      uuid NOT NULL,
    recipient       text COLLATE "C" NOT NULL,
    channel         text COLLATE "C" NOT NULL,
    documents       jsonb NOT NULL,
    link_expires_at timestamptz NOT NULL,
    started_at      timestamptz,
    submitted_at    timestamptz,
    decided_at      timestamptz,
    reason          text NOT NULL,
    review_due      date,
    proposal        jsonb NOT NULL,
    state           text COLLATE "C" NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX carriers_packets_carrier ON carriers_packets (company_id, carrier_id, id);
CREATE INDEX carriers_packets_state ON carriers_packets (company_id, state, id) WHERE deleted_at IS NULL;
-- Packets that nobody opened, and those to review, are looked for in all companies together.
CREATE INDEX carriers_packets_unopened ON carriers_packets (link_expires_at) WHERE state = 'sent';
CREATE INDEX carriers_packets_review_due ON carriers_packets (review_due, company_id, id) WHERE deleted_at IS NULL;
CREATE INDEX carriers_packets_deleted ON carriers_packets (deleted_at) WHERE deleted_at IS NOT NULL;

-- The account number that was typed into a packet, sealed, until the packet is decided about.
CREATE TABLE carriers_packet_accounts (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    id         uuid NOT NULL,
    number     bytea NOT NULL,
    PRIMARY KEY (company_id, id),
    FOREIGN KEY (company_id, id) REFERENCES carriers_packets (company_id, id) ON DELETE CASCADE
);

-- What the packets of a company ask for; a company without a row asks for what the configuration says.
CREATE TABLE carriers_packet_settings (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    documents  jsonb NOT NULL,
    agreement  text NOT NULL,
    link_days  bigint NOT NULL,
    version    bigint NOT NULL,
    updated_at timestamptz NOT NULL,
    updated_by uuid,
    PRIMARY KEY (company_id)
);

-- The state of a carrier's newest packet, by which carriers are listed.
ALTER TABLE carriers_carriers ADD COLUMN packet_state text COLLATE "C" NOT NULL DEFAULT 'none';
CREATE INDEX carriers_carriers_packet_state ON carriers_carriers (company_id, packet_state, id) WHERE deleted_at IS NULL;

-- +goose Down
DROP INDEX carriers_carriers_packet_state;
ALTER TABLE carriers_carriers DROP COLUMN packet_state;
DROP TABLE carriers_packet_settings;
DROP TABLE carriers_packet_accounts;
DROP TABLE carriers_packets;
