-- +goose Up
-- The references of records, so that they can be followed backwards.
CREATE TABLE custom_modules_links (
    company_id uuid NOT NULL,
    record_id  uuid NOT NULL,
    field_id   uuid NOT NULL,
    target_id  uuid NOT NULL,
    PRIMARY KEY (company_id, record_id, field_id, target_id)
);

CREATE INDEX custom_modules_links_target ON custom_modules_links (company_id, target_id, field_id, record_id);

-- +goose Down
DROP TABLE custom_modules_links;
