-- +goose Up
-- What each change of a resource's row found: the row as it was, by the keys of its fields. A row that was only created
-- has none.
CREATE TABLE resource_versions (
    company_id uuid        NOT NULL,
    item_type  text COLLATE "C" NOT NULL,
    item_id    uuid        NOT NULL,
    -- The version that the change made; document is the row at the version before.
    version    bigint      NOT NULL,
    verb       text        NOT NULL,
    document   text        NOT NULL,
    at         timestamptz NOT NULL,
    actor_kind text        NOT NULL,
    actor_id   uuid,
    request_id text        NOT NULL,
    -- What made the change, where it was not a request for this row: import:<uuid>.
    source     text        NOT NULL,
    PRIMARY KEY (company_id, item_type, item_id, version)
);
CREATE INDEX resource_versions_at ON resource_versions (at);

-- +goose Down
DROP TABLE resource_versions;
