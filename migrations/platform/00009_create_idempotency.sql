-- +goose Up
CREATE TABLE idempotency_answers (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    fingerprint bytea NOT NULL,
    status integer NOT NULL,
    sealed boolean NOT NULL,
    answer bytea,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (company_id, id)
);

CREATE INDEX idempotency_answers_expires_at_idx ON idempotency_answers (expires_at);

-- +goose Down
DROP TABLE idempotency_answers;
