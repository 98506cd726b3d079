-- +goose Up
-- What the sandbox, which plays a vendor, keeps of the envelopes that it was given.
CREATE TABLE esign_sandbox_envelopes (
    company_id   uuid        NOT NULL REFERENCES identity_companies (id),
    id           uuid        NOT NULL,
    account_id   uuid        NOT NULL,
    reference    text COLLATE "C" NOT NULL,
    status       text COLLATE "C" NOT NULL,
    subject      text        NOT NULL,
    message      text        NOT NULL,
    reason       text        NOT NULL,
    fields       jsonb       NOT NULL,
    files        jsonb       NOT NULL,
    recipients   jsonb       NOT NULL,
    notices      bigint      NOT NULL,
    held_until   timestamptz,
    expire_after bigint      NOT NULL,
    expires_at   timestamptz,
    created_at   timestamptz NOT NULL,
    sent_at      timestamptz,
    delivered_at timestamptz,
    completed_at timestamptz,
    declined_at  timestamptz,
    voided_at    timestamptz,
    changed_at   timestamptz NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX esign_sandbox_envelopes_reference ON esign_sandbox_envelopes (company_id, account_id, reference);
CREATE INDEX esign_sandbox_envelopes_changed ON esign_sandbox_envelopes (company_id, account_id, changed_at, id);

-- What it has to tell us of them, in the order of seq, until we have taken it.
CREATE TABLE esign_sandbox_notices (
    company_id  uuid        NOT NULL REFERENCES identity_companies (id),
    id          uuid        NOT NULL,
    account_id  uuid        NOT NULL,
    envelope_id uuid        NOT NULL,
    seq         bigint      NOT NULL,
    event       text COLLATE "C" NOT NULL,
    body        jsonb       NOT NULL,
    tries       bigint      NOT NULL,
    taken_at    timestamptz,
    failed_at   timestamptz,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (company_id, id),
    UNIQUE (company_id, envelope_id, seq)
);

-- +goose Down
DROP TABLE esign_sandbox_notices;
DROP TABLE esign_sandbox_envelopes;
