-- +goose Up
CREATE TABLE dispatches_offers (
    company_id       uuid        NOT NULL REFERENCES identity_companies (id),
    id               uuid        NOT NULL,
    version          bigint      NOT NULL,
    created_at       timestamptz NOT NULL,
    created_by       uuid,
    updated_at       timestamptz NOT NULL,
    updated_by       uuid,
    deleted_at       timestamptz,
    number           text COLLATE "C" NOT NULL,
    load_id          uuid        NOT NULL,
    carrier_id       uuid        NOT NULL,
    mode             text COLLATE "C" NOT NULL,
    batch_id         uuid,
    rank             bigint      NOT NULL,
    state            text COLLATE "C" NOT NULL,
    amount           numeric,
    currency         text COLLATE "C" NOT NULL,
    pickup_date      date,
    delivery_date    date,
    turn             text COLLATE "C" NOT NULL,
    minutes          bigint      NOT NULL,
    expires_at       timestamptz,
    sent_at          timestamptz,
    first_viewed_at  timestamptz,
    answered_at      timestamptz,
    answered_by      text COLLATE "C" NOT NULL,
    answered_from    text COLLATE "C" NOT NULL,
    identified_at    timestamptz,
    transactions     jsonb       NOT NULL,
    channels         jsonb       NOT NULL,
    message          text        NOT NULL,
    late_response_at timestamptz,
    reminders        bigint      NOT NULL,
    reminded_at      timestamptz,
    dispatch_id      uuid,
    end_reason       text        NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX dispatches_offers_number ON dispatches_offers (company_id, number) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX dispatches_offers_open ON dispatches_offers (company_id, load_id, carrier_id) WHERE deleted_at IS NULL AND state IN ('queued', 'offered', 'countered');
CREATE INDEX dispatches_offers_created ON dispatches_offers (company_id, created_at, id);
CREATE INDEX dispatches_offers_load ON dispatches_offers (company_id, load_id);
CREATE INDEX dispatches_offers_carrier ON dispatches_offers (company_id, carrier_id);
CREATE INDEX dispatches_offers_batch ON dispatches_offers (company_id, batch_id) WHERE state = 'queued';
CREATE INDEX dispatches_offers_due ON dispatches_offers (expires_at) WHERE state IN ('offered', 'countered');

CREATE TABLE dispatches_dispatches (
    company_id    uuid        NOT NULL REFERENCES identity_companies (id),
    id            uuid        NOT NULL,
    version       bigint      NOT NULL,
    created_at    timestamptz NOT NULL,
    created_by    uuid,
    updated_at    timestamptz NOT NULL,
    updated_by    uuid,
    deleted_at    timestamptz,
    number        text COLLATE "C" NOT NULL,
    load_id       uuid        NOT NULL,
    carrier_id    uuid        NOT NULL,
    offer_id      uuid,
    state         text COLLATE "C" NOT NULL,
    carrier_pay   numeric,
    currency      text COLLATE "C" NOT NULL,
    pickup_date   date,
    delivery_date date,
    eta_pickup    timestamptz,
    eta_delivery  timestamptz,
    contact_name  text COLLATE "C" NOT NULL,
    contact_phone text COLLATE "C",
    contact_email text COLLATE "C",
    driver_name   text COLLATE "C" NOT NULL,
    driver_phone  text COLLATE "C",
    truck         text COLLATE "C" NOT NULL,
    truck_plate   text COLLATE "C" NOT NULL,
    notes         text        NOT NULL,
    revision      bigint      NOT NULL,
    snapshot      jsonb       NOT NULL,
    accepted_at   timestamptz,
    accepted_by   text COLLATE "C" NOT NULL,
    accepted_from text COLLATE "C" NOT NULL,
    terms         text        NOT NULL,
    last_seen_at  timestamptz,
    picked_up_at  timestamptz,
    delivered_at  timestamptz,
    cancelled_at  timestamptz,
    cancel_reason text COLLATE "C" NOT NULL,
    cancel_note   text        NOT NULL,
    responsible   text COLLATE "C" NOT NULL,
    bounce_of     uuid,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX dispatches_dispatches_number ON dispatches_dispatches (company_id, number) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX dispatches_dispatches_live ON dispatches_dispatches (company_id, load_id) WHERE deleted_at IS NULL AND state NOT IN ('cancelled_by_carrier', 'cancelled_by_broker');
CREATE INDEX dispatches_dispatches_created ON dispatches_dispatches (company_id, created_at, id);
CREATE INDEX dispatches_dispatches_load ON dispatches_dispatches (company_id, load_id);
CREATE INDEX dispatches_dispatches_carrier ON dispatches_dispatches (company_id, carrier_id);

-- +goose Down
DROP TABLE dispatches_dispatches;
DROP TABLE dispatches_offers;
