-- +goose Up
CREATE TABLE cards_accounts (
    company_id  uuid        NOT NULL REFERENCES identity_companies (id),
    id          uuid        NOT NULL,
    name        text COLLATE "C" NOT NULL,
    provider    text COLLATE "C" NOT NULL,
    credentials bytea       NOT NULL,
    is_default  boolean     NOT NULL,
    disabled_at timestamptz,
    health      text COLLATE "C" NOT NULL,
    problem     text COLLATE "C" NOT NULL,
    checked_at  timestamptz,
    endpoint_id uuid        NOT NULL,
    payouts_at  timestamptz,
    version     bigint      NOT NULL,
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    PRIMARY KEY (company_id, id),
    UNIQUE (company_id, name)
);
CREATE UNIQUE INDEX cards_accounts_default ON cards_accounts (company_id) WHERE is_default;
CREATE UNIQUE INDEX cards_accounts_endpoint ON cards_accounts (endpoint_id);

CREATE TABLE cards_cards (
    company_id      uuid        NOT NULL REFERENCES identity_companies (id),
    id              uuid        NOT NULL,
    version         bigint      NOT NULL,
    created_at      timestamptz NOT NULL,
    created_by      uuid,
    updated_at      timestamptz NOT NULL,
    updated_by      uuid,
    deleted_at      timestamptz,
    account_id      uuid        NOT NULL,
    reference       text COLLATE "C" NOT NULL,
    owner_type      text COLLATE "C",
    owner_id        uuid,
    owner_part      text COLLATE "C" NOT NULL,
    owner_name      text        NOT NULL,
    owner_email     text COLLATE "C" NOT NULL,
    postal_code     text COLLATE "C" NOT NULL,
    state           text COLLATE "C" NOT NULL,
    brand           text COLLATE "C" NOT NULL,
    last4           text COLLATE "C" NOT NULL,
    expires_on      date,
    vendor_id       text COLLATE "C",
    customer        text COLLATE "C" NOT NULL,
    reason          text COLLATE "C" NOT NULL,
    code            text COLLATE "C" NOT NULL,
    detail          text        NOT NULL,
    explanation     text        NOT NULL,
    attempts        bigint      NOT NULL,
    called_at       timestamptz,
    gave_up_at      timestamptz,
    first_called_at timestamptz,
    token           text COLLATE "C" NOT NULL, -- until the outcome is known; it is no card number
    verification    text COLLATE "C" NOT NULL,
    fingerprint     text COLLATE "C" NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX cards_cards_reference ON cards_cards (company_id, reference);
CREATE INDEX cards_cards_vendor ON cards_cards (company_id, account_id, vendor_id) WHERE vendor_id IS NOT NULL;
CREATE INDEX cards_cards_owner ON cards_cards (company_id, owner_type, owner_id, created_at, id);
CREATE INDEX cards_cards_created ON cards_cards (company_id, created_at, id);
CREATE INDEX cards_cards_open ON cards_cards (updated_at) WHERE state IN ('saving', 'unknown');

CREATE TABLE cards_payments (
    company_id      uuid        NOT NULL REFERENCES identity_companies (id),
    id              uuid        NOT NULL,
    version         bigint      NOT NULL,
    created_at      timestamptz NOT NULL,
    created_by      uuid,
    updated_at      timestamptz NOT NULL,
    updated_by      uuid,
    deleted_at      timestamptz,
    account_id      uuid        NOT NULL,
    card_id         uuid,
    reference       text COLLATE "C" NOT NULL,
    owner_type      text COLLATE "C",
    owner_id        uuid,
    owner_part      text COLLATE "C" NOT NULL,
    state           text COLLATE "C" NOT NULL,
    amount          numeric,
    currency        text COLLATE "C",
    refunded        numeric,
    disputed        numeric,
    fee             numeric,
    note            text        NOT NULL,
    statement       text        NOT NULL,
    authorize       boolean     NOT NULL,
    present         boolean     NOT NULL,
    ordered         text COLLATE "C" NOT NULL,
    action_url      text COLLATE "C" NOT NULL,
    vendor_id       text COLLATE "C",
    vendor_status   text COLLATE "C" NOT NULL,
    reason          text COLLATE "C" NOT NULL,
    code            text COLLATE "C" NOT NULL,
    detail          text        NOT NULL,
    explanation     text        NOT NULL,
    final           boolean     NOT NULL,
    attempts        bigint      NOT NULL,
    captured_at     timestamptz,
    called_at       timestamptz,
    gave_up_at      timestamptz,
    reported_at     timestamptz,
    first_called_at timestamptz,
    customer        text COLLATE "C" NOT NULL,
    token           text COLLATE "C" NOT NULL, -- until the outcome is known; it is no card number
    verification    text COLLATE "C" NOT NULL,
    fingerprint     text COLLATE "C" NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX cards_payments_reference ON cards_payments (company_id, reference);
CREATE UNIQUE INDEX cards_payments_vendor ON cards_payments (company_id, account_id, vendor_id) WHERE vendor_id IS NOT NULL;
CREATE INDEX cards_payments_owner ON cards_payments (company_id, owner_type, owner_id, created_at, id);
CREATE INDEX cards_payments_created ON cards_payments (company_id, created_at, id);
CREATE INDEX cards_payments_account ON cards_payments (company_id, account_id, created_at, id);
CREATE INDEX cards_payments_state ON cards_payments (company_id, state, created_at, id);
CREATE INDEX cards_payments_open ON cards_payments (updated_at) WHERE state IN ('queued', 'sending', 'unknown', 'requires_action', 'authorized');

CREATE TABLE cards_refunds (
    company_id      uuid        NOT NULL REFERENCES identity_companies (id),
    id              uuid        NOT NULL,
    version         bigint      NOT NULL,
    created_at      timestamptz NOT NULL,
    created_by      uuid,
    updated_at      timestamptz NOT NULL,
    updated_by      uuid,
    deleted_at      timestamptz,
    payment_id      uuid        NOT NULL,
    account_id      uuid        NOT NULL,
    reference       text COLLATE "C" NOT NULL,
    state           text COLLATE "C" NOT NULL,
    amount          numeric,
    currency        text COLLATE "C",
    why             text        NOT NULL,
    vendor_id       text COLLATE "C",
    vendor_status   text COLLATE "C" NOT NULL,
    reason          text COLLATE "C" NOT NULL,
    code            text COLLATE "C" NOT NULL,
    detail          text        NOT NULL,
    explanation     text        NOT NULL,
    attempts        bigint      NOT NULL,
    called_at       timestamptz,
    gave_up_at      timestamptz,
    reported_at     timestamptz,
    first_called_at timestamptz,
    fingerprint     text COLLATE "C" NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX cards_refunds_reference ON cards_refunds (company_id, reference);
CREATE UNIQUE INDEX cards_refunds_vendor ON cards_refunds (company_id, account_id, vendor_id) WHERE vendor_id IS NOT NULL;
CREATE INDEX cards_refunds_payment ON cards_refunds (company_id, payment_id, created_at, id);
CREATE INDEX cards_refunds_account ON cards_refunds (company_id, account_id, created_at, id);
CREATE INDEX cards_refunds_created ON cards_refunds (company_id, created_at, id);
CREATE INDEX cards_refunds_open ON cards_refunds (updated_at) WHERE state IN ('queued', 'sending', 'unknown', 'pending');

CREATE TABLE cards_disputes (
    company_id  uuid        NOT NULL REFERENCES identity_companies (id),
    id          uuid        NOT NULL,
    version     bigint      NOT NULL,
    created_at  timestamptz NOT NULL,
    created_by  uuid,
    updated_at  timestamptz NOT NULL,
    updated_by  uuid,
    deleted_at  timestamptz,
    payment_id  uuid        NOT NULL,
    account_id  uuid        NOT NULL,
    vendor_id   text COLLATE "C" NOT NULL,
    state       text COLLATE "C" NOT NULL,
    amount      numeric,
    currency    text COLLATE "C",
    fee         numeric,
    reason      text COLLATE "C" NOT NULL,
    due_on      date,
    reported_at timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX cards_disputes_vendor ON cards_disputes (company_id, account_id, vendor_id);
CREATE INDEX cards_disputes_payment ON cards_disputes (company_id, payment_id, id);
CREATE INDEX cards_disputes_created ON cards_disputes (company_id, created_at, id);

CREATE TABLE cards_payouts (
    company_id uuid        NOT NULL REFERENCES identity_companies (id),
    id         uuid        NOT NULL,
    version    bigint      NOT NULL,
    created_at timestamptz NOT NULL,
    created_by uuid,
    updated_at timestamptz NOT NULL,
    updated_by uuid,
    deleted_at timestamptz,
    account_id uuid        NOT NULL,
    vendor_id  text COLLATE "C" NOT NULL,
    paid_on    date,
    gross      numeric,
    fees       numeric,
    net        numeric,
    currency   text COLLATE "C",
    payments   jsonb       NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX cards_payouts_vendor ON cards_payouts (company_id, account_id, vendor_id);
CREATE INDEX cards_payouts_paid ON cards_payouts (company_id, paid_on, id);

CREATE TABLE cards_reconciliations (
    company_id uuid        NOT NULL REFERENCES identity_companies (id),
    id         uuid        NOT NULL,
    account_id uuid        NOT NULL,
    from_at    timestamptz NOT NULL,
    to_at      timestamptz NOT NULL,
    state      text COLLATE "C" NOT NULL,
    reason     text COLLATE "C" NOT NULL,
    matched    bigint      NOT NULL,
    findings   jsonb       NOT NULL,
    version    bigint      NOT NULL,
    created_by uuid,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX cards_reconciliations_created ON cards_reconciliations (company_id, created_at, id);

-- What the sandbox, which plays a vendor, keeps: cards, payments, refunds and disputes, by their kind.
CREATE TABLE cards_sandbox_things (
    company_id uuid        NOT NULL REFERENCES identity_companies (id),
    id         uuid        NOT NULL,
    account_id uuid        NOT NULL,
    kind       text COLLATE "C" NOT NULL,
    reference  text COLLATE "C" NOT NULL,
    parent_id  uuid, -- the payment of a refund or a dispute
    token      text COLLATE "C" NOT NULL,
    status     text COLLATE "C" NOT NULL,
    units      bigint      NOT NULL,
    currency   text COLLATE "C" NOT NULL,
    fee        bigint      NOT NULL,
    notices    bigint      NOT NULL,
    held_until timestamptz,
    created_at timestamptz NOT NULL,
    changed_at timestamptz NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX cards_sandbox_things_reference ON cards_sandbox_things (company_id, account_id, kind, reference) WHERE reference <> '';
CREATE INDEX cards_sandbox_things_created ON cards_sandbox_things (company_id, account_id, kind, created_at, id);
CREATE INDEX cards_sandbox_things_parent ON cards_sandbox_things (company_id, parent_id) WHERE parent_id IS NOT NULL;

-- What the sandbox has to report, in the order of seq, until it was received.
CREATE TABLE cards_sandbox_notices (
    company_id uuid        NOT NULL REFERENCES identity_companies (id),
    id         uuid        NOT NULL,
    account_id uuid        NOT NULL,
    thing_id   uuid        NOT NULL,
    seq        bigint      NOT NULL,
    event      text COLLATE "C" NOT NULL,
    body       jsonb       NOT NULL,
    tries      bigint      NOT NULL,
    taken_at   timestamptz,
    failed_at  timestamptz,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (company_id, id),
    UNIQUE (company_id, thing_id, seq)
);

-- +goose Down
DROP TABLE cards_sandbox_notices;
DROP TABLE cards_sandbox_things;
DROP TABLE cards_reconciliations;
DROP TABLE cards_payouts;
DROP TABLE cards_disputes;
DROP TABLE cards_refunds;
DROP TABLE cards_payments;
DROP TABLE cards_cards;
DROP TABLE cards_accounts;
