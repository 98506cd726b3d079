package carriers

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/secret"
)

// The table and the column of account numbers, which are sealed.
const (
	accountsTable = "carriers_bank_accounts"
	accountColumn = "number"
)

// accountRow is the account number of a change of a remit-to, by its id.
type accountRow struct {
	database.Tenant

	ID     uuid.UUID
	Number []byte // sealed
}

// TableName implements GORM's naming.
func (accountRow) TableName() string { return accountsTable }

// accounts keeps account numbers.
type accounts struct {
	db   *database.DB
	keys *secret.Keys
}

func newAccounts(db *database.DB, keys *secret.Keys) *accounts { return &accounts{db, keys} }

func place(ctx context.Context, id uuid.UUID) secret.Place {
	return secret.Place{Table: accountsTable, Column: accountColumn, Company: principal.CompanyOf(ctx), ID: id}
}

// keep stores the account number of a change, if there is one.
func (a *accounts) keep(ctx context.Context, id uuid.UUID, number secret.Text) error {
	if number.Reveal() == "" {
		return nil
	}
	sealed, err := a.keys.Seal(ctx, place(ctx, id), []byte(number.Reveal()))
	if err != nil {
		return err
	}

	return database.Translate(a.db.Conn(ctx).Create(&accountRow{ID: id, Number: sealed}).Error)
}

// read returns the account number of a change. Error: missing, where there is none.
func (a *accounts) read(ctx context.Context, id uuid.UUID, missing error) (secret.Text, error) {
	row, err := database.One[accountRow](a.db.Conn(ctx), missing, "id = ?", id)
	if err != nil {
		return secret.Text{}, err
	}
	number, err := a.keys.Open(ctx, place(ctx, id), row.Number)

	return secret.Hide(string(number)), err
}
