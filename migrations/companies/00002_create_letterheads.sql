-- +goose Up
ALTER TABLE companies_brands ADD COLUMN logo_blob text NOT NULL DEFAULT '';
ALTER TABLE companies_brands ADD COLUMN logo_sha256 text NOT NULL DEFAULT '';
ALTER TABLE companies_brands ADD COLUMN logo_size bigint NOT NULL DEFAULT 0;
ALTER TABLE companies_brands ADD COLUMN logo_width bigint NOT NULL DEFAULT 0;
ALTER TABLE companies_brands ADD COLUMN logo_height bigint NOT NULL DEFAULT 0;

CREATE TABLE companies_letterheads (
    company_id uuid NOT NULL PRIMARY KEY REFERENCES identity_companies (id),
    legal_name text NOT NULL,
    address text NOT NULL,
    phone text NOT NULL,
    email text NOT NULL,
    website text NOT NULL,
    tax_id text NOT NULL,
    usdot text NOT NULL,
    docket text NOT NULL,
    remit_text text NOT NULL,
    footer text NOT NULL,
    version bigint NOT NULL,
    updated_at timestamptz NOT NULL
);

-- +goose Down
DROP TABLE companies_letterheads;
ALTER TABLE companies_brands DROP COLUMN logo_height;
ALTER TABLE companies_brands DROP COLUMN logo_width;
ALTER TABLE companies_brands DROP COLUMN logo_size;
ALTER TABLE companies_brands DROP COLUMN logo_sha256;
ALTER TABLE companies_brands DROP COLUMN logo_blob;
