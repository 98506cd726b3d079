-- +goose Up
-- By which fields the rows of a resource are found, and how far a change of that has come.
CREATE TABLE resource_search_states (
    item_type text COLLATE "C" NOT NULL PRIMARY KEY,
    fields text COLLATE "C" NOT NULL,
    -- The row that was put into the index last; none of them is behind it when the index is complete.
    after_company uuid NOT NULL,
    after_id uuid NOT NULL,
    complete boolean NOT NULL
);

-- +goose Down
DROP TABLE resource_search_states;
