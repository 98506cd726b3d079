-- +goose Up
-- name_key is the name without case and accents.
CREATE TABLE tags_tags (
    company_id uuid        NOT NULL REFERENCES identity_companies (id),
    id         uuid        NOT NULL,
    name       text COLLATE "C" NOT NULL,
    name_key   text COLLATE "C" NOT NULL,
    color      text COLLATE "C" NOT NULL,
    version    bigint      NOT NULL,
    created_at timestamptz NOT NULL,
    created_by uuid,
    updated_at timestamptz NOT NULL,
    updated_by uuid,
    deleted_at timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX tags_tags_name ON tags_tags (company_id, name_key) WHERE deleted_at IS NULL;
CREATE INDEX tags_tags_order ON tags_tags (company_id, name, id);

-- A row is a tag on an item. It goes for good when the tag is taken off.
CREATE TABLE tags_assignments (
    company_id uuid        NOT NULL REFERENCES identity_companies (id),
    id         uuid        NOT NULL,
    tag_id     uuid        NOT NULL,
    item_type  text COLLATE "C" NOT NULL,
    item_id    uuid        NOT NULL,
    item_part  text COLLATE "C" NOT NULL,
    version    bigint      NOT NULL,
    created_at timestamptz NOT NULL,
    created_by uuid,
    updated_at timestamptz NOT NULL,
    updated_by uuid,
    deleted_at timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX tags_assignments_once ON tags_assignments (company_id, item_id, item_type, tag_id) WHERE deleted_at IS NULL;
CREATE INDEX tags_assignments_tag ON tags_assignments (company_id, tag_id, id);

-- +goose Down
DROP TABLE tags_assignments;
DROP TABLE tags_tags;
