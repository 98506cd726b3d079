-- +goose Up
-- The whole text of a message with a secret in it, such as a code, encrypted; body is without the secret. NULL for all others.
ALTER TABLE sms_messages ADD COLUMN sealed_body bytea;

-- +goose Down
ALTER TABLE sms_messages DROP COLUMN sealed_body;
