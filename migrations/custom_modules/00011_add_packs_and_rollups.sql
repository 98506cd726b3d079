-- +goose Up
-- The pack that a module comes from, its key in it, and which version; null for a module of the company's own.
ALTER TABLE custom_modules_modules ADD COLUMN pack_name text;
ALTER TABLE custom_modules_modules ADD COLUMN pack_key text;
ALTER TABLE custom_modules_modules ADD COLUMN pack_version integer;
-- What that version said of the module, and which fields it made, so that what the company has changed since
-- can be told from what a later version changes.
ALTER TABLE custom_modules_modules ADD COLUMN pack_base jsonb;

-- Whether a rollup has yet to be computed for the records that were there before it.
ALTER TABLE custom_modules_fields ADD COLUMN rolling boolean NOT NULL DEFAULT false;

CREATE INDEX custom_modules_fields_rollup ON custom_modules_fields (company_id) WHERE type = 'rollup' AND deleted_at IS NULL;

-- How often the rollups of a record were computed, so that nothing is written over a value that is newer; and
-- when they were last.
ALTER TABLE custom_modules_records ADD COLUMN rolled bigint NOT NULL DEFAULT 0;
ALTER TABLE custom_modules_records ADD COLUMN rolled_at timestamptz;

-- The records whose rollups have to be computed anew, since one that refers to them by a field came, changed
-- or went. Every transaction adds rows of its own, so that none waits for another.
CREATE TABLE custom_modules_rollup_marks (
    company_id   uuid NOT NULL,
    id           uuid NOT NULL,
    record_id    uuid NOT NULL,
    reference_id uuid NOT NULL,
    PRIMARY KEY (company_id, id)
);

CREATE INDEX custom_modules_rollup_marks_record ON custom_modules_rollup_marks (company_id, record_id);

-- +goose Down
DROP TABLE custom_modules_rollup_marks;
ALTER TABLE custom_modules_records DROP COLUMN rolled_at;
ALTER TABLE custom_modules_records DROP COLUMN rolled;
DROP INDEX custom_modules_fields_rollup;
ALTER TABLE custom_modules_fields DROP COLUMN rolling;
ALTER TABLE custom_modules_modules DROP COLUMN pack_base;
ALTER TABLE custom_modules_modules DROP COLUMN pack_version;
ALTER TABLE custom_modules_modules DROP COLUMN pack_key;
ALTER TABLE custom_modules_modules DROP COLUMN pack_name;
