-- +goose Up
ALTER TABLE identity_attempts ADD COLUMN trusted_until timestamptz;

ALTER TABLE identity_tokens ADD COLUMN login boolean NOT NULL DEFAULT false;

ALTER TABLE idempotency_answers ADD COLUMN role text NOT NULL DEFAULT '';
ALTER TABLE idempotency_answers ADD COLUMN scopes text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE idempotency_answers DROP COLUMN scopes;
ALTER TABLE idempotency_answers DROP COLUMN role;

ALTER TABLE identity_tokens DROP COLUMN login;

ALTER TABLE identity_attempts DROP COLUMN trusted_until;
