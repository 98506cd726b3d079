-- +goose Up
-- How many messages people without an account have sent by links of a company, by what is counted, in a window of an hour or a day. The key is a SHA-256.
CREATE TABLE share_quotas (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    key text COLLATE "C" NOT NULL,
    ends_at timestamptz NOT NULL,
    sent bigint NOT NULL,
    PRIMARY KEY (company_id, key, ends_at)
);

CREATE INDEX share_quotas_ends_at ON share_quotas (ends_at);

-- +goose Down
DROP TABLE share_quotas;
