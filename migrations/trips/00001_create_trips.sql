-- +goose Up
CREATE TABLE trips_trips (
    company_id     uuid        NOT NULL REFERENCES identity_companies (id),
    id             uuid        NOT NULL,
    version        bigint      NOT NULL,
    created_at     timestamptz NOT NULL,
    created_by     uuid,
    updated_at     timestamptz NOT NULL,
    updated_by     uuid,
    deleted_at     timestamptz,
    number         text COLLATE "C" NOT NULL,
    state          text COLLATE "C" NOT NULL,
    truck_id       uuid,
    driver_id      uuid,
    co_driver_id   uuid,
    starts_from    text COLLATE "C" NOT NULL,
    legs           jsonb NOT NULL,
    cargo          jsonb NOT NULL,
    deadhead_miles bigint,
    loaded_miles   bigint,
    pay_basis      text COLLATE "C",
    pay_rate       numeric,
    pay_amount     numeric,
    currency       text COLLATE "C",
    expenses       jsonb NOT NULL,
    advances       jsonb NOT NULL,
    notes          text NOT NULL,
    started_at     timestamptz,
    completed_at   timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX trips_trips_created ON trips_trips (company_id, created_at, id);
CREATE INDEX trips_trips_truck ON trips_trips (company_id, truck_id, created_at, id);
CREATE INDEX trips_trips_driver ON trips_trips (company_id, driver_id, created_at, id);
CREATE INDEX trips_trips_co_driver ON trips_trips (company_id, co_driver_id, id) WHERE co_driver_id IS NOT NULL;

-- Which vehicles are on which trip that is not over: none is on two.
CREATE TABLE trips_vehicles (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    vehicle_id uuid NOT NULL,
    load_id    uuid NOT NULL,
    trip_id    uuid NOT NULL,
    PRIMARY KEY (company_id, vehicle_id)
);
CREATE INDEX trips_vehicles_load ON trips_vehicles (company_id, load_id);

-- +goose Down
DROP TABLE trips_vehicles;
DROP TABLE trips_trips;
