-- +goose Up
-- What a scanner said of the newest content; '' where none was asked.
ALTER TABLE attachments_attachments ADD COLUMN scan text COLLATE "C" NOT NULL DEFAULT '';

-- Small pictures of versions that are images. A blob of its own each, made anew where it is missing.
CREATE TABLE attachments_thumbnails (
    company_id    uuid        NOT NULL REFERENCES identity_companies (id),
    attachment_id uuid        NOT NULL,
    number        bigint      NOT NULL,
    edge          bigint      NOT NULL,
    blob_name     text COLLATE "C" NOT NULL,
    media_type    text COLLATE "C" NOT NULL,
    size          bigint      NOT NULL,
    sha256        text COLLATE "C" NOT NULL,
    created_at    timestamptz NOT NULL,
    PRIMARY KEY (company_id, attachment_id, number, edge),
    UNIQUE (company_id, blob_name)
);

-- +goose Down
DROP TABLE attachments_thumbnails;
ALTER TABLE attachments_attachments DROP COLUMN scan;
