-- +goose Up
CREATE TABLE docks_doors (
    company_id uuid        NOT NULL REFERENCES identity_companies (id),
    id         uuid        NOT NULL,
    version    bigint      NOT NULL,
    created_at timestamptz NOT NULL,
    created_by uuid,
    updated_at timestamptz NOT NULL,
    updated_by uuid,
    deleted_at timestamptz,
    name       text COLLATE "C" NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX docks_doors_name ON docks_doors (company_id, name) WHERE deleted_at IS NULL;

-- +goose Down
DROP TABLE docks_doors;
