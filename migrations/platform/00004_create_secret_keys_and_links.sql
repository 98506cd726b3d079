-- +goose Up
CREATE TABLE secret_keys (
    id bigint NOT NULL PRIMARY KEY,
    created_at timestamptz NOT NULL
);

CREATE TABLE link_links (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    id uuid NOT NULL,
    purpose text NOT NULL,
    subject_type text NOT NULL,
    subject_id uuid NOT NULL,
    payload jsonb NOT NULL,
    prefix text NOT NULL,
    hash bytea NOT NULL,
    max_uses integer NOT NULL,
    uses integer NOT NULL,
    created_by uuid,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz,
    last_used_at timestamptz,
    PRIMARY KEY (company_id, id)
);

CREATE UNIQUE INDEX link_links_hash_key ON link_links (hash);

CREATE INDEX link_links_subject_idx ON link_links (company_id, purpose, subject_type, subject_id, id);

-- +goose Down
DROP TABLE link_links;
DROP TABLE secret_keys;
