-- +goose Up
-- Where a carrier's payments go: every row is a change that was proposed, and one at most of a carrier is effective.
CREATE TABLE carriers_remit_to_changes (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    id         uuid NOT NULL,
    version    bigint NOT NULL,
    created_at timestamptz NOT NULL,
    created_by uuid,
    updated_at timestamptz NOT NULL,
    updated_by uuid,
    deleted_at timestamptz,
    carrier_id     uuid NOT NULL,
    kind           text COLLATE "C" NOT NULL,
    payee          text COLLATE "C" NOT NULL,
    method         text COLLATE "C" NOT NULL,
    address        jsonb,
    bank_name      text NOT NULL,
    account_type   text COLLATE "C",
    routing_number text COLLATE "C" NOT NULL,
    account_last4  text COLLATE "C" NOT NULL,
    notice_id      uuid,
    notice_date    date,
    release_id     uuid,
    requested_by   text NOT NULL,
    requested_via  text COLLATE "C" NOT NULL,
    note           text NOT NULL,
    hold_until     timestamptz NOT NULL,
    verified_at    timestamptz,
    verified_by    uuid,
    verified_via   text COLLATE "C" NOT NULL,
    verified_channel text NOT NULL,
    verified_with  text NOT NULL,
    verified_note  text NOT NULL,
    replaces_id    uuid,
    effective_at   timestamptz,
    effective_on   date,
    ended_at       timestamptz,
    state          text COLLATE "C" NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX carriers_remit_to_changes_carrier ON carriers_remit_to_changes (company_id, carrier_id, state, id);
CREATE UNIQUE INDEX carriers_remit_to_changes_effective ON carriers_remit_to_changes (company_id, carrier_id) WHERE state = 'effective';
CREATE UNIQUE INDEX carriers_remit_to_changes_pending ON carriers_remit_to_changes (company_id, carrier_id) WHERE state = 'pending';
CREATE INDEX carriers_remit_to_changes_deleted ON carriers_remit_to_changes (deleted_at) WHERE deleted_at IS NOT NULL;

-- Account numbers, sealed: in a table of their own, so that no version, export or list of a change has one.
CREATE TABLE carriers_bank_accounts (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    id         uuid NOT NULL,
    number     bytea NOT NULL,
    PRIMARY KEY (company_id, id),
    FOREIGN KEY (company_id, id) REFERENCES carriers_remit_to_changes (company_id, id) ON DELETE CASCADE
);

-- +goose Down
DROP TABLE carriers_bank_accounts;
DROP TABLE carriers_remit_to_changes;
