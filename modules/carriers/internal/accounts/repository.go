// Package accounts keeps the account numbers of changes of remit-tos, sealed.
package accounts

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/secret"
)

// The table and the column of encrypted account numbers.
const (
	Table  = "carriers_bank_accounts"
	Column = "number"
)

// accountRow is the account number of a change of a remit-to, under the id of the change.
type accountRow struct {
	database.Tenant

	ID     uuid.UUID
	Number []byte // sealed
}

// TableName implements GORM's naming.
func (accountRow) TableName() string { return Table }

// Accounts stores account numbers.
type Accounts struct {
	db   *database.DB
	keys *secret.Keys
}

// New returns the accounts of a database.
func New(db *database.DB, keys *secret.Keys) *Accounts { return &Accounts{db, keys} }

func place(ctx context.Context, id uuid.UUID) secret.Place {
	return secret.Place{Table: Table, Column: Column, Company: principal.CompanyOf(ctx), ID: id}
}

// Keep stores the account number of a change, if it has one.
func (a *Accounts) Keep(ctx context.Context, id uuid.UUID, number secret.Text) error {
	if number.Reveal() == "" {
		return nil
	}
	sealed, err := a.keys.Seal(ctx, place(ctx, id), []byte(number.Reveal()))
	if err != nil {
		return err
	}

	return database.Translate(a.db.Conn(ctx).Create(&accountRow{ID: id, Number: sealed}).Error)
}

// Read returns the account number of a change. Error: missing, if it has none.
func (a *Accounts) Read(ctx context.Context, id uuid.UUID, missing error) (secret.Text, error) {
	row, err := database.One[accountRow](a.db.Conn(ctx), missing, "id = ?", id)
	if err != nil {
		return secret.Text{}, err
	}
	number, err := a.keys.Open(ctx, place(ctx, id), row.Number)

	return secret.Hide(string(number)), err
}
