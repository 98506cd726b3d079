-- +goose Up
CREATE TABLE docks_doors (
    company_id uuid        NOT NULL REFERENCES identity_companies (id),
    id         uuid        NOT NULL,
    name       text COLLATE "C" NOT NULL,
    version    bigint      NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX docks_doors_name ON docks_doors (company_id, name, id);

-- +goose Down
DROP TABLE docks_doors;
