-- +goose Up
-- What a company charges for, and what it is charged for.
CREATE TABLE catalog_services (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    id         uuid NOT NULL,
    version    bigint NOT NULL,
    created_at timestamptz NOT NULL,
    created_by uuid,
    updated_at timestamptz NOT NULL,
    updated_by uuid,
    deleted_at timestamptz,
    code text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    unit text COLLATE "C" NOT NULL,
    price numeric,
    cost numeric,
    currency text COLLATE "C" NOT NULL,
    taxable boolean NOT NULL,
    tax_rate numeric,
    account_code text COLLATE "C" NOT NULL,
    description text NOT NULL,
    -- What customers pay instead: a list of objects.
    price_overrides jsonb NOT NULL,
    source text COLLATE "C" NOT NULL,
    default_code text COLLATE "C",
    default_version bigint,
    state text COLLATE "C" NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX catalog_services_code ON catalog_services (company_id, code) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX catalog_services_default ON catalog_services (company_id, default_code) WHERE deleted_at IS NULL AND default_code IS NOT NULL;
CREATE INDEX catalog_services_deleted ON catalog_services (deleted_at) WHERE deleted_at IS NOT NULL;

-- +goose Down
DROP TABLE catalog_services;
