-- +goose Up
-- What wrote a version, where it was not a request: import:<uuid>.
ALTER TABLE custom_modules_history ADD COLUMN source text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE custom_modules_history DROP COLUMN source;
