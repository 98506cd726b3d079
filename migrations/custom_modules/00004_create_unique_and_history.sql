-- +goose Up
-- The values of unique fields, in normal form, of the records that are there.
CREATE TABLE custom_modules_unique (
    company_id uuid NOT NULL,
    module_id  uuid NOT NULL,
    field_id   uuid NOT NULL,
    value      text COLLATE "C" NOT NULL,
    record_id  uuid NOT NULL,
    PRIMARY KEY (company_id, module_id, field_id, value)
);

CREATE INDEX custom_modules_unique_record ON custom_modules_unique (company_id, record_id);

-- What each version of a record changed, from the second on, keyed by the numbers of fields. A record
-- as of an earlier version is the present one with the later changes undone.
CREATE TABLE custom_modules_history (
    company_id uuid        NOT NULL,
    record_id  uuid        NOT NULL,
    version    bigint      NOT NULL,
    verb       text        NOT NULL,
    changes    jsonb       NOT NULL,
    at         timestamptz NOT NULL,
    actor_kind text        NOT NULL,
    actor_id   uuid,
    request_id text        NOT NULL,
    PRIMARY KEY (company_id, record_id, version)
);

-- +goose Down
DROP TABLE custom_modules_history;
DROP TABLE custom_modules_unique;
