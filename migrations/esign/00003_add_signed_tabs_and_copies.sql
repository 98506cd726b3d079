-- +goose Up
-- What each recipient has signed, null until it is known.
ALTER TABLE esign_recipients ADD COLUMN signed_tabs jsonb;

-- The envelope whose id another one at the vendor carries too.
ALTER TABLE esign_envelopes ADD COLUMN copy_of uuid;

-- +goose Down
ALTER TABLE esign_envelopes DROP COLUMN copy_of;
ALTER TABLE esign_recipients DROP COLUMN signed_tabs;
