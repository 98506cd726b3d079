-- +goose Up
-- What was paid of a load, and what follows from that; the team that works on it, and the equipment that suits it. Loads say what is due of them
-- from their next change on.
ALTER TABLE loads_loads ADD COLUMN payments jsonb NOT NULL DEFAULT '[]';
ALTER TABLE loads_loads ADD COLUMN billing text COLLATE "C" NOT NULL DEFAULT 'unbilled';
ALTER TABLE loads_loads ADD COLUMN payment_due_at timestamptz;
ALTER TABLE loads_loads ADD COLUMN customer_balance numeric;
ALTER TABLE loads_loads ADD COLUMN carrier_balance numeric;
ALTER TABLE loads_loads ADD COLUMN team text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE loads_loads ADD COLUMN trailer_hint text COLLATE "C";
UPDATE loads_loads SET customer_balance = tariff, carrier_balance = carrier_pay;
CREATE INDEX loads_loads_unpaid ON loads_loads (payment_due_at) WHERE billing <> 'overdue' AND payment_due_at IS NOT NULL AND deleted_at IS NULL;

-- +goose Down
DROP INDEX loads_loads_unpaid;
ALTER TABLE loads_loads DROP COLUMN trailer_hint;
ALTER TABLE loads_loads DROP COLUMN team;
ALTER TABLE loads_loads DROP COLUMN carrier_balance;
ALTER TABLE loads_loads DROP COLUMN customer_balance;
ALTER TABLE loads_loads DROP COLUMN payment_due_at;
ALTER TABLE loads_loads DROP COLUMN billing;
ALTER TABLE loads_loads DROP COLUMN payments;
