-- +goose Up
-- Letters, as a resource.
CREATE TABLE cards_cards (
    company_id uuid        NOT NULL REFERENCES identity_companies (id),
    id         uuid        NOT NULL,
    version    bigint      NOT NULL,
    created_at timestamptz NOT NULL,
    created_by uuid,
    updated_at timestamptz NOT NULL,
    updated_by uuid,
    deleted_at timestamptz,
    name       text COLLATE "C" NOT NULL,
    body       text        NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX cards_cards_name ON cards_cards (company_id, name) WHERE deleted_at IS NULL;
CREATE INDEX cards_cards_deleted ON cards_cards (deleted_at) WHERE deleted_at IS NOT NULL;

-- +goose Down
DROP TABLE cards_cards;
