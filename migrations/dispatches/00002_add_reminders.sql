-- +goose Up
-- What carriers were reminded of, and what they have not done by the agreed days.
ALTER TABLE dispatches_dispatches ADD COLUMN overdue text COLLATE "C" NOT NULL DEFAULT 'none';
ALTER TABLE dispatches_dispatches ADD COLUMN reminders bigint NOT NULL DEFAULT 0;
ALTER TABLE dispatches_dispatches ADD COLUMN reminded_at timestamptz;
CREATE INDEX dispatches_dispatches_under_way ON dispatches_dispatches (delivery_date, pickup_date)
    WHERE overdue = 'none' AND deleted_at IS NULL AND state IN ('accepted', 'picked_up');

-- +goose Down
DROP INDEX dispatches_dispatches_under_way;
ALTER TABLE dispatches_dispatches DROP COLUMN reminded_at;
ALTER TABLE dispatches_dispatches DROP COLUMN reminders;
ALTER TABLE dispatches_dispatches DROP COLUMN overdue;
