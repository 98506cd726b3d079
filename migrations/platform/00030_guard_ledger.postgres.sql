-- +goose Up
-- +goose StatementBegin
CREATE FUNCTION ledger_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the ledger is append-only';
END
$$;
-- +goose StatementEnd
CREATE TRIGGER ledger_transactions_append_only BEFORE UPDATE OR DELETE ON ledger_transactions
    FOR EACH ROW EXECUTE FUNCTION ledger_append_only();
CREATE TRIGGER ledger_postings_append_only BEFORE UPDATE OR DELETE ON ledger_postings
    FOR EACH ROW EXECUTE FUNCTION ledger_append_only();

-- At the commit, the postings of a transaction add up to zero in each currency.
-- +goose StatementBegin
CREATE FUNCTION ledger_balanced() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM ledger_postings p JOIN ledger_accounts a ON a.company_id = p.company_id AND a.id = p.account_id
        WHERE p.company_id = NEW.company_id AND p.transaction_id = NEW.id
        GROUP BY a.currency HAVING sum(p.amount) <> 0
    ) OR NOT EXISTS (SELECT FROM ledger_postings p WHERE p.company_id = NEW.company_id AND p.transaction_id = NEW.id) THEN
        RAISE EXCEPTION 'the postings of ledger transaction % do not add up to zero', NEW.id;
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE CONSTRAINT TRIGGER ledger_transactions_balanced AFTER INSERT ON ledger_transactions
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ledger_balanced();

-- +goose Down
DROP TRIGGER ledger_transactions_balanced ON ledger_transactions;
DROP TRIGGER ledger_postings_append_only ON ledger_postings;
DROP TRIGGER ledger_transactions_append_only ON ledger_transactions;
DROP FUNCTION ledger_balanced;
DROP FUNCTION ledger_append_only;
