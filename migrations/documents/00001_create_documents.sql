-- +goose Up
CREATE TABLE documents_templates (
    company_id   uuid        NOT NULL REFERENCES identity_companies (id),
    id           uuid        NOT NULL,
    version      bigint      NOT NULL,
    created_at   timestamptz NOT NULL,
    created_by   uuid,
    updated_at   timestamptz NOT NULL,
    updated_by   uuid,
    deleted_at   timestamptz,
    kind         text COLLATE "C" NOT NULL,
    name         text        NOT NULL,
    locale       text COLLATE "C" NOT NULL,
    size         text COLLATE "C" NOT NULL,
    heading      text        NOT NULL,
    blocks       jsonb       NOT NULL,
    variables    jsonb       NOT NULL,
    state        text COLLATE "C" NOT NULL,
    edition      bigint      NOT NULL,
    replaces_id  uuid,
    is_default   boolean     NOT NULL,
    published_at timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX documents_templates_default ON documents_templates (company_id, kind, locale) WHERE deleted_at IS NULL AND is_default;
CREATE INDEX documents_templates_kind ON documents_templates (company_id, kind, id);
CREATE INDEX documents_templates_created ON documents_templates (company_id, created_at, id);

CREATE TABLE documents_documents (
    company_id       uuid        NOT NULL REFERENCES identity_companies (id),
    id               uuid        NOT NULL,
    version          bigint      NOT NULL,
    created_at       timestamptz NOT NULL,
    created_by       uuid,
    updated_at       timestamptz NOT NULL,
    updated_by       uuid,
    deleted_at       timestamptz,
    number           text COLLATE "C" NOT NULL,
    kind             text COLLATE "C" NOT NULL,
    title            text        NOT NULL,
    item_type        text COLLATE "C" NOT NULL,
    item_id          uuid        NOT NULL,
    item_part        text COLLATE "C" NOT NULL,
    about_type       text COLLATE "C" NOT NULL,
    about_id         uuid        NOT NULL,
    template_id      uuid,
    template_edition bigint      NOT NULL,
    locale           text COLLATE "C" NOT NULL,
    state            text COLLATE "C" NOT NULL,
    delivery         text COLLATE "C" NOT NULL,
    revision         bigint      NOT NULL,
    replaces_id      uuid,
    visibility       text COLLATE "C" NOT NULL,
    carrier_id       uuid,
    attachment_id    uuid,
    sha256           text COLLATE "C" NOT NULL,
    bytes            bigint      NOT NULL,
    pages            bigint      NOT NULL,
    warnings         jsonb       NOT NULL,
    parts            jsonb       NOT NULL,
    envelope_id      uuid,
    sent_at          timestamptz,
    viewed_at        timestamptz,
    signed_at        timestamptz,
    voided_at        timestamptz,
    void_reason      text        NOT NULL,
    problem          text        NOT NULL,
    problem_code     text COLLATE "C" NOT NULL,
    retain_until     timestamptz,
    snapshot         jsonb       NOT NULL,
    page_id          uuid,
    stamped_id       uuid,
    released         boolean     NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX documents_documents_revision ON documents_documents (company_id, about_id, kind, revision);
CREATE INDEX documents_documents_item ON documents_documents (company_id, item_id, created_at);
CREATE INDEX documents_documents_created ON documents_documents (company_id, created_at, id);
CREATE INDEX documents_documents_retained ON documents_documents (retain_until) WHERE NOT released;

-- +goose Down
DROP TABLE documents_documents;
DROP TABLE documents_templates;
