-- +goose Up
-- What people write down of what happened to an item: calls, visits. Entries stay when the item goes.
CREATE TABLE history_entries (
    company_id    uuid        NOT NULL REFERENCES identity_companies (id),
    id            uuid        NOT NULL,
    item_type     text COLLATE "C" NOT NULL,
    item_id       uuid        NOT NULL,
    item_part     text COLLATE "C" NOT NULL,
    kind          text COLLATE "C" NOT NULL,
    direction     text COLLATE "C" NOT NULL,
    outcome       text        NOT NULL,
    contact_name  text        NOT NULL,
    body          text        NOT NULL,
    happened_at   timestamptz NOT NULL,
    created_by    uuid,
    created_token uuid,
    version       bigint      NOT NULL,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    deleted_at    timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX history_entries_item ON history_entries (company_id, item_type, item_id, happened_at, id);
CREATE INDEX history_entries_happened ON history_entries (company_id, happened_at, id);
CREATE INDEX history_entries_deleted ON history_entries (deleted_at) WHERE deleted_at IS NOT NULL;

-- +goose Down
DROP TABLE history_entries;
