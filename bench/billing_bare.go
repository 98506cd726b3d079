package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"
)

// billingStore is a database for a service that sells subscriptions, and the bare work of a ledger on it.
type billingStore struct {
	url string
	// insert returns how many transactions of two postings a second are inserted into the ledger's tables, while nobody else uses them.
	insert func(ctx context.Context, s *billingService, round int, d time.Duration) (float64, error)
}

func (t *trial) billingStore(ctx context.Context) (billingStore, error) {
	switch db := t.db.(type) {
	case *sqlite:
		for _, end := range []string{"", "-wal", "-shm"} {
			if err := os.Remove(db.file(billingFile) + end); err != nil && !errors.Is(err, os.ErrNotExist) {
				return billingStore{}, err
			}
		}

		return billingStore{url: "sqlite:" + db.file(billingFile), insert: db.insertPostings}, nil
	case *postgres:
		url, err := db.fresh(ctx)

		return billingStore{url: url, insert: func(ctx context.Context, s *billingService, round int, d time.Duration) (float64, error) {
			accounts, income, err := s.benchAccounts(ctx)
			if err != nil {
				return 0, err
			}
			bench := db.pgbench
			bench.url = url

			return bench.run(ctx, postingScript(s.house, accounts, income, round), publishers, d)
		}}, err
	default:
		return billingStore{}, fmt.Errorf("no ledger on a %T", t.db)
	}
}

const billingFile = "billing.db"

// benchAccounts returns the ids of the accounts that each client debits, and of the one that all credit.
func (s *billingService) benchAccounts(ctx context.Context) (accounts []string, income string, err error) {
	rows, err := s.DB.SQL().QueryContext(ctx, "SELECT CAST(id AS text), code FROM ledger_accounts WHERE code LIKE '%:bench%' ORDER BY code")
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var id, code string
		if err := rows.Scan(&id, &code); err != nil {
			return nil, "", err
		}
		if code == benchIncome {
			income = id
		} else {
			accounts = append(accounts, id)
		}
	}

	return accounts, income, rows.Err()
}

// The statements of a transaction. T, A and I stand for its id and the ids of the accounts.
func postingStatements(house uuid.UUID, day, now string) []string {
	company := "'" + house.String() + "'"
	balance := func(account, debits, credits string) string {
		return "INSERT INTO ledger_balances (company_id, account_id, day, debits, credits) VALUES (" + company + ", " + account + ", " + day + ", " +
			debits + ", " + credits + ") ON CONFLICT (company_id, account_id, day) DO UPDATE SET debits = ledger_balances.debits + excluded.debits, " +
			"credits = ledger_balances.credits + excluded.credits"
	}

	return []string{
		"INSERT INTO ledger_transactions (company_id, id, reference, kind, day, source_type, memo, posted_at) VALUES (" + company + ", {T}, {R}, 'bench', " +
			day + ", '', '', " + now + ")",
		"INSERT INTO ledger_postings (company_id, transaction_id, n, account_id, day, amount) VALUES (" + company + ", {T}, 1, {A}, " + day + ", 9900), (" +
			company + ", {T}, 2, {I}, " + day + ", -9900)",
		balance("{A}", "9900", "0"), balance("{I}", "0", "9900"),
	}
}

// postingScript is a transaction in pgbench.
func postingScript(house uuid.UUID, accounts []string, income string, round int) string {
	id := "CAST(" + pgTime + " || '-7000-8000-' || lpad(to_hex(" + pgNumber + "), 12, '0') AS uuid)"
	account := "(CAST('{" + strings.Join(accounts, ",") + "}' AS uuid[]))[CAST(:client_id AS int) + 1]"
	statements := postingStatements(house, "current_date", "now()")
	for i, s := range statements {
		statements[i] = strings.NewReplacer("{T}", id, "{A}", account, "{I}", "'"+income+"'", "{R}", fmt.Sprintf("'bare %d ' || %s", round, id)).Replace(s)
	}

	return pgRandom + pipeline(statements)
}

// insertPostings inserts in a loop on one connection, as many transactions in a commit as the product has clients.
func (s *sqlite) insertPostings(ctx context.Context, of *billingService, round int, d time.Duration) (rate float64, err error) {
	accounts, income, err := of.benchAccounts(ctx)
	if err != nil {
		return 0, err
	}
	err = s.with(ctx, billingFile, func(conn *sql.Conn) error {
		n, begin := 0, time.Now()
		day := begin.UTC().Format(time.DateOnly)
		statements := postingStatements(of.house, "'"+day+"'", "'"+begin.UTC().Format(time.RFC3339Nano)+"'")
		var prepared []*sql.Stmt
		for _, text := range statements {
			stmt, err := conn.PrepareContext(ctx, strings.NewReplacer("{T}", "?1", "{A}", "?2", "{I}", "?3", "{R}", "?4").Replace(text))
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, stmt.Close()) }()
			prepared = append(prepared, stmt)
		}
		for time.Since(begin) < d {
			if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
				return err
			}
			for client := range publishers {
				if err := insertPosting(ctx, prepared, accounts[client], income, fmt.Sprintf("bare %d %d", round, n)); err != nil {
					return err
				}
				n++
			}
			if _, err := conn.ExecContext(ctx, "COMMIT"); err != nil {
				return err
			}
		}
		rate = float64(n) / time.Since(begin).Seconds()

		return nil
	})

	return rate, err
}

// insertPosting inserts a transaction. A statement gets as many values as it has.
func insertPosting(ctx context.Context, prepared []*sql.Stmt, account, income, reference string) error {
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	for i, values := range [][]any{{id.String(), account, income, reference}, {id.String(), account, income}, {nil, account}, {nil, nil, income}} {
		if _, err := prepared[i].ExecContext(ctx, values...); err != nil {
			return err
		}
	}

	return nil
}
