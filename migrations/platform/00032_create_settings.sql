-- +goose Up
-- How companies work with areas: one document for each.
CREATE TABLE settings_documents (
    company_id uuid        NOT NULL REFERENCES identity_companies (id),
    area       text COLLATE "C" NOT NULL,
    body       jsonb       NOT NULL,
    -- 0 while nobody has changed them.
    version    bigint      NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (company_id, area)
);

-- +goose Down
DROP TABLE settings_documents;
