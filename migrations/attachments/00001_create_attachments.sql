-- +goose Up
CREATE TABLE attachments_attachments (
    company_id uuid        NOT NULL REFERENCES identity_companies (id),
    id         uuid        NOT NULL,
    owner_type text COLLATE "C" NOT NULL,
    owner_id   uuid,
    category   text COLLATE "C" NOT NULL,
    visibility text COLLATE "C" NOT NULL,
    title      text COLLATE "C" NOT NULL,
    file_name  text COLLATE "C" NOT NULL,
    media_type text COLLATE "C" NOT NULL,
    size       bigint      NOT NULL,
    sha256     text COLLATE "C" NOT NULL,
    content    bigint      NOT NULL,
    state      text COLLATE "C" NOT NULL,
    quarantine text        NOT NULL,
    facts      jsonb,
    expires_at timestamptz,
    created_by uuid,
    upload_link_id uuid,
    version    bigint      NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    deleted_at timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX attachments_attachments_created ON attachments_attachments (company_id, created_at, id);
CREATE INDEX attachments_attachments_owner ON attachments_attachments (company_id, owner_type, owner_id, created_at, id);
CREATE INDEX attachments_attachments_category ON attachments_attachments (company_id, category, created_at, id);
CREATE INDEX attachments_attachments_sha256 ON attachments_attachments (company_id, sha256, id);
CREATE INDEX attachments_attachments_deleted ON attachments_attachments (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX attachments_attachments_expires ON attachments_attachments (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE attachments_versions (
    company_id    uuid        NOT NULL REFERENCES identity_companies (id),
    attachment_id uuid        NOT NULL,
    number        bigint      NOT NULL,
    blob_name     text COLLATE "C" NOT NULL,
    file_name     text COLLATE "C" NOT NULL,
    media_type    text COLLATE "C" NOT NULL,
    size          bigint      NOT NULL,
    sha256        text COLLATE "C" NOT NULL,
    facts         jsonb,
    created_by    uuid,
    created_at    timestamptz NOT NULL,
    PRIMARY KEY (company_id, attachment_id, number),
    UNIQUE (company_id, blob_name)
);

-- What may not be deleted, and for whose sake.
CREATE TABLE attachments_holds (
    company_id    uuid        NOT NULL REFERENCES identity_companies (id),
    attachment_id uuid        NOT NULL,
    holder_type   text COLLATE "C" NOT NULL,
    holder_id     uuid        NOT NULL,
    created_at    timestamptz NOT NULL,
    PRIMARY KEY (company_id, attachment_id, holder_type, holder_id)
);

CREATE TABLE attachments_usage (
    company_id uuid        NOT NULL PRIMARY KEY REFERENCES identity_companies (id),
    bytes      bigint      NOT NULL,
    files      bigint      NOT NULL,
    updated_at timestamptz NOT NULL
);

CREATE TABLE attachments_upload_links (
    company_id  uuid        NOT NULL REFERENCES identity_companies (id),
    id          uuid        NOT NULL,
    link_id     uuid        NOT NULL,
    prefix      text COLLATE "C" NOT NULL,
    owner_type  text COLLATE "C" NOT NULL,
    owner_id    uuid,
    category    text COLLATE "C" NOT NULL,
    visibility  text COLLATE "C" NOT NULL,
    title       text COLLATE "C" NOT NULL,
    message     text        NOT NULL,
    max_uploads bigint      NOT NULL,
    uploads     bigint      NOT NULL,
    max_size    bigint      NOT NULL,
    types       jsonb       NOT NULL,
    created_by  uuid,
    expires_at  timestamptz NOT NULL,
    revoked_at  timestamptz,
    version     bigint      NOT NULL,
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX attachments_upload_links_created ON attachments_upload_links (company_id, created_at, id);
CREATE INDEX attachments_upload_links_owner ON attachments_upload_links (company_id, owner_type, owner_id, created_at, id);

-- +goose Down
DROP TABLE attachments_upload_links;
DROP TABLE attachments_usage;
DROP TABLE attachments_holds;
DROP TABLE attachments_versions;
DROP TABLE attachments_attachments;
