-- +goose Up
CREATE TABLE tracking_positions (
    company_id uuid        NOT NULL REFERENCES identity_companies (id),
    load_id    uuid        NOT NULL,
    at         timestamptz NOT NULL,
    hour       timestamptz NOT NULL,
    lat        bigint      NOT NULL,
    lng        bigint      NOT NULL,
    accuracy_m bigint      NOT NULL,
    speed_mph  bigint      NOT NULL,
    source     text COLLATE "C" NOT NULL,
    PRIMARY KEY (company_id, load_id, at)
);
CREATE INDEX tracking_positions_old ON tracking_positions (at);

-- +goose Down
DROP TABLE tracking_positions;
