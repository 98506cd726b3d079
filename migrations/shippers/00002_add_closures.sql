-- +goose Up
-- Days on which a location is closed whatever its hours are, such as holidays.
ALTER TABLE shippers_locations ADD COLUMN closures jsonb NOT NULL DEFAULT '[]';

-- +goose Down
ALTER TABLE shippers_locations DROP COLUMN closures;
