-- +goose Up
-- A seal is the place of an entry in the chain of its company, and the hash there. It comes shortly after the commit of the entry.
CREATE TABLE audit_seals (
    company_id text NOT NULL,
    seq integer NOT NULL,
    id text NOT NULL,
    hash blob NOT NULL,
    PRIMARY KEY (company_id, seq)
);
CREATE UNIQUE INDEX audit_seals_entry ON audit_seals (company_id, id);

-- The entries that wait for a seal.
CREATE TABLE audit_unsealed (
    company_id text NOT NULL,
    id text NOT NULL,
    PRIMARY KEY (company_id, id)
);

INSERT INTO audit_seals (company_id, seq, id, hash) SELECT company_id, seq, id, hash FROM audit_entries WHERE seq IS NOT NULL;
INSERT INTO audit_unsealed (company_id, id) SELECT company_id, id FROM audit_entries WHERE seq IS NULL;

DROP TRIGGER audit_entries_seal_once;
DROP INDEX audit_entries_seq;
DROP INDEX audit_entries_unsealed;
ALTER TABLE audit_entries DROP COLUMN seq;
ALTER TABLE audit_entries DROP COLUMN hash;

-- +goose StatementBegin
CREATE TRIGGER audit_entries_no_update BEFORE UPDATE ON audit_entries
BEGIN
    SELECT RAISE(ABORT, 'the audit trail is append-only');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER audit_seals_no_update BEFORE UPDATE ON audit_seals
BEGIN
    SELECT RAISE(ABORT, 'the audit trail is append-only');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER audit_seals_no_delete BEFORE DELETE ON audit_seals
BEGIN
    SELECT RAISE(ABORT, 'the audit trail is append-only');
END;
-- +goose StatementEnd

CREATE VIEW audit_trail AS
    SELECT e.company_id, e.id, s.seq, e.at, e.action, e.operation, e.item_type, e.item_id, e.item_part, e.changes,
        e.actor_kind, e.actor_id, e.token_id, e.request_id, e.address, s.hash
    FROM audit_entries AS e LEFT JOIN audit_seals AS s ON s.company_id = e.company_id AND s.id = e.id;

-- +goose Down
DROP VIEW audit_trail;
DROP TRIGGER audit_entries_no_update;
ALTER TABLE audit_entries ADD COLUMN seq integer;
ALTER TABLE audit_entries ADD COLUMN hash blob;
UPDATE audit_entries SET seq = s.seq, hash = s.hash FROM audit_seals AS s
WHERE s.company_id = audit_entries.company_id AND s.id = audit_entries.id;
CREATE UNIQUE INDEX audit_entries_seq ON audit_entries (company_id, seq) WHERE seq IS NOT NULL;
CREATE INDEX audit_entries_unsealed ON audit_entries (company_id, id) WHERE seq IS NULL;

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
DROP TABLE audit_seals;
DROP TABLE audit_unsealed;
