-- +goose Up
CREATE TABLE identity_companies (
    id uuid NOT NULL PRIMARY KEY,
    name text NOT NULL,
    suspended_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
);

CREATE TABLE identity_users (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    id uuid NOT NULL,
    name text NOT NULL,
    email text NOT NULL,
    role text NOT NULL,
    deactivated_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (company_id, id)
);

CREATE UNIQUE INDEX identity_users_company_id_email_key ON identity_users (company_id, email);

CREATE TABLE identity_tokens (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    id uuid NOT NULL,
    user_id uuid,
    name text NOT NULL,
    prefix text NOT NULL,
    hash bytea NOT NULL,
    scopes text NOT NULL,
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (company_id, id),
    FOREIGN KEY (company_id, user_id) REFERENCES identity_users (company_id, id)
);

CREATE UNIQUE INDEX identity_tokens_hash_key ON identity_tokens (hash);

CREATE TABLE identity_operator_tokens (
    id uuid NOT NULL PRIMARY KEY,
    name text NOT NULL,
    prefix text NOT NULL,
    hash bytea NOT NULL,
    scopes text NOT NULL,
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz,
    created_at timestamptz NOT NULL
);

CREATE UNIQUE INDEX identity_operator_tokens_hash_key ON identity_operator_tokens (hash);

-- +goose Down
DROP TABLE identity_operator_tokens;
DROP TABLE identity_tokens;
DROP TABLE identity_users;
DROP TABLE identity_companies;
