package ledger

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/money"
)

// Balance is what was posted to an account in a currency.
type Balance struct {
	Account Account
	// Debits and Credits are the totals of each, both zero or more.
	Debits, Credits money.Money
	// Net is debits less credits: more than zero for a debit balance.
	Net money.Money
}

// Query selects accounts. The zero value selects all of the company.
type Query struct {
	// Codes are the accounts, up to 500; all if there are none.
	Codes []string
	// Subject is the item that the accounts are about; any for the zero value.
	Subject item.Ref
	// AsOf is the last day whose postings count; "" counts all.
	AsOf field.Date
}

// Balances returns the balances of accounts by code and currency, in one statement. Accounts to which nothing was posted by the
// day have a balance of zero; accounts that were never opened are absent.
func (l *Ledger) Balances(ctx context.Context, q Query) ([]Balance, error) {
	rows, err := l.rows.balances(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("ledger balances: %w", err)
	}
	all := make([]Balance, len(rows))
	for i, row := range rows {
		all[i] = Balance{
			Account: Account{Code: row.Code, Kind: row.Kind, Subject: ref(row.SubjectType, row.SubjectID)},
			Debits:  money.OfUnits(row.Debits, row.Currency), Credits: money.OfUnits(row.Credits, row.Currency),
			Net: money.OfUnits(row.Debits-row.Credits, row.Currency),
		}
	}

	return all, nil
}

// Balance returns debits less credits of one account as of a day, "" for all days; zero for an account that was never opened.
func (l *Ledger) Balance(ctx context.Context, code string, in money.Currency, asOf field.Date) (money.Money, error) {
	all, err := l.Balances(ctx, Query{Codes: []string{code}, AsOf: asOf})
	if err != nil {
		return money.Money{}, err
	}
	for _, b := range all {
		if b.Net.Currency == in {
			return b.Net, nil
		}
	}

	return money.OfUnits(0, in), nil
}

// sumRow is the sum of an account.
type sumRow struct {
	Code            string
	Currency        money.Currency
	Kind            Kind
	SubjectType     string
	SubjectID       *uuid.UUID
	Debits, Credits int64
}

func (r repository) balances(ctx context.Context, q Query) (rows []sumRow, err error) {
	day := field.Date("9999-12-31")
	if q.AsOf != "" {
		day = q.AsOf
	}
	tx := r.db.Dynamic(ctx).Model(&accountRow{}).
		Select("code, currency, kind, subject_type, subject_id, "+sumOf("debits")+", "+sumOf("credits"), day, day)
	if len(q.Codes) > 0 {
		tx = tx.Where("code IN ?", q.Codes)
	}
	if q.Subject.UUID != uuid.Nil {
		tx = tx.Where("subject_type = ? AND subject_id = ?", q.Subject.Type, q.Subject.UUID)
	}
	err = tx.Order("code").Order("currency").Find(&rows).Error

	return rows, database.Translate(err)
}

// sumOf sums a column of the days of an account, through a day.
func sumOf(column string) string {
	return "CAST(COALESCE((SELECT SUM(b." + column + ") FROM ledger_balances b WHERE b.company_id = ledger_accounts.company_id" +
		" AND b.account_id = ledger_accounts.id AND b.day <= ?), 0) AS bigint) AS " + column
}
