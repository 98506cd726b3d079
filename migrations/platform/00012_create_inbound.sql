-- +goose Up
-- What vendors have told us. No foreign key to the company: each notification would lock its row.
CREATE TABLE inbound_deliveries (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL,
    endpoint_id uuid NOT NULL,
    dedupe_key bytea NOT NULL,
    key_id text NOT NULL,
    size bigint NOT NULL,
    state text NOT NULL,
    attempts integer NOT NULL,
    duplicates integer NOT NULL,
    replays integer NOT NULL,
    error text NOT NULL,
    address text NOT NULL,
    request_id text NOT NULL,
    received_at timestamptz NOT NULL,
    last_duplicate_at timestamptz,
    processed_at timestamptz,
    PRIMARY KEY (company_id, id),
    UNIQUE (company_id, kind, endpoint_id, dedupe_key)
);

CREATE INDEX inbound_deliveries_state_idx ON inbound_deliveries (company_id, state, id);

-- The bodies are apart: SQLite writes the whole row when its state changes.
CREATE TABLE inbound_bodies (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    head text NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (company_id, id)
);

-- How often what kind of request was refused at an endpoint: as many rows as there are reasons.
CREATE TABLE inbound_rejections (
    company_id uuid NOT NULL,
    kind text NOT NULL,
    endpoint_id uuid NOT NULL,
    reason text NOT NULL,
    count bigint NOT NULL,
    address text NOT NULL,
    first_at timestamptz NOT NULL,
    last_at timestamptz NOT NULL,
    PRIMARY KEY (company_id, kind, endpoint_id, reason)
);

-- +goose Down
DROP TABLE inbound_rejections;
DROP TABLE inbound_bodies;
DROP TABLE inbound_deliveries;
