-- +goose Up
-- The values of indexed fields that have no slot in their records, since all of their kind are taken: a
-- row for each value of a record that is not deleted. One column of the five is filled. On SQLite, a
-- numeric_value is text of one width that sorts as the numbers do.
CREATE TABLE custom_modules_index (
    company_id    uuid NOT NULL,
    record_id     uuid NOT NULL,
    field_id      uuid NOT NULL,
    text_value    text COLLATE "C",
    numeric_value numeric,
    time_value    timestamp,
    bool_value    boolean,
    uuid_value    uuid,
    PRIMARY KEY (company_id, record_id, field_id)
);

CREATE INDEX custom_modules_index_text ON custom_modules_index (company_id, field_id, text_value, record_id)
    WHERE text_value IS NOT NULL;
CREATE INDEX custom_modules_index_numeric ON custom_modules_index (company_id, field_id, numeric_value, record_id)
    WHERE numeric_value IS NOT NULL;
CREATE INDEX custom_modules_index_time ON custom_modules_index (company_id, field_id, time_value, record_id)
    WHERE time_value IS NOT NULL;
CREATE INDEX custom_modules_index_bool ON custom_modules_index (company_id, field_id, bool_value, record_id)
    WHERE bool_value IS NOT NULL;
CREATE INDEX custom_modules_index_uuid ON custom_modules_index (company_id, field_id, uuid_value, record_id)
    WHERE uuid_value IS NOT NULL;

-- +goose Down
DROP TABLE custom_modules_index;
