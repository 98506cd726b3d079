-- +goose Up
-- What somebody said of a load on its way.
CREATE TABLE loads_status_updates (
    company_id uuid        NOT NULL REFERENCES identity_companies (id),
    id         uuid        NOT NULL,
    version    bigint      NOT NULL,
    created_at timestamptz NOT NULL,
    created_by uuid,
    updated_at timestamptz NOT NULL,
    updated_by uuid,
    deleted_at timestamptz,
    load_id    uuid        NOT NULL,
    kind       text COLLATE "C" NOT NULL,
    vehicle_id uuid,
    stop_id    uuid,
    said_at    timestamptz,
    words      text        NOT NULL,
    position   jsonb,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX loads_status_updates_load ON loads_status_updates (company_id, load_id, said_at, id);
CREATE INDEX loads_status_updates_said ON loads_status_updates (company_id, said_at, id);
CREATE INDEX loads_status_updates_deleted ON loads_status_updates (deleted_at) WHERE deleted_at IS NOT NULL;

-- To whom new loads go. Turn counts the loads that a rule has given in turn.
CREATE TABLE loads_assignment_rules (
    company_id         uuid        NOT NULL REFERENCES identity_companies (id),
    id                 uuid        NOT NULL,
    version            bigint      NOT NULL,
    created_at         timestamptz NOT NULL,
    created_by         uuid,
    updated_at         timestamptz NOT NULL,
    updated_by         uuid,
    deleted_at         timestamptz,
    name               text COLLATE "C" NOT NULL,
    name_key           text COLLATE "C" NOT NULL,
    position           bigint      NOT NULL,
    active             boolean     NOT NULL,
    origin_states      jsonb       NOT NULL,
    destination_states jsonb       NOT NULL,
    customer_id        uuid,
    vehicle_types      jsonb       NOT NULL,
    method             text COLLATE "C" NOT NULL,
    user_ids           jsonb       NOT NULL,
    turn               bigint      NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX loads_assignment_rules_name ON loads_assignment_rules (company_id, name_key) WHERE deleted_at IS NULL;
CREATE INDEX loads_assignment_rules_position ON loads_assignment_rules (company_id, position, id);
CREATE INDEX loads_assignment_rules_customer ON loads_assignment_rules (company_id, customer_id);
CREATE INDEX loads_assignment_rules_deleted ON loads_assignment_rules (deleted_at) WHERE deleted_at IS NOT NULL;

-- +goose Down
DROP TABLE loads_assignment_rules;
DROP TABLE loads_status_updates;
