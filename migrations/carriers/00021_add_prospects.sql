-- +goose Up
-- Carriers that are known by their name and an address alone.
ALTER TABLE carriers_carriers ADD COLUMN prospect boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE carriers_carriers DROP COLUMN prospect;
