-- +goose Up
CREATE TABLE audit_heads (
    company_id uuid NOT NULL PRIMARY KEY,
    seq bigint NOT NULL,
    hash bytea NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE audit_entries (
    company_id uuid NOT NULL,
    seq bigint NOT NULL,
    at timestamptz NOT NULL,
    action text NOT NULL,
    operation text NOT NULL,
    item_type text NOT NULL,
    item_id uuid,
    changes text NOT NULL,
    actor_kind text NOT NULL,
    actor_id uuid,
    token_id uuid,
    request_id text NOT NULL,
    address text NOT NULL,
    hash bytea NOT NULL,
    PRIMARY KEY (company_id, seq)
);

CREATE INDEX audit_entries_item ON audit_entries (company_id, item_id, seq) WHERE item_id IS NOT NULL;

-- +goose StatementBegin
CREATE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit trail is append-only';
END
$$;
-- +goose StatementEnd

CREATE TRIGGER audit_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries
FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();

CREATE TRIGGER audit_heads_append_only BEFORE DELETE OR TRUNCATE ON audit_heads
FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();

-- +goose Down
DROP TABLE audit_entries;
DROP TABLE audit_heads;
DROP FUNCTION audit_refuse();
