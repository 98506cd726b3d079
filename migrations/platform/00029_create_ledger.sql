-- +goose Up
-- The book of a company: whoever posts shares its row, whoever closes a period holds it.
CREATE TABLE ledger_books (
    company_id     uuid NOT NULL PRIMARY KEY REFERENCES identity_companies (id),
    closed_through date,
    updated_at     timestamptz NOT NULL
);

CREATE TABLE ledger_accounts (
    company_id   uuid NOT NULL REFERENCES identity_companies (id),
    id           uuid NOT NULL,
    code         text COLLATE "C" NOT NULL,
    currency     text COLLATE "C" NOT NULL,
    kind         text COLLATE "C" NOT NULL,
    subject_type text COLLATE "C" NOT NULL,
    subject_id   uuid,
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX ledger_accounts_code ON ledger_accounts (company_id, code, currency);
CREATE INDEX ledger_accounts_subject ON ledger_accounts (company_id, subject_id, id) WHERE subject_id IS NOT NULL;

CREATE TABLE ledger_transactions (
    company_id  uuid NOT NULL REFERENCES identity_companies (id),
    id          uuid NOT NULL,
    reference   text COLLATE "C" NOT NULL,
    kind        text COLLATE "C" NOT NULL,
    day         date NOT NULL,
    source_type text COLLATE "C" NOT NULL,
    source_id   uuid,
    reverses_id uuid,
    memo        text NOT NULL,
    posted_at   timestamptz NOT NULL,
    posted_by   uuid,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX ledger_transactions_reference ON ledger_transactions (company_id, reference);
CREATE UNIQUE INDEX ledger_transactions_reverses ON ledger_transactions (company_id, reverses_id) WHERE reverses_id IS NOT NULL;
CREATE INDEX ledger_transactions_source ON ledger_transactions (company_id, source_id, id) WHERE source_id IS NOT NULL;

-- Amounts are in the smallest unit of the account's currency: a debit is more than 0, a credit less.
CREATE TABLE ledger_postings (
    company_id     uuid NOT NULL,
    transaction_id uuid NOT NULL,
    n              bigint NOT NULL,
    account_id     uuid NOT NULL,
    day            date NOT NULL,
    amount         bigint NOT NULL CHECK (amount <> 0),
    PRIMARY KEY (company_id, transaction_id, n),
    FOREIGN KEY (company_id, transaction_id) REFERENCES ledger_transactions (company_id, id),
    FOREIGN KEY (company_id, account_id) REFERENCES ledger_accounts (company_id, id)
);
CREATE INDEX ledger_postings_account ON ledger_postings (company_id, account_id, day, transaction_id, n);

-- What was posted to an account on a day.
CREATE TABLE ledger_balances (
    company_id uuid NOT NULL,
    account_id uuid NOT NULL,
    day        date NOT NULL,
    debits     bigint NOT NULL CHECK (debits >= 0),
    credits    bigint NOT NULL CHECK (credits >= 0),
    PRIMARY KEY (company_id, account_id, day),
    FOREIGN KEY (company_id, account_id) REFERENCES ledger_accounts (company_id, id)
);

-- +goose Down
DROP TABLE ledger_balances;
DROP TABLE ledger_postings;
DROP TABLE ledger_transactions;
DROP TABLE ledger_accounts;
DROP TABLE ledger_books;
