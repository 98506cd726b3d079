-- +goose Up
-- recurs_from is the due time of the first task of a series, next_id the task that came of completing this one.
CREATE TABLE tasks_tasks (
    company_id            uuid        NOT NULL REFERENCES identity_companies (id),
    id                    uuid        NOT NULL,
    title                 text COLLATE "C" NOT NULL,
    description           text        NOT NULL,
    item_type             text COLLATE "C",
    item_id               uuid,
    item_part             text COLLATE "C" NOT NULL,
    assignee_id           uuid,
    due_at                timestamptz,
    priority              text COLLATE "C" NOT NULL,
    checklist             jsonb       NOT NULL,
    recurrence            text        NOT NULL,
    recurs_from           timestamptz,
    remind_before_minutes bigint,
    snoozed_until         timestamptz,
    state                 text COLLATE "C" NOT NULL,
    completed_at          timestamptz,
    next_id               uuid,
    version               bigint      NOT NULL,
    created_at            timestamptz NOT NULL,
    created_by            uuid,
    updated_at            timestamptz NOT NULL,
    updated_by            uuid,
    deleted_at            timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX tasks_tasks_assignee ON tasks_tasks (company_id, assignee_id, due_at, id);
CREATE INDEX tasks_tasks_due ON tasks_tasks (company_id, due_at, id);
CREATE INDEX tasks_tasks_item ON tasks_tasks (company_id, item_id, due_at, id);
CREATE INDEX tasks_tasks_next ON tasks_tasks (company_id, next_id);

-- +goose Down
DROP TABLE tasks_tasks;
