-- +goose Up
-- What customers sign, and what has changed since. Rows of loads_signatures never change.
CREATE TABLE loads_signatures (
    company_id uuid        NOT NULL REFERENCES identity_companies (id),
    id         uuid        NOT NULL,
    load_id    uuid        NOT NULL,
    at         timestamptz NOT NULL,
    name       text        NOT NULL,
    method     text COLLATE "C" NOT NULL,
    -- The IP address of a signature by link.
    address    text COLLATE "C" NOT NULL,
    note       text        NOT NULL,
    by_id      uuid,
    terms      jsonb       NOT NULL,
    changes    jsonb       NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX loads_signatures_load ON loads_signatures (company_id, load_id, at, id);
ALTER TABLE loads_loads ADD COLUMN signature text COLLATE "C" NOT NULL DEFAULT 'none';
ALTER TABLE loads_loads ADD COLUMN signed_at timestamptz;
ALTER TABLE loads_loads ADD COLUMN signed_by text NOT NULL DEFAULT '';
ALTER TABLE loads_loads ADD COLUMN signed_terms jsonb NOT NULL DEFAULT '[]';
ALTER TABLE loads_loads ADD COLUMN change_order jsonb NOT NULL DEFAULT '{}';
CREATE INDEX loads_loads_stale ON loads_loads (company_id, updated_at) WHERE state IN ('lead', 'quoted') AND deleted_at IS NULL;
-- The dashboard counts what is not over, from this index alone.
CREATE INDEX loads_loads_open ON loads_loads (company_id, state, held_at, pickup_from, deliver_by)
    WHERE deleted_at IS NULL AND state IN ('draft', 'lead', 'quoted', 'booked', 'ready', 'dispatched', 'picked_up', 'delivered');
-- Lists of a state are often of a lane.
CREATE INDEX loads_loads_state_and_lane ON loads_loads (company_id, state, origin_state, destination_state, created_at, id);
ALTER TABLE loads_assignment_rules ADD COLUMN source_ids jsonb NOT NULL DEFAULT '[]';

-- +goose Down
ALTER TABLE loads_assignment_rules DROP COLUMN source_ids;
DROP INDEX loads_loads_state_and_lane;
DROP INDEX loads_loads_open;
DROP INDEX loads_loads_stale;
ALTER TABLE loads_loads DROP COLUMN change_order;
ALTER TABLE loads_loads DROP COLUMN signed_terms;
ALTER TABLE loads_loads DROP COLUMN signed_by;
ALTER TABLE loads_loads DROP COLUMN signed_at;
ALTER TABLE loads_loads DROP COLUMN signature;
DROP TABLE loads_signatures;
