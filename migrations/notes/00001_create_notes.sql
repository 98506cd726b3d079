-- +goose Up
CREATE TABLE notes_notes (
    company_id uuid        NOT NULL REFERENCES identity_companies (id),
    id         uuid        NOT NULL,
    item_type  text COLLATE "C" NOT NULL,
    item_id    uuid        NOT NULL,
    item_part  text COLLATE "C" NOT NULL,
    body       text        NOT NULL,
    visibility text COLLATE "C" NOT NULL,
    pinned     boolean     NOT NULL,
    mentions   jsonb       NOT NULL,
    version    bigint      NOT NULL,
    created_at timestamptz NOT NULL,
    created_by uuid,
    updated_at timestamptz NOT NULL,
    updated_by uuid,
    deleted_at timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX notes_notes_item ON notes_notes (company_id, item_id, pinned, created_at, id);
CREATE INDEX notes_notes_order ON notes_notes (company_id, pinned, created_at, id);

-- +goose Down
DROP TABLE notes_notes;
