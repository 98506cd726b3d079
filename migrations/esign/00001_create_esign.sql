-- +goose Up
-- Accounts at vendors of electronic signatures. endpoint_id is the {uuid} of the notification receiver.
CREATE TABLE esign_accounts (
    company_id       uuid        NOT NULL REFERENCES identity_companies (id),
    id               uuid        NOT NULL,
    name             text COLLATE "C" NOT NULL,
    provider         text COLLATE "C" NOT NULL,
    environment      text COLLATE "C" NOT NULL,
    external_id      text COLLATE "C" NOT NULL,
    base_url         text COLLATE "C" NOT NULL,
    credentials      bytea       NOT NULL,
    is_default       boolean     NOT NULL,
    disabled_at      timestamptz,
    health           text COLLATE "C" NOT NULL,
    problem          text COLLATE "C" NOT NULL,
    checked_at       timestamptz,
    endpoint_id      uuid        NOT NULL,
    last_endpoint_id uuid,
    verification     text COLLATE "C" NOT NULL,
    reconciled_to    timestamptz,
    version          bigint      NOT NULL,
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    PRIMARY KEY (company_id, id),
    UNIQUE (company_id, name)
);
CREATE UNIQUE INDEX esign_accounts_default ON esign_accounts (company_id) WHERE is_default;
CREATE UNIQUE INDEX esign_accounts_endpoint ON esign_accounts (endpoint_id);

-- Keys by which an account's notifications are signed. Several are good at a time, so that they can be changed.
CREATE TABLE esign_keys (
    company_id uuid        NOT NULL REFERENCES identity_companies (id),
    id         uuid        NOT NULL,
    account_id uuid        NOT NULL,
    name       text COLLATE "C" NOT NULL,
    secret     bytea       NOT NULL,
    used_at    timestamptz,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (company_id, id),
    UNIQUE (company_id, account_id, name)
);

-- OAuth clients of an account: with one, the vendor gets tokens for the receiver.
CREATE TABLE esign_clients (
    company_id  uuid        NOT NULL REFERENCES identity_companies (id),
    id          uuid        NOT NULL,
    account_id  uuid        NOT NULL,
    name        text COLLATE "C" NOT NULL,
    secret_hash bytea       NOT NULL,
    used_at     timestamptz,
    revoked_at  timestamptz,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX esign_clients_id ON esign_clients (id);
CREATE INDEX esign_clients_account ON esign_clients (company_id, account_id, id);

CREATE TABLE esign_tokens (
    company_id uuid        NOT NULL REFERENCES identity_companies (id),
    id         uuid        NOT NULL,
    client_id  uuid        NOT NULL,
    account_id uuid        NOT NULL,
    hash       bytea       NOT NULL,
    expires_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX esign_tokens_account ON esign_tokens (company_id, account_id, expires_at);
CREATE INDEX esign_tokens_expires ON esign_tokens (expires_at);

-- The vendor's templates, as they were when they were last asked for.
CREATE TABLE esign_templates (
    company_id  uuid        NOT NULL REFERENCES identity_companies (id),
    id          uuid        NOT NULL,
    account_id  uuid        NOT NULL,
    external_id text COLLATE "C" NOT NULL,
    name        text        NOT NULL,
    description text        NOT NULL,
    subject     text        NOT NULL,
    message     text        NOT NULL,
    roles       jsonb       NOT NULL,
    fingerprint text COLLATE "C" NOT NULL,
    changed_at  timestamptz,
    synced_at   timestamptz NOT NULL,
    missing_at  timestamptz,
    version     bigint      NOT NULL,
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    PRIMARY KEY (company_id, id),
    UNIQUE (company_id, account_id, external_id)
);
CREATE INDEX esign_templates_name ON esign_templates (company_id, name, id);

-- What of an item goes into which tab of a template. fingerprint and roles are those of the template it was made for.
CREATE TABLE esign_mappings (
    company_id  uuid        NOT NULL REFERENCES identity_companies (id),
    id          uuid        NOT NULL,
    template_id uuid        NOT NULL,
    name        text COLLATE "C" NOT NULL,
    item_type   text COLLATE "C" NOT NULL,
    item_part   text COLLATE "C",
    rules       jsonb       NOT NULL,
    fingerprint text COLLATE "C" NOT NULL,
    roles       jsonb       NOT NULL,
    version     bigint      NOT NULL,
    created_at  timestamptz NOT NULL,
    created_by  uuid,
    updated_at  timestamptz NOT NULL,
    updated_by  uuid,
    deleted_at  timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX esign_mappings_name ON esign_mappings (company_id, name) WHERE deleted_at IS NULL;
CREATE INDEX esign_mappings_template ON esign_mappings (company_id, template_id, id);

-- Envelopes. external_id is the vendor's id, null until it is known; heard_* is what the vendor said that counts, and
-- told_at is when it said what is in heard.
CREATE TABLE esign_envelopes (
    company_id   uuid        NOT NULL REFERENCES identity_companies (id),
    id           uuid        NOT NULL,
    account_id   uuid        NOT NULL,
    external_id  text COLLATE "C",
    origin       text COLLATE "C" NOT NULL,
    template_id  uuid,
    mapping_id   uuid,
    subject      text        NOT NULL,
    message      text        NOT NULL,
    item_type    text COLLATE "C" NOT NULL,
    item_id      uuid,
    source       text        NOT NULL,
    content      jsonb       NOT NULL,
    state        text COLLATE "C" NOT NULL,
    reason       text        NOT NULL,
    code         text COLLATE "C" NOT NULL,
    detail       text        NOT NULL,
    heard_status text COLLATE "C" NOT NULL,
    heard_at     timestamptz,
    heard        jsonb       NOT NULL,
    told_at      timestamptz,
    expires_at   timestamptz,
    attempts     bigint      NOT NULL,
    called_at    timestamptz,
    asked_at     timestamptz,
    sent_at      timestamptz,
    delivered_at timestamptz,
    completed_at timestamptz,
    ended_at     timestamptz,
    documents    text COLLATE "C" NOT NULL,
    documents_problem text   NOT NULL,
    created_by   uuid,
    version      bigint      NOT NULL,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX esign_envelopes_external ON esign_envelopes (company_id, account_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX esign_envelopes_created ON esign_envelopes (company_id, created_at, id);
CREATE INDEX esign_envelopes_state ON esign_envelopes (company_id, state, created_at, id);
CREATE INDEX esign_envelopes_item ON esign_envelopes (company_id, item_type, item_id, created_at, id);
CREATE INDEX esign_envelopes_waiting ON esign_envelopes (company_id, id) WHERE state IN ('queued', 'sending');

CREATE TABLE esign_recipients (
    company_id    uuid        NOT NULL REFERENCES identity_companies (id),
    id            uuid        NOT NULL,
    envelope_id   uuid        NOT NULL,
    external_id   text COLLATE "C" NOT NULL,
    kind          text COLLATE "C" NOT NULL,
    role          text        NOT NULL,
    name          text        NOT NULL,
    email         text        NOT NULL,
    routing_order bigint      NOT NULL,
    embedded      boolean     NOT NULL,
    state         text COLLATE "C" NOT NULL,
    reason        text        NOT NULL,
    heard_status  text COLLATE "C" NOT NULL,
    heard_at      timestamptz,
    sent_at       timestamptz,
    delivered_at  timestamptz,
    signed_at     timestamptz,
    declined_at   timestamptz,
    told_at       timestamptz,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    PRIMARY KEY (company_id, id),
    UNIQUE (company_id, envelope_id, external_id)
);

-- What people want of an envelope at the vendor: one thing at a time. called_at is when the vendor was asked.
CREATE TABLE esign_actions (
    company_id  uuid        NOT NULL REFERENCES identity_companies (id),
    id          uuid        NOT NULL,
    envelope_id uuid        NOT NULL,
    verb        text COLLATE "C" NOT NULL,
    content     jsonb       NOT NULL,
    state       text COLLATE "C" NOT NULL,
    reason      text COLLATE "C" NOT NULL,
    code        text COLLATE "C" NOT NULL,
    detail      text        NOT NULL,
    called_at   timestamptz,
    created_by  uuid,
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX esign_actions_envelope ON esign_actions (company_id, envelope_id, id);
CREATE UNIQUE INDEX esign_actions_waiting ON esign_actions (company_id, envelope_id) WHERE state = 'waiting';

-- What has happened to an envelope, in the order of its times. dedupe_key makes the same thing, told twice, one row.
CREATE TABLE esign_happenings (
    company_id   uuid        NOT NULL REFERENCES identity_companies (id),
    id           uuid        NOT NULL,
    envelope_id  uuid        NOT NULL,
    recipient_id uuid,
    event        text COLLATE "C" NOT NULL,
    dedupe_key   text COLLATE "C" NOT NULL,
    detail       text        NOT NULL,
    delivery_id  uuid,
    happened_at  timestamptz NOT NULL,
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (company_id, id),
    UNIQUE (company_id, envelope_id, dedupe_key)
);
CREATE INDEX esign_happenings_envelope ON esign_happenings (company_id, envelope_id, happened_at, id);

-- Notifications about envelopes that are not known, until they are.
CREATE TABLE esign_strays (
    company_id  uuid        NOT NULL REFERENCES identity_companies (id),
    id          uuid        NOT NULL,
    account_id  uuid        NOT NULL,
    external_id text COLLATE "C" NOT NULL,
    delivery_id uuid        NOT NULL,
    event       text COLLATE "C" NOT NULL,
    notice      jsonb       NOT NULL,
    received_at timestamptz NOT NULL,
    PRIMARY KEY (company_id, id),
    UNIQUE (company_id, delivery_id)
);
CREATE INDEX esign_strays_external ON esign_strays (company_id, account_id, external_id, received_at, id);
CREATE INDEX esign_strays_received ON esign_strays (received_at);

-- The signed documents, and the certificate, as attachments. attachment_id is chosen before the document is fetched;
-- sha256 is empty until it is stored.
CREATE TABLE esign_documents (
    company_id    uuid        NOT NULL REFERENCES identity_companies (id),
    id            uuid        NOT NULL,
    envelope_id   uuid        NOT NULL,
    kind          text COLLATE "C" NOT NULL,
    attachment_id uuid        NOT NULL,
    sha256        text COLLATE "C" NOT NULL,
    size          bigint      NOT NULL,
    created_at    timestamptz NOT NULL,
    PRIMARY KEY (company_id, id),
    UNIQUE (company_id, envelope_id, kind)
);

-- +goose Down
DROP TABLE esign_documents;
DROP TABLE esign_strays;
DROP TABLE esign_happenings;
DROP TABLE esign_actions;
DROP TABLE esign_recipients;
DROP TABLE esign_envelopes;
DROP TABLE esign_mappings;
DROP TABLE esign_templates;
DROP TABLE esign_tokens;
DROP TABLE esign_clients;
DROP TABLE esign_keys;
DROP TABLE esign_accounts;
