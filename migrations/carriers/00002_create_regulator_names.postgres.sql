-- +goose Up
-- What carriers of the census are found by while somebody types: names from the beginning of each of their words, and dockets. Entries
-- that begin with a control character are contacts, by which carriers are counted that share them.
CREATE TABLE carriers_regulator_names (
    folded text COLLATE "C" NOT NULL,
    state  text COLLATE "C" NOT NULL,
    usdot  bigint NOT NULL,
    PRIMARY KEY (folded, state, usdot)
);

-- The entries of a first import, until it is whole: they are sorted into the index part by part, which takes a fraction of the time.
CREATE TABLE carriers_regulator_new_names (
    part   text COLLATE "C" NOT NULL,
    folded text COLLATE "C" NOT NULL,
    state  text COLLATE "C" NOT NULL,
    usdot  bigint NOT NULL
);
CREATE INDEX carriers_regulator_new_names_part ON carriers_regulator_new_names (part);

-- +goose Down
DROP TABLE carriers_regulator_new_names;
DROP TABLE carriers_regulator_names;
