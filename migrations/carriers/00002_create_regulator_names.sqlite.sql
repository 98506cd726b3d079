-- +goose Up
-- What carriers of the census are found by while somebody types: names from the beginning of each of their words, and dockets.
CREATE TABLE carriers_regulator_names (
    folded text NOT NULL COLLATE BINARY,
    state  text NOT NULL COLLATE BINARY,
    usdot  integer NOT NULL,
    PRIMARY KEY (folded, state, usdot)
) WITHOUT ROWID;

-- +goose Down
DROP TABLE carriers_regulator_names;
