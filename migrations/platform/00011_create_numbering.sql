-- +goose Up
-- A series of numbers of a company: its template, and the counter of the numbers that it gives now,
-- which begin with prefix and end with suffix. Whoever takes a number locks this row.
CREATE TABLE numbering_series (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    series text NOT NULL,
    template text NOT NULL,
    prefix text NOT NULL,
    suffix text NOT NULL,
    -- The last number that was given, 0 if none, and the most digits that the template asked for.
    last bigint NOT NULL,
    width integer NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (company_id, series)
);

-- The counters of a series that are not the present one: of years that are over, and of templates
-- that were changed. They go on from where they were when their time comes again, and no template
-- is taken that could give one of their numbers a second time.
CREATE TABLE numbering_counters (
    company_id uuid NOT NULL,
    series text NOT NULL,
    prefix text NOT NULL,
    suffix text NOT NULL,
    last bigint NOT NULL,
    width integer NOT NULL,
    PRIMARY KEY (company_id, series, prefix, suffix),
    FOREIGN KEY (company_id, series) REFERENCES numbering_series (company_id, series)
);

-- +goose Down
DROP TABLE numbering_counters;
DROP TABLE numbering_series;
