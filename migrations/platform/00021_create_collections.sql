-- +goose Up
-- An import of a file into a collection: its columns and where they go, how far it is, and who has it done.
CREATE TABLE collection_imports (
    company_id uuid        NOT NULL,
    id         uuid        NOT NULL,
    area       text        NOT NULL,
    collection text COLLATE "C" NOT NULL,
    part       text        NOT NULL,
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

CREATE INDEX collection_imports_collection ON collection_imports (company_id, collection, id);
CREATE INDEX collection_imports_work ON collection_imports (beat) WHERE state IN ('checking', 'running', 'undoing');
CREATE INDEX collection_imports_age ON collection_imports (updated_at);

-- The file in parts of whole rows, each with what became of them.
CREATE TABLE collection_import_chunks (
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
CREATE TABLE collection_import_keys (
    company_id uuid   NOT NULL,
    import_id  uuid   NOT NULL,
    hash       text COLLATE "C" NOT NULL,
    first_row  bigint NOT NULL,
    PRIMARY KEY (company_id, import_id, hash)
);

-- +goose Down
DROP TABLE collection_import_keys;
DROP TABLE collection_import_chunks;
DROP TABLE collection_imports;
