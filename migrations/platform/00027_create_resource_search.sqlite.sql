-- +goose Up
-- What rows of resources are found by: their searched texts as they are shown and as they are compared (database.Folded), a
-- line each, of which the first is the title.
CREATE TABLE resource_search (
    -- What the index knows the row by. VACUUM changes a rowid that has no name.
    doc        integer PRIMARY KEY,
    company_id text NOT NULL,
    item_type  text NOT NULL,
    item_id    text NOT NULL,
    -- The part of the item that the row is about.
    part       text NOT NULL,
    deleted    boolean NOT NULL,
    shown      text NOT NULL,
    folded     text NOT NULL,
    -- Three characters that all texts of the company have in the index.
    mark       text NOT NULL
);

CREATE UNIQUE INDEX resource_search_row ON resource_search (company_id, item_type, item_id);

-- The texts come folded.
CREATE VIRTUAL TABLE resource_search_grams USING fts5 (
    mark, folded, content = 'resource_search', content_rowid = 'doc', detail = none, columnsize = 0,
    tokenize = 'trigram case_sensitive 1'
);

-- +goose StatementBegin
CREATE TRIGGER resource_search_insert AFTER INSERT ON resource_search BEGIN
    INSERT INTO resource_search_grams (rowid, mark, folded) VALUES (new.doc, new.mark, new.folded);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER resource_search_delete AFTER DELETE ON resource_search BEGIN
    INSERT INTO resource_search_grams (resource_search_grams, rowid, mark, folded) VALUES ('delete', old.doc, old.mark, old.folded);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER resource_search_update AFTER UPDATE ON resource_search WHEN old.folded <> new.folded BEGIN
    INSERT INTO resource_search_grams (resource_search_grams, rowid, mark, folded) VALUES ('delete', old.doc, old.mark, old.folded);
    INSERT INTO resource_search_grams (rowid, mark, folded) VALUES (new.doc, new.mark, new.folded);
END;
-- +goose StatementEnd

-- +goose Down
DROP TABLE resource_search_grams;
DROP TABLE resource_search;
