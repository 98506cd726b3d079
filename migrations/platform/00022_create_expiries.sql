-- +goose Up
-- Which events were raised of dates that come near: one row for each date that a field of an item had. It is raised again
-- with fewer days left alone.
CREATE TABLE resource_expiries (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    item_type text COLLATE "C" NOT NULL,
    item_id uuid NOT NULL,
    field text COLLATE "C" NOT NULL,
    expires_on date NOT NULL,
    -- The notice that was given last: 30, 14, 7 or 1 days before, 0 on the day.
    days bigint NOT NULL,
    PRIMARY KEY (company_id, item_type, item_id, field, expires_on)
);
CREATE INDEX resource_expiries_expires_on ON resource_expiries (expires_on);

-- +goose Down
DROP TABLE resource_expiries;
