-- +goose Up
ALTER TABLE loads_loads ADD COLUMN assigned_at timestamptz;
ALTER TABLE loads_loads ADD COLUMN first_contact_at timestamptz;
CREATE INDEX loads_loads_unanswered ON loads_loads (assigned_at) WHERE state = 'lead' AND first_contact_at IS NULL AND deleted_at IS NULL;

-- +goose Down
DROP INDEX loads_loads_unanswered;
ALTER TABLE loads_loads DROP COLUMN first_contact_at;
ALTER TABLE loads_loads DROP COLUMN assigned_at;
