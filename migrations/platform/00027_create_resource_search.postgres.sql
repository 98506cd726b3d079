-- +goose Up
-- +goose StatementBegin
DO $$
BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file THEN
    RAISE EXCEPTION 'searches need the extension pg_trgm in this database: %', SQLERRM
        USING HINT = 'Install the contrib package of PostgreSQL on its server, and have the owner of the database run: CREATE EXTENSION pg_trgm';
END
$$;
-- +goose StatementEnd

-- What rows of resources are found by: their searched texts as they are shown and as they are compared (database.Folded), a
-- line each, of which the first is the title.
CREATE TABLE resource_search (
    company_id uuid             NOT NULL,
    item_type  text COLLATE "C" NOT NULL,
    item_id    uuid             NOT NULL,
    -- The part of the item that the row is about.
    part       text COLLATE "C" NOT NULL,
    deleted    boolean          NOT NULL,
    shown      text             NOT NULL,
    folded     text COLLATE "C" NOT NULL,
    PRIMARY KEY (company_id, item_type, item_id)
);

-- A search reads the list of what is yet to be sorted in, so it is kept short.
CREATE INDEX resource_search_folded ON resource_search USING gin (folded gin_trgm_ops) WITH (gin_pending_list_limit = 1024);

-- +goose Down
-- The extension stays: others may use it.
DROP TABLE resource_search;
