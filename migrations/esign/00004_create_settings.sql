-- +goose Up
-- What a company has set. There is a row once something was.
CREATE TABLE esign_settings (
    company_id   uuid        NOT NULL PRIMARY KEY REFERENCES identity_companies (id),
    return_hosts jsonb       NOT NULL,
    version      bigint      NOT NULL,
    updated_at   timestamptz NOT NULL
);

-- +goose Down
DROP TABLE esign_settings;
