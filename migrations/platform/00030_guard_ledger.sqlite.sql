-- +goose Up
-- +goose StatementBegin
CREATE TRIGGER ledger_transactions_no_update BEFORE UPDATE ON ledger_transactions
BEGIN
    SELECT RAISE(ABORT, 'the ledger is append-only');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER ledger_transactions_no_delete BEFORE DELETE ON ledger_transactions
BEGIN
    SELECT RAISE(ABORT, 'the ledger is append-only');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER ledger_postings_no_update BEFORE UPDATE ON ledger_postings
BEGIN
    SELECT RAISE(ABORT, 'the ledger is append-only');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER ledger_postings_no_delete BEFORE DELETE ON ledger_postings
BEGIN
    SELECT RAISE(ABORT, 'the ledger is append-only');
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER ledger_postings_no_delete;
DROP TRIGGER ledger_postings_no_update;
DROP TRIGGER ledger_transactions_no_delete;
DROP TRIGGER ledger_transactions_no_update;
