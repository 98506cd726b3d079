-- +goose Up
-- Which merchant allowed which account of a company to charge cards, by OAuth. The tokens are with the account's credentials.
CREATE TABLE square_grants (
    company_id  uuid        NOT NULL REFERENCES identity_companies (id),
    -- That of the account.
    id          uuid        NOT NULL,
    merchant_id text COLLATE "C" NOT NULL,
    renew_at    timestamptz NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX square_grants_merchant ON square_grants (merchant_id);
CREATE INDEX square_grants_renew ON square_grants (renew_at);

-- +goose Down
DROP TABLE square_grants;
