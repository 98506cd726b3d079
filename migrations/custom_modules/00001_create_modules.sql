-- +goose Up
CREATE TABLE custom_modules_modules (
    company_id  uuid        NOT NULL REFERENCES identity_companies (id),
    id          uuid        NOT NULL,
    name        text        NOT NULL,
    -- What two names have in common that people take for the same.
    name_key    text        NOT NULL,
    description text        NOT NULL,
    -- The field whose value people call a record by; null for the first text of it.
    title_field uuid,
    -- Which roles may read, write, delete and define, by action; null for everybody.
    permissions jsonb,
    -- Since when records neither come nor change.
    archived_at timestamptz,
    -- One more with every change of the module or of a field of it.
    revision    bigint      NOT NULL,
    -- The number of the next field: numbers are never used again.
    next_number integer     NOT NULL,
    -- The columns of custom_modules_records that a field has had, with a space after each.
    used_slots  text        NOT NULL,
    created_at  timestamptz NOT NULL,
    created_by  uuid,
    updated_at  timestamptz NOT NULL,
    updated_by  uuid,
    deleted_at  timestamptz,
    PRIMARY KEY (company_id, id)
);

CREATE UNIQUE INDEX custom_modules_modules_name ON custom_modules_modules (company_id, name_key)
    WHERE deleted_at IS NULL;

CREATE TABLE custom_modules_fields (
    company_id uuid        NOT NULL,
    id         uuid        NOT NULL,
    module_id  uuid        NOT NULL,
    -- Names the field in the documents of records.
    number     integer     NOT NULL,
    key        text        NOT NULL,
    label      text        NOT NULL,
    type       text        NOT NULL,
    help       text        NOT NULL,
    section    text        NOT NULL,
    required   boolean     NOT NULL,
    -- Whether no two records have the same value, by custom_modules_unique.
    is_unique  boolean     NOT NULL,
    read_only  boolean     NOT NULL,
    sensitive  boolean     NOT NULL,
    -- The value of a new record that does not mention the field; null for none.
    default_value jsonb,
    -- The column of custom_modules_records that values are copied to, and from which revision on.
    slot       text,
    slot_since bigint,
    -- Whether the column has the values of all records, so that queries may go by it.
    slot_ready boolean     NOT NULL,
    -- Whether records are found by the words of the field, from which revision on they are written, and
    -- whether those of all records are.
    searchable   boolean   NOT NULL,
    search_since bigint,
    search_ready boolean   NOT NULL,
    options    jsonb       NOT NULL,
    position   integer     NOT NULL,
    version    bigint      NOT NULL,
    created_at timestamptz NOT NULL,
    created_by uuid,
    updated_at timestamptz NOT NULL,
    updated_by uuid,
    deleted_at timestamptz,
    PRIMARY KEY (company_id, id),
    FOREIGN KEY (company_id, module_id) REFERENCES custom_modules_modules (company_id, id)
);

CREATE UNIQUE INDEX custom_modules_fields_number ON custom_modules_fields (company_id, module_id, number);

CREATE UNIQUE INDEX custom_modules_fields_key ON custom_modules_fields (company_id, module_id, key)
    WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX custom_modules_fields_slot ON custom_modules_fields (company_id, module_id, slot)
    WHERE slot IS NOT NULL AND deleted_at IS NULL;

-- +goose Down
DROP TABLE custom_modules_fields;
DROP TABLE custom_modules_modules;
