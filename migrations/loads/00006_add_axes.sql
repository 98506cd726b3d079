-- +goose Up
-- How the offers for a load stand, and whether it is late. Loads on their way say so from their next change on.
ALTER TABLE loads_loads ADD COLUMN coverage text COLLATE "C" NOT NULL DEFAULT 'none';
ALTER TABLE loads_loads ADD COLUMN late text COLLATE "C" NOT NULL DEFAULT 'none';
ALTER TABLE loads_loads ADD COLUMN due_at timestamptz;
UPDATE loads_loads SET coverage = 'accepted' WHERE carrier_id IS NOT NULL AND state IN ('dispatched', 'picked_up', 'delivered', 'completed', 'archived');
UPDATE loads_loads SET due_at = deliver_by WHERE state = 'picked_up';
UPDATE loads_loads SET due_at = pickup_from WHERE state IN ('booked', 'ready', 'dispatched');
CREATE INDEX loads_loads_overdue ON loads_loads (due_at) WHERE late = 'none' AND due_at IS NOT NULL AND deleted_at IS NULL;
DROP INDEX loads_loads_open;
CREATE INDEX loads_loads_open ON loads_loads (company_id, state, coverage, held_at, due_at)
    WHERE deleted_at IS NULL AND state IN ('draft', 'lead', 'quoted', 'booked', 'ready', 'dispatched', 'picked_up', 'delivered');

-- +goose Down
DROP INDEX loads_loads_open;
CREATE INDEX loads_loads_open ON loads_loads (company_id, state, held_at, pickup_from, deliver_by)
    WHERE deleted_at IS NULL AND state IN ('draft', 'lead', 'quoted', 'booked', 'ready', 'dispatched', 'picked_up', 'delivered');
DROP INDEX loads_loads_overdue;
ALTER TABLE loads_loads DROP COLUMN due_at;
ALTER TABLE loads_loads DROP COLUMN late;
ALTER TABLE loads_loads DROP COLUMN coverage;
