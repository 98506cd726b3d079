-- +goose Up
-- The part of the owner's class, such as the module of a record: who may not know of that does not see the file.
ALTER TABLE attachments_attachments ADD COLUMN owner_part text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE attachments_upload_links ADD COLUMN owner_part text COLLATE "C" NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE attachments_upload_links DROP COLUMN owner_part;
ALTER TABLE attachments_attachments DROP COLUMN owner_part;
