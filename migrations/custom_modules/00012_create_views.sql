-- +goose Up
-- Saved filters, sorts and columns of modules. What they name is kept by the ids of fields. owner_id is the
-- user whose view it is, null if it is everybody's.
CREATE TABLE custom_modules_views (
    company_id uuid        NOT NULL,
    id         uuid        NOT NULL,
    module_id  uuid        NOT NULL,
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
CREATE INDEX custom_modules_views_module ON custom_modules_views (company_id, module_id, id);

-- +goose Down
DROP TABLE custom_modules_views;
