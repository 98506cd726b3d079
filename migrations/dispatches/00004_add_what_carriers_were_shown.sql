-- +goose Up
-- What the carrier of an offer was shown last, and its key.
ALTER TABLE dispatches_offers ADD COLUMN shown jsonb NOT NULL DEFAULT '[]';
ALTER TABLE dispatches_offers ADD COLUMN shown_key text COLLATE "C" NOT NULL DEFAULT '';
-- A number that was named by a link, until a code proves it.
ALTER TABLE dispatches_offers ADD COLUMN claimed_usdot text COLLATE "C" NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE dispatches_offers DROP COLUMN claimed_usdot;
ALTER TABLE dispatches_offers DROP COLUMN shown_key;
ALTER TABLE dispatches_offers DROP COLUMN shown;
