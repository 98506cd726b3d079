-- +goose Up
CREATE TABLE audit_heads (
    company_id uuid NOT NULL PRIMARY KEY,
    seq bigint NOT NULL,
    hash bytea NOT NULL
) WITH (fillfactor = 50);

-- seq and hash come with the seal, shortly after the commit.
CREATE TABLE audit_entries (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    seq bigint,
    at timestamptz NOT NULL,
    action text NOT NULL,
    operation text NOT NULL,
    item_type text NOT NULL,
    item_id uuid,
    item_part text NOT NULL,
    changes text NOT NULL,
    actor_kind text NOT NULL,
    actor_id uuid,
    token_id uuid,
    request_id text NOT NULL,
    address text NOT NULL,
    hash bytea,
    PRIMARY KEY (company_id, id)
);

CREATE UNIQUE INDEX audit_entries_seq ON audit_entries (company_id, seq) WHERE seq IS NOT NULL;
CREATE INDEX audit_entries_unsealed ON audit_entries (company_id, id) WHERE seq IS NULL;
CREATE INDEX audit_entries_item ON audit_entries (company_id, item_id, id) WHERE item_id IS NOT NULL;

-- +goose StatementBegin
CREATE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit trail is append-only';
END
$$;
-- +goose StatementEnd

CREATE TRIGGER audit_entries_seal_once BEFORE UPDATE ON audit_entries FOR EACH ROW
WHEN (OLD.seq IS NOT NULL OR NEW.seq IS NULL
    OR (OLD.company_id, OLD.id, OLD.at, OLD.action, OLD.operation, OLD.item_type, OLD.item_id, OLD.item_part, OLD.changes,
        OLD.actor_kind, OLD.actor_id, OLD.token_id, OLD.request_id, OLD.address)
    IS DISTINCT FROM
       (NEW.company_id, NEW.id, NEW.at, NEW.action, NEW.operation, NEW.item_type, NEW.item_id, NEW.item_part, NEW.changes,
        NEW.actor_kind, NEW.actor_id, NEW.token_id, NEW.request_id, NEW.address))
EXECUTE FUNCTION audit_refuse();

CREATE TRIGGER audit_entries_append_only BEFORE DELETE OR TRUNCATE ON audit_entries
FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();

CREATE TRIGGER audit_heads_append_only BEFORE DELETE OR TRUNCATE ON audit_heads
FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();

-- +goose Down
DROP TABLE audit_entries;
DROP TABLE audit_heads;
DROP FUNCTION audit_refuse();
