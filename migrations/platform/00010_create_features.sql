-- +goose Up
CREATE TABLE features_areas (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    area text NOT NULL,
    enabled boolean NOT NULL,
    changed_at timestamptz NOT NULL,
    changed_by_kind text NOT NULL,
    changed_by uuid,
    PRIMARY KEY (company_id, area)
);

-- +goose Down
DROP TABLE features_areas;
