-- +goose Up
-- fee is the part of the vendor's fee that is posted; excess is what was paid beyond the invoice. Held says that a renewal waits until the
-- company is no longer suspended, uncollected that the invoice of its period is not charged yet.
ALTER TABLE billing_payments ADD COLUMN fee numeric;
ALTER TABLE billing_payments ADD COLUMN excess numeric;
ALTER TABLE billing_subscriptions ADD COLUMN held boolean NOT NULL DEFAULT false;
ALTER TABLE billing_subscriptions ADD COLUMN uncollected boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE billing_subscriptions DROP COLUMN uncollected;
ALTER TABLE billing_subscriptions DROP COLUMN held;
ALTER TABLE billing_payments DROP COLUMN excess;
ALTER TABLE billing_payments DROP COLUMN fee;
