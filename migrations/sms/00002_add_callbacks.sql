-- +goose Up
-- Where an account's notifications arrive: an id of its own, which can be changed, and the one before, at which nothing
-- is taken any more, but what was taken is still processed. Accounts of the sandbox have none.
ALTER TABLE sms_accounts ADD COLUMN endpoint_id uuid;
ALTER TABLE sms_accounts ADD COLUMN last_endpoint_id uuid;
-- Whether the credentials have a key by which notifications are verified.
ALTER TABLE sms_accounts ADD COLUMN verifies boolean NOT NULL DEFAULT false;
CREATE UNIQUE INDEX sms_accounts_endpoint ON sms_accounts (endpoint_id) WHERE endpoint_id IS NOT NULL;

-- Since when a number is known to take no messages, and why; null for those of which nothing is known.
ALTER TABLE sms_contacts ADD COLUMN bad_at timestamptz;
ALTER TABLE sms_contacts ADD COLUMN bad_reason text COLLATE "C" NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE sms_contacts DROP COLUMN bad_reason;
ALTER TABLE sms_contacts DROP COLUMN bad_at;
DROP INDEX sms_accounts_endpoint;
ALTER TABLE sms_accounts DROP COLUMN verifies;
ALTER TABLE sms_accounts DROP COLUMN last_endpoint_id;
ALTER TABLE sms_accounts DROP COLUMN endpoint_id;
