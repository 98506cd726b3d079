-- +goose Up
CREATE TABLE database_probes (
    id integer NOT NULL PRIMARY KEY,
    probed_at timestamptz NOT NULL
);

-- +goose Down
DROP TABLE database_probes;
