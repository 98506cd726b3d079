-- +goose Up
-- The last answer of a load board about a carrier, as the company's account at the board got it.
CREATE TABLE carriers_board_answers (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    usdot      bigint NOT NULL,
    board      text COLLATE "C" NOT NULL,
    -- rows, none or unavailable, as of the regulator's sources.
    outcome    text COLLATE "C" NOT NULL,
    body       text NOT NULL,
    -- When it was answered; NULL if it was not yet.
    fetched_at timestamptz,
    failed_at  timestamptz,
    why        text NOT NULL,
    PRIMARY KEY (company_id, usdot, board)
);

-- +goose Down
DROP TABLE carriers_board_answers;
