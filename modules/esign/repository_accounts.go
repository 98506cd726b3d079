package esign

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/vendoraccount"
)

// store keeps the accounts, but for how their notifications are verified and up to when they are reconciled: those have
// writers of their own.
type store = vendoraccount.Store[account, *account]

func newStore(db *database.DB, c clock.Clock, keys *secret.Keys) *store {
	return vendoraccount.New[account](db, c, keys, vendoraccount.Rules{
		NotFound: errAccount, None: errNoAccount, Disabled: errDisabled, Taken: errTaken, Used: errAccountUsed, Invalid: errInvalid,
		MaxCredential: 10000, Own: []string{"external_id", "base_url"},
	})
}

// accountIsUsed reports whether an account has envelopes, or templates that are mapped.
func (r *repository) accountIsUsed(ctx context.Context, id uuid.UUID) (bool, error) {
	n, err := database.Count(r.db.Conn(ctx).Model(&envelope{}).Where("account_id = ?", id).Limit(1))
	if err != nil || n > 0 {
		return n > 0, err
	}
	templates := r.db.Conn(ctx).Model(&template{}).Select("id").Where("account_id = ?", id)
	n, err = database.Count(r.db.Conn(ctx).Model(&mapping{}).Where("deleted_at IS NULL AND template_id IN (?)", templates).Limit(1))

	return n > 0, err
}

// dropOfAccount deletes the keys, clients, tokens, templates and strays of an account.
func (r *repository) dropOfAccount(ctx context.Context, id uuid.UUID) error {
	for _, of := range []any{&key{}, &token{}, &client{}, &template{}, &stray{}} {
		if err := r.db.Conn(ctx).Where("account_id = ?", id).Delete(of).Error; err != nil {
			return database.Translate(err)
		}
	}

	return nil
}
