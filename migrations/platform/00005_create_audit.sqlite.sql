-- +goose Up
CREATE TABLE audit_heads (
    company_id text NOT NULL PRIMARY KEY,
    seq integer NOT NULL,
    hash blob NOT NULL
);

-- seq and hash come with the seal, shortly after the commit.
CREATE TABLE audit_entries (
    company_id text NOT NULL,
    id text NOT NULL,
    seq integer,
    at datetime NOT NULL,
    action text NOT NULL,
    operation text NOT NULL,
    item_type text NOT NULL,
    item_id text,
    item_part text NOT NULL,
    changes text NOT NULL,
    actor_kind text NOT NULL,
    actor_id text,
    token_id text,
    request_id text NOT NULL,
    address text NOT NULL,
    hash blob,
    PRIMARY KEY (company_id, id)
);

CREATE UNIQUE INDEX audit_entries_seq ON audit_entries (company_id, seq) WHERE seq IS NOT NULL;
CREATE INDEX audit_entries_unsealed ON audit_entries (company_id, id) WHERE seq IS NULL;
CREATE INDEX audit_entries_item ON audit_entries (company_id, item_id, id) WHERE item_id IS NOT NULL;

-- +goose StatementBegin
CREATE TRIGGER audit_entries_seal_once BEFORE UPDATE ON audit_entries
WHEN OLD.seq IS NOT NULL OR NEW.seq IS NULL
    OR (OLD.company_id, OLD.id, OLD.at, OLD.action, OLD.operation, OLD.item_type, OLD.item_id, OLD.item_part, OLD.changes,
        OLD.actor_kind, OLD.actor_id, OLD.token_id, OLD.request_id, OLD.address)
    IS NOT
       (NEW.company_id, NEW.id, NEW.at, NEW.action, NEW.operation, NEW.item_type, NEW.item_id, NEW.item_part, NEW.changes,
        NEW.actor_kind, NEW.actor_id, NEW.token_id, NEW.request_id, NEW.address)
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
