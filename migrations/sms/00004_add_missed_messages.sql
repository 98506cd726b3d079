-- +goose Up
-- Up to when an account's provider was asked for messages from outside that it could not bring; null for never.
ALTER TABLE sms_accounts ADD COLUMN fetched_at timestamptz;

-- Files of messages from outside, which are kept as attachments; null for none.
ALTER TABLE sms_messages ADD COLUMN attachment_ids jsonb;

-- +goose Down
ALTER TABLE sms_messages DROP COLUMN attachment_ids;
ALTER TABLE sms_accounts DROP COLUMN fetched_at;
