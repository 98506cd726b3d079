-- +goose Up
CREATE INDEX custom_modules_records_gone ON custom_modules_records (company_id, module_id, deleted_at, id)
    WHERE deleted_at IS NOT NULL;

-- +goose Down
DROP INDEX custom_modules_records_gone;
