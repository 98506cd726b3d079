-- +goose Up
ALTER TABLE loads_assignment_rules ADD COLUMN origin_zip3s jsonb NOT NULL DEFAULT '[]';
ALTER TABLE loads_assignment_rules ADD COLUMN destination_zip3s jsonb NOT NULL DEFAULT '[]';
ALTER TABLE loads_assignment_rules ADD COLUMN tariff_from numeric;
ALTER TABLE loads_assignment_rules ADD COLUMN tariff_below numeric;
ALTER TABLE loads_assignment_rules ADD COLUMN hour_from bigint;
ALTER TABLE loads_assignment_rules ADD COLUMN hour_before bigint;
ALTER TABLE loads_assignment_rules ADD COLUMN weights jsonb NOT NULL DEFAULT '[]';
ALTER TABLE loads_assignment_rules ADD COLUMN max_open bigint NOT NULL DEFAULT 0;

ALTER TABLE loads_sources ADD COLUMN reply boolean NOT NULL DEFAULT FALSE;

-- +goose Down
ALTER TABLE loads_sources DROP COLUMN reply;
ALTER TABLE loads_assignment_rules DROP COLUMN max_open;
ALTER TABLE loads_assignment_rules DROP COLUMN weights;
ALTER TABLE loads_assignment_rules DROP COLUMN hour_before;
ALTER TABLE loads_assignment_rules DROP COLUMN hour_from;
ALTER TABLE loads_assignment_rules DROP COLUMN tariff_below;
ALTER TABLE loads_assignment_rules DROP COLUMN tariff_from;
ALTER TABLE loads_assignment_rules DROP COLUMN destination_zip3s;
ALTER TABLE loads_assignment_rules DROP COLUMN origin_zip3s;
