-- +goose Up
-- Boxes, a resource for fixtures.
CREATE TABLE certify_boxes (
    company_id uuid        NOT NULL REFERENCES identity_companies (id),
    id         uuid        NOT NULL,
    version    bigint      NOT NULL,
    created_at timestamptz NOT NULL,
    created_by uuid,
    updated_at timestamptz NOT NULL,
    updated_by uuid,
    deleted_at timestamptz,
    name       text COLLATE "C" NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX certify_boxes_name ON certify_boxes (company_id, name) WHERE deleted_at IS NULL;
CREATE INDEX certify_boxes_deleted ON certify_boxes (deleted_at) WHERE deleted_at IS NOT NULL;

-- +goose Down
DROP TABLE certify_boxes;
