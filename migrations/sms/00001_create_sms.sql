-- +goose Up
-- How a company wants its messages. There is a row once something was set.
CREATE TABLE sms_settings (
    company_id   uuid        NOT NULL PRIMARY KEY REFERENCES identity_companies (id),
    region       text COLLATE "C" NOT NULL,
    quiet_from   text COLLATE "C" NOT NULL,
    quiet_to     text COLLATE "C" NOT NULL,
    quiet_policy text COLLATE "C" NOT NULL,
    auto_replies boolean     NOT NULL,
    stop_text    text        NOT NULL,
    start_text   text        NOT NULL,
    help_text    text        NOT NULL,
    number_id    uuid,
    version      bigint      NOT NULL,
    updated_at   timestamptz NOT NULL
);

CREATE TABLE sms_accounts (
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
    version     bigint      NOT NULL,
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    PRIMARY KEY (company_id, id),
    UNIQUE (company_id, name)
);
CREATE UNIQUE INDEX sms_accounts_default ON sms_accounts (company_id) WHERE is_default;

CREATE TABLE sms_numbers (
    company_id   uuid        NOT NULL REFERENCES identity_companies (id),
    id           uuid        NOT NULL,
    account_id   uuid        NOT NULL,
    number       text COLLATE "C" NOT NULL,
    kind         text COLLATE "C" NOT NULL,
    label        text COLLATE "C" NOT NULL,
    sms          boolean     NOT NULL,
    mms          boolean     NOT NULL,
    voice        boolean     NOT NULL,
    registration text COLLATE "C" NOT NULL,
    provider_id  text COLLATE "C" NOT NULL,
    user_id      uuid,
    per_minute   bigint      NOT NULL,
    state        text COLLATE "C" NOT NULL,
    problem      text COLLATE "C" NOT NULL,
    released_at  timestamptz,
    version      bigint      NOT NULL,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX sms_numbers_number ON sms_numbers (company_id, number) WHERE released_at IS NULL;
CREATE INDEX sms_numbers_account ON sms_numbers (company_id, account_id, id);

CREATE TABLE sms_user_defaults (
    company_id uuid        NOT NULL REFERENCES identity_companies (id),
    user_id    uuid        NOT NULL,
    number_id  uuid        NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (company_id, user_id)
);

-- When a number may send next: a token bucket in one column, which all replicas share.
CREATE TABLE sms_throttles (
    company_id uuid        NOT NULL REFERENCES identity_companies (id),
    number_id  uuid        NOT NULL,
    next_at    timestamptz NOT NULL,
    PRIMARY KEY (company_id, number_id)
);

-- Everybody who was ever written to, and the list of those who do not want that.
CREATE TABLE sms_contacts (
    company_id   uuid        NOT NULL REFERENCES identity_companies (id),
    id           uuid        NOT NULL,
    number       text COLLATE "C" NOT NULL,
    opted_out_at timestamptz,
    source       text COLLATE "C" NOT NULL,
    keyword      text COLLATE "C" NOT NULL,
    farewell_id  uuid,
    replied_at   timestamptz,
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (company_id, id),
    UNIQUE (company_id, number)
);
CREATE INDEX sms_contacts_opted_out ON sms_contacts (company_id, opted_out_at, id) WHERE opted_out_at IS NOT NULL;

-- Who said what about being written to, and when. Rows are never changed.
CREATE TABLE sms_consents (
    company_id uuid        NOT NULL REFERENCES identity_companies (id),
    id         uuid        NOT NULL,
    number     text COLLATE "C" NOT NULL,
    action     text COLLATE "C" NOT NULL,
    source     text COLLATE "C" NOT NULL,
    keyword    text COLLATE "C" NOT NULL,
    reason     text        NOT NULL,
    message_id uuid,
    user_id    uuid,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX sms_consents_number ON sms_consents (company_id, number, created_at, id);
CREATE INDEX sms_consents_created ON sms_consents (company_id, created_at, id);

CREATE TABLE sms_threads (
    company_id  uuid        NOT NULL REFERENCES identity_companies (id),
    id          uuid        NOT NULL,
    number_id   uuid        NOT NULL,
    number      text COLLATE "C" NOT NULL,
    counterpart text COLLATE "C" NOT NULL,
    last_id     uuid        NOT NULL,
    last_at     timestamptz NOT NULL,
    direction   text COLLATE "C" NOT NULL,
    unread      bigint      NOT NULL,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (company_id, id),
    UNIQUE (company_id, number, counterpart)
);
CREATE INDEX sms_threads_last ON sms_threads (company_id, last_at, id);
CREATE INDEX sms_threads_counterpart ON sms_threads (company_id, counterpart, last_at, id);

CREATE TABLE sms_messages (
    company_id      uuid        NOT NULL REFERENCES identity_companies (id),
    id              uuid        NOT NULL,
    thread_id       uuid        NOT NULL,
    account_id      uuid        NOT NULL,
    number_id       uuid        NOT NULL,
    direction       text COLLATE "C" NOT NULL,
    sender          text COLLATE "C" NOT NULL,
    recipient       text COLLATE "C" NOT NULL,
    body            text        NOT NULL,
    media           jsonb       NOT NULL,
    body_purged_at  timestamptz,
    encoding        text COLLATE "C" NOT NULL,
    segments        bigint      NOT NULL,
    state           text COLLATE "C" NOT NULL,
    reason          text COLLATE "C" NOT NULL,
    code            text COLLATE "C" NOT NULL,
    provider_id     text COLLATE "C",
    provider_status text COLLATE "C" NOT NULL,
    cost            text COLLATE "C" NOT NULL,
    currency        text COLLATE "C" NOT NULL,
    owner_type      text COLLATE "C" NOT NULL,
    owner_id        uuid,
    template_id     uuid,
    keyword         text COLLATE "C" NOT NULL,
    urgent          boolean     NOT NULL,
    slot_at         timestamptz,
    due_at          timestamptz NOT NULL,
    attempts        bigint      NOT NULL,
    created_by      uuid,
    sent_at         timestamptz,
    delivered_at    timestamptz,
    heard_at        timestamptz,
    version         bigint      NOT NULL,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX sms_messages_provider ON sms_messages (company_id, account_id, provider_id) WHERE provider_id IS NOT NULL;
CREATE INDEX sms_messages_created ON sms_messages (company_id, created_at, id);
CREATE INDEX sms_messages_thread ON sms_messages (company_id, thread_id, created_at, id);
CREATE INDEX sms_messages_owner ON sms_messages (company_id, owner_type, owner_id, created_at, id);
CREATE INDEX sms_messages_state ON sms_messages (company_id, state, created_at, id);
CREATE INDEX sms_messages_waiting ON sms_messages (due_at) WHERE state IN ('scheduled', 'queued', 'sending');
CREATE INDEX sms_messages_unheard ON sms_messages (account_id, heard_at) WHERE state IN ('sending', 'sent');
CREATE INDEX sms_messages_bodies ON sms_messages (created_at) WHERE body_purged_at IS NULL;

-- One row for each time that a message was handed to a provider, written before the call.
CREATE TABLE sms_attempts (
    company_id uuid        NOT NULL REFERENCES identity_companies (id),
    id         uuid        NOT NULL,
    message_id uuid        NOT NULL,
    number     bigint      NOT NULL,
    outcome    text COLLATE "C" NOT NULL,
    reason     text COLLATE "C" NOT NULL,
    code       text COLLATE "C" NOT NULL,
    detail     text        NOT NULL,
    called_at  timestamptz NOT NULL,
    started_at timestamptz NOT NULL,
    ended_at   timestamptz,
    PRIMARY KEY (company_id, id),
    UNIQUE (company_id, message_id, number)
);

CREATE TABLE sms_templates (
    company_id uuid        NOT NULL REFERENCES identity_companies (id),
    id         uuid        NOT NULL,
    name       text COLLATE "C" NOT NULL,
    body       text        NOT NULL,
    version    bigint      NOT NULL,
    created_at timestamptz NOT NULL,
    created_by uuid,
    updated_at timestamptz NOT NULL,
    updated_by uuid,
    deleted_at timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX sms_templates_name ON sms_templates (company_id, name) WHERE deleted_at IS NULL;

-- +goose Down
DROP TABLE sms_templates;
DROP TABLE sms_attempts;
DROP TABLE sms_messages;
DROP TABLE sms_threads;
DROP TABLE sms_consents;
DROP TABLE sms_contacts;
DROP TABLE sms_throttles;
DROP TABLE sms_user_defaults;
DROP TABLE sms_numbers;
DROP TABLE sms_accounts;
DROP TABLE sms_settings;
