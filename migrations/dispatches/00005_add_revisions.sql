-- +goose Up
-- What the carrier has agreed to get, and whether it was written to about other terms since.
ALTER TABLE dispatches_dispatches ADD COLUMN accepted_pay numeric;
ALTER TABLE dispatches_dispatches ADD COLUMN notified_revision bigint NOT NULL DEFAULT 1;
ALTER TABLE dispatches_dispatches ADD COLUMN notified_at timestamptz;
-- What a carrier gets that drove for nothing, or a part of the way.
ALTER TABLE dispatches_dispatches ADD COLUMN end_pay numeric;
ALTER TABLE dispatches_dispatches ADD COLUMN end_pay_kind text NOT NULL DEFAULT '';
ALTER TABLE dispatches_dispatches ADD COLUMN end_paid_at timestamptz;
UPDATE dispatches_dispatches SET notified_revision = revision;
UPDATE dispatches_dispatches SET accepted_pay = carrier_pay WHERE accepted_revision = revision;

-- +goose Down
ALTER TABLE dispatches_dispatches DROP COLUMN end_pay;
ALTER TABLE dispatches_dispatches DROP COLUMN end_pay_kind;
ALTER TABLE dispatches_dispatches DROP COLUMN end_paid_at;
ALTER TABLE dispatches_dispatches DROP COLUMN accepted_pay;
ALTER TABLE dispatches_dispatches DROP COLUMN notified_revision;
ALTER TABLE dispatches_dispatches DROP COLUMN notified_at;
