package ledger

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
)

// bookRow is a row of ledger_books.
type bookRow struct {
	database.Tenant

	ClosedThrough field.Date
	UpdatedAt     time.Time
}

// TableName implements GORM's naming.
func (bookRow) TableName() string { return "ledger_books" }

// accountRow is a row of ledger_accounts.
type accountRow struct {
	database.Tenant

	ID          uuid.UUID `gorm:"primaryKey"`
	Code        string
	Currency    money.Currency
	Kind        Kind
	SubjectType string
	SubjectID   *uuid.UUID
	CreatedAt   time.Time
}

// TableName implements GORM's naming.
func (accountRow) TableName() string { return "ledger_accounts" }

func (r accountRow) account() Account {
	return Account{Code: r.Code, Kind: r.Kind, Subject: ref(r.SubjectType, r.SubjectID)}
}

// transactionRow is a row of ledger_transactions.
type transactionRow struct {
	database.Tenant

	ID         uuid.UUID `gorm:"primaryKey"`
	Reference  string
	Kind       string
	Day        field.Date
	SourceType string
	SourceID   *uuid.UUID
	ReversesID *uuid.UUID
	Memo       string
	PostedAt   time.Time
	PostedBy   *uuid.UUID
}

// TableName implements GORM's naming.
func (transactionRow) TableName() string { return "ledger_transactions" }

// postingRow is a row of ledger_postings.
type postingRow struct {
	database.Tenant

	TransactionID uuid.UUID `gorm:"primaryKey"`
	N             int       `gorm:"primaryKey"`
	AccountID     uuid.UUID
	Day           field.Date
	Amount        int64
}

// TableName implements GORM's naming.
func (postingRow) TableName() string { return "ledger_postings" }

// balanceRow is a row of ledger_balances.
type balanceRow struct {
	database.Tenant

	AccountID uuid.UUID  `gorm:"primaryKey"`
	Day       field.Date `gorm:"primaryKey"`
	Debits    int64
	Credits   int64
}

// TableName implements GORM's naming.
func (balanceRow) TableName() string { return "ledger_balances" }
