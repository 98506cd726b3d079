-- +goose Up
-- What the operator sells belongs to no company.
CREATE TABLE billing_seller (
    id         text COLLATE "C" NOT NULL PRIMARY KEY,
    house_id   uuid        NOT NULL REFERENCES identity_companies (id),
    name       text        NOT NULL,
    address    text        NOT NULL,
    tax_id     text        NOT NULL,
    email      text        NOT NULL,
    updated_at timestamptz NOT NULL
);
CREATE INDEX billing_seller_house ON billing_seller (house_id);

CREATE TABLE billing_plans (
    id          uuid        NOT NULL PRIMARY KEY,
    code        text COLLATE "C" NOT NULL,
    version     bigint      NOT NULL,
    name        text        NOT NULL,
    description text        NOT NULL,
    every       text COLLATE "C" NOT NULL,
    price       numeric     NOT NULL,
    currency    text COLLATE "C" NOT NULL,
    trial_days  bigint      NOT NULL,
    features    jsonb       NOT NULL,
    limits      jsonb       NOT NULL,
    public      boolean     NOT NULL,
    archived_at timestamptz,
    created_at  timestamptz NOT NULL
);
CREATE UNIQUE INDEX billing_plans_version ON billing_plans (code, version);

CREATE TABLE billing_tax_rates (
    id          uuid    NOT NULL PRIMARY KEY,
    code        text COLLATE "C" NOT NULL,
    name        text    NOT NULL,
    percent     numeric NOT NULL,
    country     text COLLATE "C" NOT NULL,
    state       text COLLATE "C" NOT NULL,
    valid_from  date,
    valid_until date
);
CREATE UNIQUE INDEX billing_tax_rates_code ON billing_tax_rates (country, state, code, valid_from);

-- ending says that the subscription is canceled at the end of its period; card is the id of a card of the area cards.
CREATE TABLE billing_subscriptions (
    company_id     uuid        NOT NULL REFERENCES identity_companies (id),
    id             uuid        NOT NULL,
    version        bigint      NOT NULL,
    created_at     timestamptz NOT NULL,
    created_by     uuid,
    updated_at     timestamptz NOT NULL,
    updated_by     uuid,
    deleted_at     timestamptz,
    plan_id        uuid        NOT NULL REFERENCES billing_plans (id),
    plan_code      text COLLATE "C" NOT NULL,
    plan_version   bigint      NOT NULL,
    every          text COLLATE "C" NOT NULL,
    price          numeric     NOT NULL,
    currency       text COLLATE "C" NOT NULL,
    state          text COLLATE "C" NOT NULL,
    started_on     date        NOT NULL,
    trial_ends_on  date,
    anchor_on      date        NOT NULL,
    period_start   date        NOT NULL,
    period_end     date        NOT NULL,
    period_days    bigint      NOT NULL,
    ending         boolean     NOT NULL,
    ended_at       timestamptz,
    cancel_reason  text        NOT NULL,
    next_plan_id   uuid        REFERENCES billing_plans (id),
    paused_on      date,
    days_left      bigint      NOT NULL,
    pending        jsonb       NOT NULL,
    card           text COLLATE "C" NOT NULL,
    overdue_since  date,
    tried_on       date,
    card_refused   boolean     NOT NULL,
    warned         boolean     NOT NULL,
    next_at        timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX billing_subscriptions_current ON billing_subscriptions (company_id) WHERE ended_at IS NULL;
CREATE INDEX billing_subscriptions_created ON billing_subscriptions (company_id, created_at, id);
CREATE INDEX billing_subscriptions_next ON billing_subscriptions (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX billing_subscriptions_plan ON billing_subscriptions (plan_id);
CREATE INDEX billing_subscriptions_next_plan ON billing_subscriptions (next_plan_id);

CREATE TABLE billing_invoices (
    company_id      uuid        NOT NULL REFERENCES identity_companies (id),
    id              uuid        NOT NULL,
    version         bigint      NOT NULL,
    created_at      timestamptz NOT NULL,
    created_by      uuid,
    updated_at      timestamptz NOT NULL,
    updated_by      uuid,
    deleted_at      timestamptz,
    number          text COLLATE "C" NOT NULL,
    subscription_id uuid        NOT NULL,
    seller          jsonb       NOT NULL,
    customer        jsonb       NOT NULL,
    issued_on       date        NOT NULL,
    lines           jsonb       NOT NULL,
    taxes           jsonb       NOT NULL,
    net             numeric     NOT NULL,
    tax             numeric     NOT NULL,
    total           numeric     NOT NULL,
    currency        text COLLATE "C" NOT NULL,
    paid            numeric     NOT NULL,
    credited        numeric     NOT NULL,
    refunded        numeric     NOT NULL,
    written_off     numeric     NOT NULL,
    balance         numeric     NOT NULL,
    state           text COLLATE "C" NOT NULL,
    paid_at         timestamptz,
    PRIMARY KEY (company_id, id),
    FOREIGN KEY (company_id, subscription_id) REFERENCES billing_subscriptions (company_id, id)
);
CREATE UNIQUE INDEX billing_invoices_number ON billing_invoices (number);
CREATE INDEX billing_invoices_subscription ON billing_invoices (company_id, subscription_id, state);
CREATE INDEX billing_invoices_created ON billing_invoices (company_id, created_at, id);

CREATE TABLE billing_payments (
    company_id      uuid        NOT NULL REFERENCES identity_companies (id),
    id              uuid        NOT NULL,
    version         bigint      NOT NULL,
    created_at      timestamptz NOT NULL,
    created_by      uuid,
    updated_at      timestamptz NOT NULL,
    updated_by      uuid,
    deleted_at      timestamptz,
    invoice_id      uuid        NOT NULL,
    subscription_id uuid        NOT NULL,
    method          text COLLATE "C" NOT NULL,
    amount          numeric     NOT NULL,
    currency        text COLLATE "C" NOT NULL,
    state           text COLLATE "C" NOT NULL,
    reason          text COLLATE "C" NOT NULL,
    card            text COLLATE "C" NOT NULL,
    card_payment    text COLLATE "C" NOT NULL,
    reference       text        NOT NULL,
    settled_at      timestamptz,
    action_url      text        NOT NULL,
    PRIMARY KEY (company_id, id),
    FOREIGN KEY (company_id, invoice_id) REFERENCES billing_invoices (company_id, id)
);
CREATE INDEX billing_payments_invoice ON billing_payments (company_id, invoice_id, state);
CREATE UNIQUE INDEX billing_payments_pending ON billing_payments (company_id, invoice_id) WHERE state = 'pending';
CREATE INDEX billing_payments_created ON billing_payments (company_id, created_at, id);

CREATE TABLE billing_credit_notes (
    company_id       uuid        NOT NULL REFERENCES identity_companies (id),
    id               uuid        NOT NULL,
    version          bigint      NOT NULL,
    created_at       timestamptz NOT NULL,
    created_by       uuid,
    updated_at       timestamptz NOT NULL,
    updated_by       uuid,
    deleted_at       timestamptz,
    number           text COLLATE "C" NOT NULL,
    invoice_id       uuid        NOT NULL,
    issued_on        date        NOT NULL,
    reason           text        NOT NULL,
    taxes            jsonb       NOT NULL,
    net              numeric     NOT NULL,
    tax              numeric     NOT NULL,
    total            numeric     NOT NULL,
    currency         text COLLATE "C" NOT NULL,
    refund           numeric     NOT NULL,
    refund_state     text COLLATE "C" NOT NULL,
    refund_reason    text COLLATE "C" NOT NULL,
    refund_reference text        NOT NULL,
    PRIMARY KEY (company_id, id),
    FOREIGN KEY (company_id, invoice_id) REFERENCES billing_invoices (company_id, id)
);
CREATE UNIQUE INDEX billing_credit_notes_number ON billing_credit_notes (number);
CREATE INDEX billing_credit_notes_invoice ON billing_credit_notes (company_id, invoice_id);
CREATE INDEX billing_credit_notes_created ON billing_credit_notes (company_id, created_at, id);

-- +goose Down
DROP TABLE billing_credit_notes;
DROP TABLE billing_payments;
DROP TABLE billing_invoices;
DROP TABLE billing_subscriptions;
DROP TABLE billing_tax_rates;
DROP TABLE billing_plans;
DROP TABLE billing_seller;
