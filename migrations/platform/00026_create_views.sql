-- +goose Up
-- Saved filters, sorts and columns of collections. What they name is kept by the ids of fields. owner_id is the
-- user whose view it is, null if it is everybody's.
CREATE TABLE collection_views (
    company_id uuid        NOT NULL,
    id         uuid        NOT NULL,
    collection text COLLATE "C" NOT NULL,
    owner_id   uuid,
    name       text        NOT NULL,
    content    jsonb       NOT NULL,
    version    bigint      NOT NULL,
    created_at timestamptz NOT NULL,
    created_by uuid,
    updated_at timestamptz NOT NULL,
    updated_by uuid,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX collection_views_collection ON collection_views (company_id, collection, id);

-- +goose Down
DROP TABLE collection_views;
