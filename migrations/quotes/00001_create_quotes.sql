-- +goose Up
CREATE TABLE quotes_quotes (
    company_id      uuid        NOT NULL REFERENCES identity_companies (id),
    id              uuid        NOT NULL,
    version         bigint      NOT NULL,
    created_at      timestamptz NOT NULL,
    created_by      uuid,
    updated_at      timestamptz NOT NULL,
    updated_by      uuid,
    deleted_at      timestamptz,
    number          text COLLATE "C" NOT NULL,
    load_id         uuid        NOT NULL,
    revision        bigint      NOT NULL,
    state           text COLLATE "C" NOT NULL,
    currency        text COLLATE "C" NOT NULL,
    lines           jsonb       NOT NULL,
    options         jsonb       NOT NULL,
    plan_template   text COLLATE "C" NOT NULL,
    valid_until     timestamptz,
    message         text        NOT NULL,
    tariff          numeric,
    carrier_pay     numeric,
    broker_fee      numeric,
    deposit         numeric,
    snapshot        jsonb       NOT NULL,
    pricing         jsonb       NOT NULL,
    terms           text        NOT NULL,
    sent_at         timestamptz,
    first_viewed_at timestamptz,
    view_count      bigint      NOT NULL,
    accepted_option text COLLATE "C" NOT NULL,
    accepted_at     timestamptz,
    accepted_by     text COLLATE "C" NOT NULL,
    accepted_from   text COLLATE "C" NOT NULL,
    end_reason      text        NOT NULL,
    warned_at       timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX quotes_quotes_number ON quotes_quotes (company_id, number) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX quotes_quotes_load ON quotes_quotes (company_id, load_id, revision) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX quotes_quotes_open ON quotes_quotes (company_id, load_id) WHERE deleted_at IS NULL AND state IN ('draft', 'sent', 'viewed');
CREATE INDEX quotes_quotes_created ON quotes_quotes (company_id, created_at, id);
CREATE INDEX quotes_quotes_due ON quotes_quotes (valid_until) WHERE state IN ('sent', 'viewed');

-- +goose Down
DROP TABLE quotes_quotes;
