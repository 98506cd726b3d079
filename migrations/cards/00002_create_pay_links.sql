-- +goose Up
CREATE TABLE cards_pay_links (
    company_id uuid        NOT NULL REFERENCES identity_companies (id),
    id         uuid        NOT NULL,
    version    bigint      NOT NULL,
    created_at timestamptz NOT NULL,
    created_by uuid,
    updated_at timestamptz NOT NULL,
    updated_by uuid,
    deleted_at timestamptz,
    title      text COLLATE "C" NOT NULL,
    message    text        NOT NULL,
    account_id uuid        NOT NULL,
    owner_type text COLLATE "C",
    owner_id   uuid,
    owner_part text COLLATE "C" NOT NULL,
    amount     numeric,
    currency   text COLLATE "C",
    payment_id uuid,
    attempts   bigint      NOT NULL,
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX cards_pay_links_created ON cards_pay_links (company_id, created_at, id);
CREATE INDEX cards_pay_links_owner ON cards_pay_links (company_id, owner_type, owner_id, created_at, id);

-- +goose Down
DROP TABLE cards_pay_links;
