-- +goose Up
-- The day by which the customer was promised the pickup.
ALTER TABLE loads_loads ADD COLUMN pickup_promised_by date;

-- +goose Down
ALTER TABLE loads_loads DROP COLUMN pickup_promised_by;
