-- +goose Up
CREATE TABLE state_log (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    item_type text NOT NULL,
    item_id uuid NOT NULL,
    seq bigint NOT NULL,
    from_state text NOT NULL,
    to_state text NOT NULL,
    verb text NOT NULL,
    actor_kind text NOT NULL,
    actor_id uuid,
    party text NOT NULL,
    reason text NOT NULL,
    at timestamptz NOT NULL,
    id uuid NOT NULL,
    item_part text NOT NULL,
    PRIMARY KEY (company_id, item_type, item_id, seq)
);

CREATE UNIQUE INDEX state_log_id ON state_log (company_id, id);

-- +goose Down
DROP TABLE state_log;
