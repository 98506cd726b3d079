-- +goose Up
-- The words of the records that have searchable fields, each word behind the mark of its module: so the
-- postings of a module's words are those of its own records, and a prefix is a range of its own words.
CREATE TABLE custom_modules_search (
    -- What the index knows the row by. VACUUM changes a rowid that has no name.
    doc        integer PRIMARY KEY,
    company_id text NOT NULL,
    module_id  text NOT NULL,
    record_id  text NOT NULL,
    words      text NOT NULL
);

CREATE UNIQUE INDEX custom_modules_search_record ON custom_modules_search (company_id, record_id);

-- The words come normalised and with spaces between them; all that is not ASCII is part of a word.
CREATE VIRTUAL TABLE custom_modules_search_words USING fts5 (
    words, content = 'custom_modules_search', content_rowid = 'doc', detail = none, columnsize = 0,
    tokenize = 'ascii'
);

-- +goose StatementBegin
CREATE TRIGGER custom_modules_search_insert AFTER INSERT ON custom_modules_search BEGIN
    INSERT INTO custom_modules_search_words (rowid, words) VALUES (new.doc, new.words);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER custom_modules_search_delete AFTER DELETE ON custom_modules_search BEGIN
    INSERT INTO custom_modules_search_words (custom_modules_search_words, rowid, words) VALUES ('delete', old.doc, old.words);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER custom_modules_search_update AFTER UPDATE ON custom_modules_search BEGIN
    INSERT INTO custom_modules_search_words (custom_modules_search_words, rowid, words) VALUES ('delete', old.doc, old.words);
    INSERT INTO custom_modules_search_words (rowid, words) VALUES (new.doc, new.words);
END;
-- +goose StatementEnd

-- +goose Down
DROP TABLE custom_modules_search_words;
DROP TABLE custom_modules_search;
