-- +goose Up
-- The field whose place a field has taken, or is to take.
ALTER TABLE custom_modules_fields ADD COLUMN replaces uuid;
-- Whether it is yet to take that place: then nobody sees it, and writes fill it from the other one.
ALTER TABLE custom_modules_fields ADD COLUMN incoming boolean NOT NULL DEFAULT false;
-- What becomes of values of the other one that do not convert: refuse, clear, or default, and that default.
ALTER TABLE custom_modules_fields ADD COLUMN on_failure text NOT NULL DEFAULT '';
ALTER TABLE custom_modules_fields ADD COLUMN fallback jsonb;
-- Whether the values of a field that has become unique are yet to be compared with each other.
ALTER TABLE custom_modules_fields ADD COLUMN checking boolean NOT NULL DEFAULT false;

-- Changes of a field that concern the records which are there: planned, then applied by a job.
CREATE TABLE custom_modules_changes (
    company_id  uuid        NOT NULL,
    id          uuid        NOT NULL,
    module_id   uuid        NOT NULL,
    field_id    uuid        NOT NULL,
    kind        text        NOT NULL,
    state       text        NOT NULL,
    -- What was asked for, and what was decided about values that it breaks; null until it is.
    spec        jsonb       NOT NULL,
    decision    jsonb,
    -- What the plan found.
    report      jsonb       NOT NULL,
    -- What the fields of the module were when the plan was made.
    fingerprint text        NOT NULL,
    -- The field that is to take the other one's place.
    incoming_id uuid,
    -- The last record that was gone through, and the last that is to be; null until that is known.
    position    uuid        NOT NULL,
    until_id    uuid,
    total       bigint      NOT NULL,
    done        bigint      NOT NULL,
    changed     bigint      NOT NULL,
    failed      bigint      NOT NULL,
    -- The record at which it stopped, and why.
    stopped_at  uuid,
    problem     text        NOT NULL,
    version     bigint      NOT NULL,
    created_at  timestamptz NOT NULL,
    created_by  uuid,
    updated_at  timestamptz NOT NULL,
    updated_by  uuid,
    planned_at  timestamptz,
    PRIMARY KEY (company_id, id)
);

CREATE INDEX custom_modules_changes_module ON custom_modules_changes (company_id, module_id, id);

-- One change of a module is applied at a time.
CREATE UNIQUE INDEX custom_modules_changes_running ON custom_modules_changes (company_id, module_id)
    WHERE state = 'applying';

-- The values that a plan compares with each other.
CREATE TABLE custom_modules_change_values (
    company_id uuid NOT NULL,
    change_id  uuid NOT NULL,
    record_id  uuid NOT NULL,
    value      text COLLATE "C" NOT NULL,
    PRIMARY KEY (company_id, change_id, record_id)
);

CREATE INDEX custom_modules_change_values_value ON custom_modules_change_values (company_id, change_id, value);

-- +goose Down
DROP TABLE custom_modules_change_values;
DROP TABLE custom_modules_changes;
ALTER TABLE custom_modules_fields DROP COLUMN checking;
ALTER TABLE custom_modules_fields DROP COLUMN fallback;
ALTER TABLE custom_modules_fields DROP COLUMN on_failure;
ALTER TABLE custom_modules_fields DROP COLUMN incoming;
ALTER TABLE custom_modules_fields DROP COLUMN replaces;
