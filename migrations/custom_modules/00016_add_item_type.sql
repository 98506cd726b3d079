-- +goose Up
-- The type of the items whose own fields a module has: the records are those of an area, by their ids, and nobody sees the
-- module as such. Empty for the modules of people.
ALTER TABLE custom_modules_modules ADD COLUMN item_type text NOT NULL DEFAULT '';

CREATE UNIQUE INDEX custom_modules_modules_item_type ON custom_modules_modules (company_id, item_type) WHERE item_type <> '';

-- +goose Down
DROP INDEX custom_modules_modules_item_type;
ALTER TABLE custom_modules_modules DROP COLUMN item_type;
