-- +goose Up
-- What carriers of the census are found by while somebody types: names from the beginning of each of their words, and dockets.
CREATE TABLE carriers_regulator_names (
    folded text COLLATE "C" NOT NULL,
    state  text COLLATE "C" NOT NULL,
    usdot  bigint NOT NULL,
    PRIMARY KEY (folded, state, usdot)
);

-- +goose Down
DROP TABLE carriers_regulator_names;
