-- +goose Up
-- No foreign key to the company: each event would lock its row, and writes of one company meet there.
CREATE TABLE events_log (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    payload jsonb NOT NULL,
    actor text NOT NULL,
    request_id text NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (company_id, id)
);

-- +goose Down
DROP TABLE events_log;
