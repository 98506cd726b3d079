-- +goose Up
-- How much companies have added in a month of what plans limit by the month. The month is one of the company's time zone: 2027-06.
CREATE TABLE limit_usage (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    name text COLLATE "C" NOT NULL,
    month text COLLATE "C" NOT NULL,
    used bigint NOT NULL,
    PRIMARY KEY (company_id, name, month)
);

-- +goose Down
DROP TABLE limit_usage;
