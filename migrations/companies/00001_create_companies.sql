-- +goose Up
CREATE TABLE companies_brands (
    company_id uuid NOT NULL PRIMARY KEY REFERENCES identity_companies (id),
    name text NOT NULL,
    primary_color text NOT NULL,
    secondary_color text NOT NULL,
    accent_color text NOT NULL,
    logo_url text NOT NULL,
    domain text NOT NULL,
    from_address text NOT NULL,
    version bigint NOT NULL,
    updated_at timestamptz NOT NULL
);

CREATE TABLE companies_invitations (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    id uuid NOT NULL,
    email text NOT NULL,
    name text NOT NULL,
    role text NOT NULL,
    invited_by uuid,
    user_id uuid,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    accepted_at timestamptz,
    revoked_at timestamptz,
    version bigint NOT NULL,
    PRIMARY KEY (company_id, id)
);

CREATE INDEX companies_invitations_email_idx ON companies_invitations (company_id, email);

-- +goose Down
DROP TABLE companies_invitations;
DROP TABLE companies_brands;
