-- +goose Up
CREATE TABLE audit_heads (
    company_id text NOT NULL PRIMARY KEY,
    seq integer NOT NULL,
    hash blob NOT NULL
);

CREATE TABLE audit_entries (
    company_id text NOT NULL,
    seq integer NOT NULL,
    at datetime NOT NULL,
    action text NOT NULL,
    operation text NOT NULL,
    item_type text NOT NULL,
    item_id text,
    changes text NOT NULL,
    actor_kind text NOT NULL,
    actor_id text,
    token_id text,
    request_id text NOT NULL,
    address text NOT NULL,
    hash blob NOT NULL,
    PRIMARY KEY (company_id, seq)
);

CREATE INDEX audit_entries_item ON audit_entries (company_id, item_id, seq) WHERE item_id IS NOT NULL;

-- +goose StatementBegin
CREATE TRIGGER audit_entries_no_update BEFORE UPDATE ON audit_entries
BEGIN
    SELECT RAISE(ABORT, 'the audit trail is append-only');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER audit_entries_no_delete BEFORE DELETE ON audit_entries
BEGIN
    SELECT RAISE(ABORT, 'the audit trail is append-only');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER audit_heads_no_delete BEFORE DELETE ON audit_heads
BEGIN
    SELECT RAISE(ABORT, 'the audit trail is append-only');
END;
-- +goose StatementEnd

-- +goose Down
DROP TABLE audit_entries;
DROP TABLE audit_heads;
