-- +goose Up
-- Which of its terms a carrier has accepted.
ALTER TABLE dispatches_dispatches ADD COLUMN accepted_revision bigint NOT NULL DEFAULT 1;

-- +goose Down
ALTER TABLE dispatches_dispatches DROP COLUMN accepted_revision;
