-- +goose Up
-- Opt-outs that a company knows beside those that everybody does.
ALTER TABLE sms_settings ADD COLUMN stop_words jsonb NOT NULL DEFAULT '[]';

-- Whether somebody has decided about a message that may be an opt-out; null for all others.
ALTER TABLE sms_messages ADD COLUMN opt_out_review text COLLATE "C";
CREATE INDEX sms_messages_reviews ON sms_messages (company_id, opt_out_review, created_at, id) WHERE opt_out_review IS NOT NULL;

-- +goose Down
DROP INDEX sms_messages_reviews;
ALTER TABLE sms_messages DROP COLUMN opt_out_review;
ALTER TABLE sms_settings DROP COLUMN stop_words;
