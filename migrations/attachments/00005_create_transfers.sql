-- +goose Up
-- Files that arrive bit by bit (tus).
CREATE TABLE attachments_transfers (
    company_id    uuid        NOT NULL REFERENCES identity_companies (id),
    id            uuid        NOT NULL,
    upload_link_id uuid,
    owner_type    text COLLATE "C" NOT NULL,
    owner_id      uuid,
    category      text COLLATE "C" NOT NULL,
    visibility    text COLLATE "C" NOT NULL,
    title         text COLLATE "C" NOT NULL,
    file_name     text COLLATE "C" NOT NULL,
    file_expires_at timestamptz,
    sha256        text COLLATE "C" NOT NULL,
    metadata      text COLLATE "C" NOT NULL,
    length        bigint      NOT NULL,
    received      bigint      NOT NULL,
    parts         bigint      NOT NULL,
    attachment_id uuid,
    claimed_until timestamptz,
    created_by    uuid,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    expires_at    timestamptz NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX attachments_transfers_expires ON attachments_transfers (expires_at);
CREATE INDEX attachments_transfers_link ON attachments_transfers (company_id, upload_link_id);

-- What has arrived of them, each a blob.
CREATE TABLE attachments_parts (
    company_id  uuid        NOT NULL REFERENCES identity_companies (id),
    transfer_id uuid        NOT NULL,
    start       bigint      NOT NULL,
    size        bigint      NOT NULL,
    blob_name   text COLLATE "C" NOT NULL,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (company_id, transfer_id, start),
    UNIQUE (company_id, blob_name)
);

-- Who sends a link, in words for whoever has it.
ALTER TABLE attachments_upload_links ADD COLUMN brand text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE attachments_upload_links DROP COLUMN brand;
DROP TABLE attachments_parts;
DROP TABLE attachments_transfers;
