-- +goose Up
-- What carriers of the census are found by while somebody types: names from the beginning of each of their words, and dockets. Entries
-- that begin with a control character are contacts, by which carriers are counted that share them.
CREATE TABLE carriers_regulator_names (
    folded text NOT NULL COLLATE BINARY,
    state  text NOT NULL COLLATE BINARY,
    usdot  integer NOT NULL,
    PRIMARY KEY (folded, state, usdot)
) WITHOUT ROWID;

-- The entries of a first import, until it is whole: they are sorted into the index part by part, which takes a fraction of the time.
CREATE TABLE carriers_regulator_new_names (
    part   text NOT NULL COLLATE BINARY,
    folded text NOT NULL COLLATE BINARY,
    state  text NOT NULL COLLATE BINARY,
    usdot  integer NOT NULL
);
CREATE INDEX carriers_regulator_new_names_part ON carriers_regulator_new_names (part);

-- +goose Down
DROP TABLE carriers_regulator_new_names;
DROP TABLE carriers_regulator_names;
