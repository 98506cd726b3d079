-- +goose Up
-- A load with its stops, vehicles and money. The columns after the texts are derived from these; lists filter and sort by them.
CREATE TABLE loads_loads (
    company_id           uuid        NOT NULL REFERENCES identity_companies (id),
    id                   uuid        NOT NULL,
    version              bigint      NOT NULL,
    created_at           timestamptz NOT NULL,
    created_by           uuid,
    updated_at           timestamptz NOT NULL,
    updated_by           uuid,
    deleted_at           timestamptz,
    number               text COLLATE "C" NOT NULL,
    external_id          text COLLATE "C" NOT NULL,
    state                text COLLATE "C" NOT NULL,
    company_role         text COLLATE "C" NOT NULL,
    customer_id          uuid,
    shipper_id           uuid,
    bill_to_id           uuid,
    carrier_id           uuid,
    assigned_id          uuid,
    dispatcher_id        uuid,
    transport_type       text COLLATE "C" NOT NULL,
    inspection_type      text COLLATE "C" NOT NULL,
    priority             text COLLATE "C" NOT NULL,
    available_from       date,
    stops                jsonb       NOT NULL,
    vehicles             jsonb       NOT NULL,
    commodities          jsonb       NOT NULL,
    charges              jsonb       NOT NULL,
    payment_plan         jsonb       NOT NULL,
    plan_template        text COLLATE "C" NOT NULL,
    reference_list       jsonb       NOT NULL,
    currency             text COLLATE "C",
    instructions_private text        NOT NULL,
    instructions_carrier text        NOT NULL,
    instructions_board   text        NOT NULL,
    hold_reason          text COLLATE "C" NOT NULL,
    hold_note            text        NOT NULL,
    held_by              uuid,
    hold_until           timestamptz,
    held_at              timestamptz,
    miles                bigint,
    minutes              bigint,
    miles_measured       boolean     NOT NULL,
    transit_from_days    bigint,
    transit_to_days      bigint,
    origin_zip3          text COLLATE "C" NOT NULL,
    origin_state         text COLLATE "C" NOT NULL,
    destination_zip3     text COLLATE "C" NOT NULL,
    destination_state    text COLLATE "C" NOT NULL,
    pickup_from          timestamptz,
    deliver_by           timestamptz,
    vehicle_count        bigint      NOT NULL,
    inop_count           bigint      NOT NULL,
    waiting_count        bigint      NOT NULL,
    picked_up_count      bigint      NOT NULL,
    delivered_count      bigint      NOT NULL,
    tariff               numeric,
    carrier_pay          numeric,
    broker_fee           numeric,
    end_reason           text COLLATE "C" NOT NULL,
    ended_by             text COLLATE "C" NOT NULL,
    quoted_at            timestamptz,
    booked_at            timestamptz,
    ready_at             timestamptz,
    dispatched_at        timestamptz,
    picked_up_at         timestamptz,
    delivered_at         timestamptz,
    completed_at         timestamptz,
    ended_at             timestamptz,
    source_id            uuid,
    source_kind          text COLLATE "C",
    received_at          timestamptz,
    duplicated_from      uuid,
    split_from           uuid,
    words                text        NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX loads_loads_external ON loads_loads (company_id, external_id) WHERE deleted_at IS NULL AND external_id <> '';
CREATE INDEX loads_loads_created ON loads_loads (company_id, created_at, id);
CREATE INDEX loads_loads_state ON loads_loads (company_id, state, created_at, id);
CREATE INDEX loads_loads_number ON loads_loads (company_id, number, id);
CREATE INDEX loads_loads_customer ON loads_loads (company_id, customer_id, created_at, id);
CREATE INDEX loads_loads_carrier ON loads_loads (company_id, carrier_id, created_at, id);
CREATE INDEX loads_loads_lane ON loads_loads (company_id, origin_zip3, destination_zip3, booked_at);
CREATE INDEX loads_loads_lane_of_states ON loads_loads (company_id, origin_state, destination_state, booked_at);
CREATE INDEX loads_loads_held ON loads_loads (hold_until) WHERE hold_until IS NOT NULL;
CREATE INDEX loads_loads_deleted ON loads_loads (deleted_at) WHERE deleted_at IS NOT NULL;

-- Which VINs are on open loads.
CREATE TABLE loads_vins (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    load_id    uuid NOT NULL,
    vin        text COLLATE "C" NOT NULL,
    PRIMARY KEY (company_id, load_id, vin)
);
CREATE INDEX loads_vins_vin ON loads_vins (company_id, vin);

-- Where requests come from.
CREATE TABLE loads_sources (
    company_id     uuid        NOT NULL REFERENCES identity_companies (id),
    id             uuid        NOT NULL,
    version        bigint      NOT NULL,
    created_at     timestamptz NOT NULL,
    created_by     uuid,
    updated_at     timestamptz NOT NULL,
    updated_by     uuid,
    deleted_at     timestamptz,
    name           text COLLATE "C" NOT NULL,
    name_key       text COLLATE "C" NOT NULL,
    kind           text COLLATE "C" NOT NULL,
    active         boolean     NOT NULL,
    threshold      bigint      NOT NULL,
    labels         jsonb       NOT NULL,
    transport_type text COLLATE "C" NOT NULL,
    assigned_id    uuid,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX loads_sources_name ON loads_sources (company_id, name_key) WHERE deleted_at IS NULL;

-- Requests that came from outside, and what was understood of them.
CREATE TABLE loads_intakes (
    company_id uuid        NOT NULL REFERENCES identity_companies (id),
    id         uuid        NOT NULL,
    source_id  uuid        NOT NULL,
    load_id    uuid        NOT NULL,
    -- What the request is known again by.
    key        text COLLATE "C" NOT NULL,
    message_id text COLLATE "C" NOT NULL,
    format     text COLLATE "C" NOT NULL,
    original   text        NOT NULL,
    found      jsonb       NOT NULL,
    letter     jsonb       NOT NULL,
    problem    text        NOT NULL,
    at         timestamptz NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX loads_intakes_key ON loads_intakes (company_id, source_id, key, at);
CREATE INDEX loads_intakes_load ON loads_intakes (company_id, load_id, at);
CREATE INDEX loads_intakes_message ON loads_intakes (company_id, message_id) WHERE message_id <> '';

-- +goose Down
DROP TABLE loads_intakes;
DROP TABLE loads_sources;
DROP TABLE loads_vins;
DROP TABLE loads_loads;
