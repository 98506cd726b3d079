-- +goose Up
-- What a file is; how the cells of each column are read, and what was seen in them; and how many rows of a part have a cell that was left out.
ALTER TABLE collection_imports ADD COLUMN rules text NOT NULL DEFAULT '[]';
ALTER TABLE collection_imports ADD COLUMN seen text NOT NULL DEFAULT '[]';
ALTER TABLE collection_imports ADD COLUMN format text NOT NULL DEFAULT 'csv';
UPDATE collection_imports SET format = 'jsonl' WHERE delimiter = '';
ALTER TABLE collection_import_chunks ADD COLUMN noted integer NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE collection_import_chunks DROP COLUMN noted;
ALTER TABLE collection_imports DROP COLUMN format;
ALTER TABLE collection_imports DROP COLUMN seen;
ALTER TABLE collection_imports DROP COLUMN rules;
