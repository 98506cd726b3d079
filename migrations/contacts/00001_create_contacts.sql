-- +goose Up
-- People and companies. A row that was merged into another one stays, so that what names it finds the other one.
CREATE TABLE contacts_contacts (
    company_id      uuid        NOT NULL REFERENCES identity_companies (id),
    id              uuid        NOT NULL,
    version         bigint      NOT NULL,
    created_at      timestamptz NOT NULL,
    created_by      uuid,
    updated_at      timestamptz NOT NULL,
    updated_by      uuid,
    deleted_at      timestamptz,
    kind            text COLLATE "C" NOT NULL,
    name            text COLLATE "C" NOT NULL,
    first_name      text COLLATE "C" NOT NULL,
    middle_name     text COLLATE "C" NOT NULL,
    last_name       text COLLATE "C" NOT NULL,
    suffix          text COLLATE "C" NOT NULL,
    legal_name      text COLLATE "C" NOT NULL,
    dba             text COLLATE "C" NOT NULL,
    title           text COLLATE "C" NOT NULL,
    parent_id       uuid,
    receives        jsonb       NOT NULL,
    customer        boolean     NOT NULL,
    shipper         boolean     NOT NULL,
    consignee       boolean     NOT NULL,
    bill_to         boolean     NOT NULL,
    vendor          boolean     NOT NULL,
    carrier         boolean     NOT NULL,
    email           text COLLATE "C",
    phone           text COLLATE "C",
    emails          jsonb       NOT NULL,
    phones          jsonb       NOT NULL,
    addresses       jsonb       NOT NULL,
    usdot           text COLLATE "C",
    source          text COLLATE "C" NOT NULL,
    owner_id        uuid,
    status          text COLLATE "C" NOT NULL,
    blocked_at      timestamptz,
    block_reason    text        NOT NULL,
    language        text COLLATE "C" NOT NULL,
    time_zone       text COLLATE "C" NOT NULL,
    tax_id_last4    text COLLATE "C" NOT NULL,
    tax_exempt      boolean     NOT NULL,
    exempt_until    date,
    certificate_id  uuid,
    net_days        bigint,
    credit_limit    numeric,
    credit_currency text COLLATE "C",
    credit_hold     boolean     NOT NULL,
    consents        jsonb       NOT NULL,
    merged_into_id  uuid,
    merged_at       timestamptz,
    erased_at       timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX contacts_contacts_name ON contacts_contacts (company_id, name, id);
CREATE INDEX contacts_contacts_parent ON contacts_contacts (company_id, parent_id, id) WHERE parent_id IS NOT NULL;
CREATE INDEX contacts_contacts_owner ON contacts_contacts (company_id, owner_id, id) WHERE owner_id IS NOT NULL;
CREATE INDEX contacts_contacts_certificate ON contacts_contacts (company_id, certificate_id, id) WHERE certificate_id IS NOT NULL;
CREATE INDEX contacts_contacts_merged ON contacts_contacts (company_id, merged_into_id, id) WHERE merged_into_id IS NOT NULL;
CREATE INDEX contacts_contacts_deleted ON contacts_contacts (deleted_at) WHERE deleted_at IS NOT NULL;

-- By what contacts are recognized, in the form in which it is compared.
CREATE TABLE contacts_keys (
    company_id uuid   NOT NULL REFERENCES identity_companies (id),
    kind       text COLLATE "C" NOT NULL,
    value      text COLLATE "C" NOT NULL,
    contact_id uuid   NOT NULL,
    weight     bigint NOT NULL,
    PRIMARY KEY (company_id, kind, value, contact_id)
);
CREATE INDEX contacts_keys_contact ON contacts_keys (company_id, contact_id);

-- Pairs of contacts that are not the same; the lesser id comes first.
CREATE TABLE contacts_distinct (
    company_id uuid        NOT NULL REFERENCES identity_companies (id),
    first_id   uuid        NOT NULL,
    second_id  uuid        NOT NULL,
    created_at timestamptz NOT NULL,
    created_by uuid,
    PRIMARY KEY (company_id, first_id, second_id)
);

-- What a merge moved, so that it can be undone.
CREATE TABLE contacts_merges (
    company_id  uuid        NOT NULL REFERENCES identity_companies (id),
    id          uuid        NOT NULL,
    into_id     uuid        NOT NULL,
    from_id     uuid        NOT NULL,
    moved       jsonb       NOT NULL,
    before      jsonb       NOT NULL,
    after       jsonb       NOT NULL,
    created_at  timestamptz NOT NULL,
    created_by  uuid,
    unmerged_at timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX contacts_merges_from ON contacts_merges (company_id, from_id, created_at);
CREATE INDEX contacts_merges_into ON contacts_merges (company_id, into_id, created_at);

-- +goose Down
DROP TABLE contacts_merges;
DROP TABLE contacts_distinct;
DROP TABLE contacts_keys;
DROP TABLE contacts_contacts;
