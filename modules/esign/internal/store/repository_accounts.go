package store

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/vendoraccount"
)

// Store keeps the accounts, but for how their notifications are verified and up to when they are reconciled: those have
// writers of their own.
type Store = vendoraccount.Store[Account, *Account]

// NewStore returns a Store.
func NewStore(db *database.DB, c clock.Clock, keys *secret.Keys) *Store {
	return vendoraccount.New[Account](db, c, keys, vendoraccount.Rules{
		NotFound: ErrAccount, None: ErrNoAccount, Disabled: ErrDisabled, Taken: ErrTaken, Used: errAccountUsed, Invalid: ErrInvalid,
		MaxCredential: 10000, Own: []string{"external_id", "base_url"},
	})
}

// IsAccountUsed reports whether an account has envelopes, or templates that are mapped.
func (r *Repository) IsAccountUsed(ctx context.Context, id uuid.UUID) (bool, error) {
	n, err := database.Count(r.DB.Conn(ctx).Model(&Envelope{}).Where("account_id = ?", id).Limit(1))
	if err != nil || n > 0 {
		return n > 0, err
	}
	templates := r.DB.Conn(ctx).Model(&Template{}).Select("id").Where("account_id = ?", id)
	n, err = database.Count(r.DB.Conn(ctx).Model(&Mapping{}).Where("deleted_at IS NULL AND template_id IN (?)", templates).Limit(1))

	return n > 0, err
}

// DeleteOfAccount deletes the keys, clients, tokens, templates and strays of an account.
func (r *Repository) DeleteOfAccount(ctx context.Context, id uuid.UUID) error {
	for _, of := range []any{&Key{}, &Token{}, &Client{}, &Template{}, &Unmatched{}} {
		if err := r.DB.Conn(ctx).Where("account_id = ?", id).Delete(of).Error; err != nil {
			return database.Translate(err)
		}
	}

	return nil
}
