-- +goose Up
-- A record is a document, keyed by the numbers of its module's fields, and slots: typed columns that
-- the values of indexed fields are copied to. Modules and fields come and go without any DDL. There
-- are no foreign keys here: the insert reads the module itself, and this is the one busy table.
-- On SQLite, numeric slots hold text of one width that sorts as the numbers do.
CREATE TABLE custom_modules_records (
    company_id      uuid        NOT NULL,
    id              uuid        NOT NULL,
    module_id       uuid        NOT NULL,
    version         bigint      NOT NULL,
    -- The revision of the module that the document and the slots were made for.
    schema_revision bigint      NOT NULL,
    data            jsonb       NOT NULL,
    created_at      timestamptz NOT NULL,
    created_by      uuid,
    updated_at      timestamptz NOT NULL,
    updated_by      uuid,
    deleted_at      timestamptz,
    text_1          text COLLATE "C",
    text_2          text COLLATE "C",
    text_3          text COLLATE "C",
    text_4          text COLLATE "C",
    text_5          text COLLATE "C",
    text_6          text COLLATE "C",
    text_7          text COLLATE "C",
    text_8          text COLLATE "C",
    numeric_1       numeric,
    numeric_2       numeric,
    numeric_3       numeric,
    numeric_4       numeric,
    numeric_5       numeric,
    numeric_6       numeric,
    time_1          timestamp,
    time_2          timestamp,
    time_3          timestamp,
    time_4          timestamp,
    bool_1          boolean,
    bool_2          boolean,
    bool_3          boolean,
    bool_4          boolean,
    uuid_1          uuid,
    uuid_2          uuid,
    uuid_3          uuid,
    uuid_4          uuid,
    PRIMARY KEY (company_id, id)
);

CREATE INDEX custom_modules_records_list ON custom_modules_records (company_id, module_id, id);

-- What is to be removed for good, of all companies.
CREATE INDEX custom_modules_records_deleted ON custom_modules_records (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE INDEX custom_modules_records_text_1 ON custom_modules_records (company_id, module_id, text_1, id)
    WHERE text_1 IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX custom_modules_records_text_2 ON custom_modules_records (company_id, module_id, text_2, id)
    WHERE text_2 IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX custom_modules_records_text_3 ON custom_modules_records (company_id, module_id, text_3, id)
    WHERE text_3 IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX custom_modules_records_text_4 ON custom_modules_records (company_id, module_id, text_4, id)
    WHERE text_4 IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX custom_modules_records_text_5 ON custom_modules_records (company_id, module_id, text_5, id)
    WHERE text_5 IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX custom_modules_records_text_6 ON custom_modules_records (company_id, module_id, text_6, id)
    WHERE text_6 IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX custom_modules_records_text_7 ON custom_modules_records (company_id, module_id, text_7, id)
    WHERE text_7 IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX custom_modules_records_text_8 ON custom_modules_records (company_id, module_id, text_8, id)
    WHERE text_8 IS NOT NULL AND deleted_at IS NULL;

CREATE INDEX custom_modules_records_numeric_1 ON custom_modules_records (company_id, module_id, numeric_1, id)
    WHERE numeric_1 IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX custom_modules_records_numeric_2 ON custom_modules_records (company_id, module_id, numeric_2, id)
    WHERE numeric_2 IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX custom_modules_records_numeric_3 ON custom_modules_records (company_id, module_id, numeric_3, id)
    WHERE numeric_3 IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX custom_modules_records_numeric_4 ON custom_modules_records (company_id, module_id, numeric_4, id)
    WHERE numeric_4 IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX custom_modules_records_numeric_5 ON custom_modules_records (company_id, module_id, numeric_5, id)
    WHERE numeric_5 IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX custom_modules_records_numeric_6 ON custom_modules_records (company_id, module_id, numeric_6, id)
    WHERE numeric_6 IS NOT NULL AND deleted_at IS NULL;

CREATE INDEX custom_modules_records_time_1 ON custom_modules_records (company_id, module_id, time_1, id)
    WHERE time_1 IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX custom_modules_records_time_2 ON custom_modules_records (company_id, module_id, time_2, id)
    WHERE time_2 IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX custom_modules_records_time_3 ON custom_modules_records (company_id, module_id, time_3, id)
    WHERE time_3 IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX custom_modules_records_time_4 ON custom_modules_records (company_id, module_id, time_4, id)
    WHERE time_4 IS NOT NULL AND deleted_at IS NULL;

CREATE INDEX custom_modules_records_bool_1 ON custom_modules_records (company_id, module_id, bool_1, id)
    WHERE bool_1 IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX custom_modules_records_bool_2 ON custom_modules_records (company_id, module_id, bool_2, id)
    WHERE bool_2 IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX custom_modules_records_bool_3 ON custom_modules_records (company_id, module_id, bool_3, id)
    WHERE bool_3 IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX custom_modules_records_bool_4 ON custom_modules_records (company_id, module_id, bool_4, id)
    WHERE bool_4 IS NOT NULL AND deleted_at IS NULL;

CREATE INDEX custom_modules_records_uuid_1 ON custom_modules_records (company_id, module_id, uuid_1, id)
    WHERE uuid_1 IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX custom_modules_records_uuid_2 ON custom_modules_records (company_id, module_id, uuid_2, id)
    WHERE uuid_2 IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX custom_modules_records_uuid_3 ON custom_modules_records (company_id, module_id, uuid_3, id)
    WHERE uuid_3 IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX custom_modules_records_uuid_4 ON custom_modules_records (company_id, module_id, uuid_4, id)
    WHERE uuid_4 IS NOT NULL AND deleted_at IS NULL;

-- +goose Down
DROP TABLE custom_modules_records;
