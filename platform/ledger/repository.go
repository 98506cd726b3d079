package ledger

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
)

// repository reads and writes the ledger of the caller's company.
type repository struct{ db *database.DB }

// shareBook returns the day through which the book is closed, "" for none, and keeps it from being closed further until the
// transaction ends.
func (r repository) shareBook(ctx context.Context, now time.Time) (field.Date, error) {
	return r.book(ctx, clause.LockingStrengthShare, now)
}

// holdBook is shareBook for those who close or reopen a period: postings wait until the transaction ends.
func (r repository) holdBook(ctx context.Context, now time.Time) (field.Date, error) {
	return r.book(ctx, clause.LockingStrengthUpdate, now)
}

func (r repository) book(ctx context.Context, strength string, now time.Time) (field.Date, error) {
	locked := func() (*bookRow, error) {
		return database.IfAny[bookRow](r.db.Conn(ctx).Clauses(clause.Locking{Strength: strength}), "TRUE")
	}
	row, err := locked()
	if err != nil || row != nil {
		return closedThrough(row), err
	}
	// The company's first posting opens the book. Someone else may do so at the same time.
	err = r.db.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&bookRow{UpdatedAt: now}).Error
	if err != nil {
		return "", database.Translate(err)
	}
	row, err = locked()

	return closedThrough(row), err
}

func closedThrough(row *bookRow) field.Date {
	if row == nil {
		return ""
	}

	return row.ClosedThrough
}

// closeBook sets the day through which a held book is closed, "" for none.
func (r repository) closeBook(ctx context.Context, through field.Date, now time.Time) error {
	return database.Translate(r.db.Conn(ctx).Model(&bookRow{}).Where("TRUE").
		UpdateColumns(map[string]any{"closed_through": through, "updated_at": now}).Error)
}

// accountKey identifies an account within a company.
type accountKey struct {
	code     string
	currency money.Currency
}

func (l line) key() accountKey { return accountKey{l.account.Code, l.currency} }

// open returns the ids of the accounts of some lines, and opens those that are new. Errors: ledger.account_conflict.
func (r repository) open(ctx context.Context, lines []line, now time.Time) (map[accountKey]uuid.UUID, error) {
	wanted := make(map[accountKey]Account, len(lines))
	for _, l := range lines {
		if other, twice := wanted[l.key()]; twice && other != l.account {
			return nil, ErrAccountConflict.WithDetail("account", l.account.Code)
		}
		wanted[l.key()] = l.account
	}
	known, err := r.accounts(ctx, wanted)
	if err != nil || len(known) == len(wanted) {
		return known, err
	}
	missing := make([]accountRow, 0, len(wanted))
	for key, account := range wanted {
		if _, there := known[key]; !there {
			missing = append(missing, accountRow{
				ID: database.NewID(), Code: key.code, Currency: key.currency, Kind: account.Kind,
				SubjectType: account.Subject.Type, SubjectID: idOf(account.Subject), CreatedAt: now,
			})
		}
	}
	// In one order for everyone, so that two who open the same accounts wait for each other rather than deadlock.
	slices.SortFunc(missing, func(a, b accountRow) int { return compareKeys(a, b) })
	if err := r.db.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&missing).Error; err != nil {
		return nil, database.Translate(err)
	}

	return r.accounts(ctx, wanted)
}

func compareKeys(a, b accountRow) int {
	return slices.Compare([]string{a.Code, string(a.Currency)}, []string{b.Code, string(b.Currency)})
}

// accounts returns the ids of those accounts that are open.
func (r repository) accounts(ctx context.Context, wanted map[accountKey]Account) (map[accountKey]uuid.UUID, error) {
	codes := make([]string, 0, len(wanted))
	for key := range wanted {
		codes = append(codes, key.code)
	}
	slices.Sort(codes)
	rows, err := database.All[accountRow](r.db.Conn(ctx).Where("code IN ?", slices.Compact(codes)))
	if err != nil {
		return nil, err
	}
	ids := make(map[accountKey]uuid.UUID, len(rows))
	for _, row := range rows {
		key := accountKey{row.Code, row.Currency}
		account, asked := wanted[key]
		switch {
		case !asked:
		case account != row.account():
			return nil, ErrAccountConflict.WithDetail("account", row.Code)
		default:
			ids[key] = row.ID
		}
	}

	return ids, nil
}

// add stores a transaction with its postings, and false if its reference is taken: then it stores nothing.
func (r repository) add(ctx context.Context, row transactionRow, lines []line, accounts map[accountKey]uuid.UUID) (bool, error) {
	tx := r.db.Conn(ctx).Clauses(clause.OnConflict{
		Columns: []clause.Column{{Name: "company_id"}, {Name: "reference"}}, DoNothing: true,
	}).Create(&row)
	if tx.Error != nil || tx.RowsAffected == 0 {
		return false, database.DuplicateAs(tx.Error, ErrAlreadyReversed)
	}
	postings, days := make([]postingRow, len(lines)), map[uuid.UUID]balanceRow{}
	for i, l := range lines {
		id := accounts[l.key()]
		postings[i] = postingRow{TransactionID: row.ID, N: i + 1, AccountID: id, Day: row.Day, Amount: l.units}
		day := days[id]
		day.AccountID, day.Day = id, row.Day
		day.Debits += max(l.units, 0)
		day.Credits += max(-l.units, 0)
		days[id] = day
	}
	if err := r.db.Conn(ctx).Create(&postings).Error; err != nil {
		return false, database.Translate(err)
	}
	balances := slices.SortedFunc(maps.Values(days), func(a, b balanceRow) int { return bytes.Compare(a.AccountID[:], b.AccountID[:]) })
	err := r.db.Conn(ctx).Clauses(clause.OnConflict{
		Columns: []clause.Column{{Name: "company_id"}, {Name: "account_id"}, {Name: "day"}},
		DoUpdates: clause.Assignments(map[string]any{
			"debits":  gorm.Expr("ledger_balances.debits + excluded.debits"),
			"credits": gorm.Expr("ledger_balances.credits + excluded.credits"),
		}),
		Where: database.SameCompany("ledger_balances"),
	}).Create(&balances).Error

	return err == nil, database.Translate(err)
}

// transaction returns a transaction, nil if there is none.
func (r repository) transaction(ctx context.Context, where string, args ...any) (*transactionRow, error) {
	return database.IfAny[transactionRow](r.db.Conn(ctx), where, args...)
}

// reversalOf returns the id of the reversal of a transaction; uuid.Nil if it was not reversed.
func (r repository) reversalOf(ctx context.Context, id uuid.UUID) (uuid.UUID, error) {
	row, err := r.transaction(ctx, "reverses_id = ?", id)
	if err != nil || row == nil {
		return uuid.Nil, err
	}

	return row.ID, nil
}

// lines returns the postings of a transaction in their order.
func (r repository) lines(ctx context.Context, id uuid.UUID) ([]line, error) {
	rows, err := database.All[postingRow](r.db.Conn(ctx).Where("transaction_id = ?", id).Order("n"))
	if err != nil {
		return nil, err
	}
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.AccountID
	}
	accounts, err := database.All[accountRow](r.db.Conn(ctx).Where("id IN ?", ids))
	if err != nil {
		return nil, err
	}
	byID := make(map[uuid.UUID]accountRow, len(accounts))
	for _, a := range accounts {
		byID[a.ID] = a
	}
	lines := make([]line, len(rows))
	for i, row := range rows {
		a := byID[row.AccountID]
		lines[i] = line{account: a.account(), currency: a.Currency, units: row.Amount}
	}

	return lines, nil
}

// peekBook returns the company's book, nil if it has none yet.
func (r repository) peekBook(ctx context.Context) (*bookRow, error) {
	return database.IfAny[bookRow](r.db.Conn(ctx), "TRUE")
}
