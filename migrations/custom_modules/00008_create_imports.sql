-- +goose Up
-- An import of a file into a module: its columns and where they go, how far it is, and who has it done.
CREATE TABLE custom_modules_imports (
    company_id uuid        NOT NULL,
    id         uuid        NOT NULL,
    module_id  uuid        NOT NULL,
    whole      boolean     NOT NULL,
    file_name  text        NOT NULL,
    state      text COLLATE "C" NOT NULL,
    encoding   text        NOT NULL,
    delimiter  text        NOT NULL,
    header     text        NOT NULL,
    mapping    text        NOT NULL,
    samples    text        NOT NULL,
    mode       text        NOT NULL,
    match_by   text        NOT NULL,
    keep_empty boolean     NOT NULL,
    bytes      bigint      NOT NULL,
    rows       bigint      NOT NULL,
    chunks     integer     NOT NULL,
    next       integer     NOT NULL,
    undo_next  integer     NOT NULL,
    tally      text        NOT NULL,
    trial      text,
    trial_next integer     NOT NULL,
    problem    text        NOT NULL,
    actor      text        NOT NULL,
    runner     uuid        NOT NULL,
    claims     integer     NOT NULL,
    beat       timestamptz NOT NULL,
    version    bigint      NOT NULL,
    created_at timestamptz NOT NULL,
    created_by uuid,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (company_id, id)
);

CREATE INDEX custom_modules_imports_module ON custom_modules_imports (company_id, module_id, id);
CREATE INDEX custom_modules_imports_work ON custom_modules_imports (beat) WHERE state IN ('checking', 'running', 'undoing');
CREATE INDEX custom_modules_imports_age ON custom_modules_imports (updated_at);

-- The file in parts of whole rows, each with what became of them.
CREATE TABLE custom_modules_import_chunks (
    company_id   uuid    NOT NULL,
    import_id    uuid    NOT NULL,
    seq          integer NOT NULL,
    first_row    bigint  NOT NULL,
    rows         text    NOT NULL,
    outcomes     text,
    trials       text,
    failed       integer NOT NULL,
    trial_failed integer NOT NULL,
    kept         integer NOT NULL,
    PRIMARY KEY (company_id, import_id, seq)
);

-- The unique values that a dry run has seen, as hashes, and in which row first.
CREATE TABLE custom_modules_import_keys (
    company_id uuid   NOT NULL,
    import_id  uuid   NOT NULL,
    hash       text COLLATE "C" NOT NULL,
    first_row  bigint NOT NULL,
    PRIMARY KEY (company_id, import_id, hash)
);

-- What wrote a version, where it was not a request: import:<uuid>.
ALTER TABLE custom_modules_history ADD COLUMN source text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE custom_modules_history DROP COLUMN source;
DROP TABLE custom_modules_import_keys;
DROP TABLE custom_modules_import_chunks;
DROP TABLE custom_modules_imports;
