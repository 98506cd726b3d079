-- +goose Up
-- Lookups are found as rollups are: by the module whose records they are made of.
DROP INDEX custom_modules_fields_rollup;
CREATE INDEX custom_modules_fields_derived ON custom_modules_fields (company_id) WHERE type IN ('rollup', 'lookup') AND deleted_at IS NULL;

-- +goose Down
DROP INDEX custom_modules_fields_derived;
CREATE INDEX custom_modules_fields_rollup ON custom_modules_fields (company_id) WHERE type = 'rollup' AND deleted_at IS NULL;
