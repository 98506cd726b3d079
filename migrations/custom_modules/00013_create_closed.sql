-- +goose Up
-- Modules that are gone for good and that not everybody was to read: the audit trail, and files that belonged to their
-- records, are still there.
CREATE TABLE custom_modules_closed (
    company_id  uuid  NOT NULL REFERENCES identity_companies (id),
    module_id   uuid  NOT NULL,
    permissions jsonb NOT NULL,
    PRIMARY KEY (company_id, module_id)
);

-- +goose Down
DROP TABLE custom_modules_closed;
