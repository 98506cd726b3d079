-- +goose Up
-- Bodies are written once and hardly ever read: compressing them would take longer than writing them.
ALTER TABLE inbound_bodies ALTER COLUMN body SET STORAGE EXTERNAL;

-- +goose Down
ALTER TABLE inbound_bodies ALTER COLUMN body SET STORAGE EXTENDED;
