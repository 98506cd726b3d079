-- +goose Up
CREATE TABLE custom_modules_modules (
    company_id  uuid        NOT NULL REFERENCES identity_companies (id),
    id          uuid        NOT NULL,
    name        text        NOT NULL,
    -- What two names have in common that people take for the same.
    name_key    text        NOT NULL,
    -- One more with every change of the module or of a field of it.
    revision    bigint      NOT NULL,
    -- The number of the next field: numbers are never used again.
    next_number integer     NOT NULL,
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
    required   boolean     NOT NULL,
    -- The column of custom_modules_records that values are copied to, and from which revision on.
    slot       text,
    slot_since bigint,
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
