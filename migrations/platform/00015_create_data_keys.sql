-- +goose Up
CREATE TABLE secret_data_keys (
    id bigint NOT NULL PRIMARY KEY,
    created_at timestamptz NOT NULL,
    primary_from timestamptz NOT NULL
);

CREATE TABLE secret_wraps (
    data_key_id bigint NOT NULL REFERENCES secret_data_keys (id) ON DELETE CASCADE,
    master_key_id bigint NOT NULL,
    wrapped bytea NOT NULL,
    PRIMARY KEY (data_key_id, master_key_id)
);

CREATE TABLE secret_columns (
    table_name text NOT NULL,
    column_name text NOT NULL,
    PRIMARY KEY (table_name, column_name)
);

-- +goose Down
DROP TABLE secret_columns;
DROP TABLE secret_wraps;
DROP TABLE secret_data_keys;
