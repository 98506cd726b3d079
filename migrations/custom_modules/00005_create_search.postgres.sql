-- +goose Up
-- The words of the records that have searchable fields, each word behind the mark of its module: so the
-- postings of a module's words are those of its own records, and a prefix is a range of its own words.
CREATE TABLE custom_modules_search (
    company_id uuid     NOT NULL,
    module_id  uuid     NOT NULL,
    record_id  uuid     NOT NULL,
    words      tsvector NOT NULL,
    PRIMARY KEY (company_id, record_id)
);

-- A search reads the list of what is yet to be sorted in, so it is kept short.
CREATE INDEX custom_modules_search_words ON custom_modules_search USING gin (words) WITH (gin_pending_list_limit = 1024);

-- +goose Down
DROP TABLE custom_modules_search;
