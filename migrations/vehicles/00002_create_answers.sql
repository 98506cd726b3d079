-- +goose Up
-- The details of VIN patterns that vPIC's public API returned for a company, or failed to return.
CREATE TABLE vehicles_answers (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    -- A VIN without its check digit and serial number.
    pattern    text COLLATE "C" NOT NULL,
    facts      jsonb NOT NULL,
    fetched_at timestamptz,
    failed_at  timestamptz,
    asked_at   timestamptz NOT NULL,
    PRIMARY KEY (company_id, pattern)
);
CREATE INDEX vehicles_answers_asked ON vehicles_answers (asked_at);

-- +goose Down
DROP TABLE vehicles_answers;
