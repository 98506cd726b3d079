-- +goose Up
ALTER TABLE identity_companies ADD COLUMN legal_name text NOT NULL DEFAULT '';
ALTER TABLE identity_companies ADD COLUMN dba text NOT NULL DEFAULT '';
ALTER TABLE identity_companies ADD COLUMN usdot_number text NOT NULL DEFAULT '';
ALTER TABLE identity_companies ADD COLUMN mc_number text NOT NULL DEFAULT '';
ALTER TABLE identity_companies ADD COLUMN street text NOT NULL DEFAULT '';
ALTER TABLE identity_companies ADD COLUMN city text NOT NULL DEFAULT '';
ALTER TABLE identity_companies ADD COLUMN state text NOT NULL DEFAULT '';
ALTER TABLE identity_companies ADD COLUMN postal_code text NOT NULL DEFAULT '';
ALTER TABLE identity_companies ADD COLUMN country text NOT NULL DEFAULT '';
ALTER TABLE identity_companies ADD COLUMN time_zone text NOT NULL DEFAULT 'UTC';
ALTER TABLE identity_companies ADD COLUMN currency text NOT NULL DEFAULT 'USD';
ALTER TABLE identity_companies ADD COLUMN version bigint NOT NULL DEFAULT 1;

ALTER TABLE identity_users ADD COLUMN password_hash text NOT NULL DEFAULT '';
ALTER TABLE identity_users ADD COLUMN last_login_at timestamptz;
ALTER TABLE identity_users ADD COLUMN version bigint NOT NULL DEFAULT 1;

CREATE INDEX identity_users_email_idx ON identity_users (email);

CREATE INDEX identity_tokens_user_idx ON identity_tokens (company_id, user_id);

CREATE TABLE identity_roles (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    id uuid NOT NULL,
    name text NOT NULL,
    title text NOT NULL,
    scopes text NOT NULL,
    version bigint NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (company_id, id)
);

CREATE UNIQUE INDEX identity_roles_company_id_name_key ON identity_roles (company_id, name);

CREATE TABLE identity_attempts (
    account bytea NOT NULL PRIMARY KEY,
    failures bigint NOT NULL,
    locked_until timestamptz,
    last_at timestamptz NOT NULL
);

CREATE INDEX identity_attempts_last_idx ON identity_attempts (last_at);

-- +goose Down
DROP TABLE identity_attempts;
DROP TABLE identity_roles;
DROP INDEX identity_tokens_user_idx;
DROP INDEX identity_users_email_idx;
ALTER TABLE identity_users DROP COLUMN version;
ALTER TABLE identity_users DROP COLUMN last_login_at;
ALTER TABLE identity_users DROP COLUMN password_hash;
ALTER TABLE identity_companies DROP COLUMN version;
ALTER TABLE identity_companies DROP COLUMN currency;
ALTER TABLE identity_companies DROP COLUMN time_zone;
ALTER TABLE identity_companies DROP COLUMN country;
ALTER TABLE identity_companies DROP COLUMN postal_code;
ALTER TABLE identity_companies DROP COLUMN state;
ALTER TABLE identity_companies DROP COLUMN city;
ALTER TABLE identity_companies DROP COLUMN street;
ALTER TABLE identity_companies DROP COLUMN mc_number;
ALTER TABLE identity_companies DROP COLUMN usdot_number;
ALTER TABLE identity_companies DROP COLUMN dba;
ALTER TABLE identity_companies DROP COLUMN legal_name;
