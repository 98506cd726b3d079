-- +goose Up
-- What the carrier has agreed to get, and whether it was written to about other terms since.
ALTER TABLE dispatches_dispatches ADD COLUMN accepted_pay numeric;
ALTER TABLE dispatches_dispatches ADD COLUMN notified_revision bigint NOT NULL DEFAULT 1;
ALTER TABLE dispatches_dispatches ADD COLUMN notified_at timestamptz;
UPDATE dispatches_dispatches SET notified_revision = revision;
UPDATE dispatches_dispatches SET accepted_pay = carrier_pay WHERE accepted_revision = revision;

-- +goose Down
ALTER TABLE dispatches_dispatches DROP COLUMN accepted_pay;
ALTER TABLE dispatches_dispatches DROP COLUMN notified_revision;
ALTER TABLE dispatches_dispatches DROP COLUMN notified_at;
