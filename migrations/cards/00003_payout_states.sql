-- +goose Up
ALTER TABLE cards_payouts RENAME COLUMN paid_on TO arrives_on;
ALTER TABLE cards_payouts ADD COLUMN state text COLLATE "C" NOT NULL DEFAULT 'paid';
ALTER TABLE cards_payouts ADD COLUMN vendor_status text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE cards_payouts ADD COLUMN reason text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE cards_payouts ADD COLUMN paid_at timestamptz;
ALTER TABLE cards_payouts ADD COLUMN reported_at timestamptz;
ALTER TABLE cards_payouts ADD COLUMN payment_fees numeric;
UPDATE cards_payouts SET paid_at = created_at;
CREATE INDEX cards_payouts_open ON cards_payouts (company_id, account_id, created_at) WHERE state IN ('pending', 'in_transit');
CREATE INDEX cards_payouts_paid_at ON cards_payouts (company_id, paid_at, id);
ALTER TABLE cards_disputes ADD COLUMN vendor_status text COLLATE "C" NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE cards_disputes DROP COLUMN vendor_status;
DROP INDEX cards_payouts_paid_at;
DROP INDEX cards_payouts_open;
DELETE FROM cards_payouts WHERE state <> 'paid';
ALTER TABLE cards_payouts DROP COLUMN payment_fees;
ALTER TABLE cards_payouts DROP COLUMN reported_at;
ALTER TABLE cards_payouts DROP COLUMN paid_at;
ALTER TABLE cards_payouts DROP COLUMN reason;
ALTER TABLE cards_payouts DROP COLUMN vendor_status;
ALTER TABLE cards_payouts DROP COLUMN state;
ALTER TABLE cards_payouts RENAME COLUMN arrives_on TO paid_on;
