-- +goose Up
-- What has been imported of the regulator's sets. They belong to no company.
CREATE TABLE carriers_regulator_sets (
    set_name    text COLLATE "C" NOT NULL PRIMARY KEY,
    state       text COLLATE "C" NOT NULL,
    -- Of when the set is; that of the last complete import, and of the one that is under way.
    as_of       timestamptz,
    next_as_of  timestamptz,
    imported_at timestamptz,
    row_count   bigint NOT NULL,
    broken      bigint NOT NULL,
    -- Where the import that is under way goes on, and what its file begins with.
    read_offset bigint NOT NULL,
    fingerprint text COLLATE "C" NOT NULL
);

-- The census: who has a USDOT number.
CREATE TABLE carriers_regulator_carriers (
    usdot              bigint NOT NULL PRIMARY KEY,
    -- Of all values of the row: what has the same need not be written again.
    digest             bigint NOT NULL,
    legal_name         text NOT NULL,
    dba                text NOT NULL,
    physical_street    text NOT NULL,
    physical_city      text NOT NULL,
    physical_state     text COLLATE "C" NOT NULL,
    physical_zip       text COLLATE "C" NOT NULL,
    physical_country   text COLLATE "C" NOT NULL,
    mailing_street     text NOT NULL,
    mailing_city       text NOT NULL,
    mailing_state      text COLLATE "C" NOT NULL,
    mailing_zip        text COLLATE "C" NOT NULL,
    mailing_country    text COLLATE "C" NOT NULL,
    undeliverable      text COLLATE "C" NOT NULL,
    phone              text COLLATE "C" NOT NULL,
    cell_phone         text COLLATE "C" NOT NULL,
    email              text COLLATE "C" NOT NULL,
    officers           text NOT NULL,
    status             text COLLATE "C" NOT NULL,
    operation          text COLLATE "C" NOT NULL,
    classes            text COLLATE "C" NOT NULL,
    cargo              text COLLATE "C" NOT NULL,
    dockets            text COLLATE "C" NOT NULL,
    power_units        bigint,
    drivers            bigint,
    added_on           text COLLATE "C" NOT NULL,
    mcs150_on          text COLLATE "C" NOT NULL,
    safety_rating      text COLLATE "C" NOT NULL,
    safety_rated_on    text COLLATE "C" NOT NULL,
    safety_reviewed_on text COLLATE "C" NOT NULL
);

-- The rows of the other sets, each with the columns that are used, as a JSON object.
CREATE TABLE carriers_regulator_filings (
    set_name text COLLATE "C" NOT NULL,
    -- A hash of what tells the rows of the set apart.
    row_key  bigint NOT NULL,
    usdot    bigint NOT NULL,
    docket   text COLLATE "C" NOT NULL,
    digest   bigint NOT NULL,
    body     text NOT NULL,
    PRIMARY KEY (set_name, row_key)
);
CREATE INDEX carriers_regulator_filings_usdot ON carriers_regulator_filings (usdot);
CREATE INDEX carriers_regulator_filings_docket ON carriers_regulator_filings (docket, set_name);

-- The last answer of a live source about a number.
CREATE TABLE carriers_regulator_answers (
    usdot      bigint NOT NULL,
    source     text COLLATE "C" NOT NULL,
    outcome    text COLLATE "C" NOT NULL,
    body       text NOT NULL,
    -- Of when the answer is; NULL if there was none yet.
    fetched_at timestamptz,
    failed_at  timestamptz,
    why        text NOT NULL,
    PRIMARY KEY (usdot, source)
);
CREATE INDEX carriers_regulator_answers_fetched ON carriers_regulator_answers (source, fetched_at);

-- Facts as they were, a row for each time that they changed.
CREATE TABLE carriers_regulator_snapshots (
    id       uuid NOT NULL PRIMARY KEY,
    usdot    bigint NOT NULL,
    -- Which of the carrier's it is, from 1 on.
    number   bigint NOT NULL,
    taken_at timestamptz NOT NULL,
    digest   bigint NOT NULL,
    body     text NOT NULL,
    UNIQUE (usdot, number)
);

-- +goose Down
DROP TABLE carriers_regulator_snapshots;
DROP TABLE carriers_regulator_answers;
DROP TABLE carriers_regulator_filings;
DROP TABLE carriers_regulator_carriers;
DROP TABLE carriers_regulator_sets;
