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
    item_type text NOT NULL DEFAULT '',
    item_id uuid,
    PRIMARY KEY (company_id, id)
);

-- For timelines, which show events that name an item.
CREATE INDEX events_log_item ON events_log (company_id, item_id, id) WHERE item_id IS NOT NULL;
CREATE INDEX events_log_named ON events_log (company_id, id) WHERE item_id IS NOT NULL;

-- +goose Down
DROP TABLE events_log;
