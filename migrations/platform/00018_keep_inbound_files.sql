-- +goose Up
-- Bytes of a body that is a file, 0 for one that is in its row.
ALTER TABLE inbound_bodies ADD COLUMN file_size bigint NOT NULL DEFAULT 0;
CREATE INDEX inbound_bodies_file_idx ON inbound_bodies (company_id, id) WHERE file_size > 0;

-- +goose Down
DROP INDEX inbound_bodies_file_idx;
ALTER TABLE inbound_bodies DROP COLUMN file_size;
