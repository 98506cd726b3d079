-- +goose Up
-- The currency of tariff_from and tariff_below: of rules that are there already, that of the company's newest load.
ALTER TABLE loads_assignment_rules ADD COLUMN currency text NOT NULL DEFAULT 'USD';
UPDATE loads_assignment_rules SET currency = COALESCE(
    (SELECT currency FROM loads_loads WHERE loads_loads.company_id = loads_assignment_rules.company_id ORDER BY created_at DESC LIMIT 1), 'USD'
);

-- +goose Down
ALTER TABLE loads_assignment_rules DROP COLUMN currency;
