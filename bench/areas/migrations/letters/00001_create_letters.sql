-- +goose Up
-- Letters, by hand.
CREATE TABLE letters_letters (
    company_id uuid        NOT NULL REFERENCES identity_companies (id),
    id         uuid        NOT NULL,
    name       text COLLATE "C" NOT NULL,
    body       text        NOT NULL,
    version    bigint      NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    deleted_at timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX letters_letters_name ON letters_letters (company_id, name) WHERE deleted_at IS NULL;

-- +goose Down
DROP TABLE letters_letters;
