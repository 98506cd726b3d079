package sms

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/vendoraccount"
)

// store keeps the accounts.
type store = vendoraccount.Store[account, *account]

func newStore(db *database.DB, c clock.Clock, keys *secret.Keys) *store {
	return vendoraccount.New[account](db, c, keys, vendoraccount.Rules{
		NotFound: errAccount, None: errNoAccount, Disabled: errDisabled, Taken: errTaken, Used: errAccountUsed, Invalid: errInvalid,
		MaxCredential: 5000, Own: []string{"endpoint_id", "last_endpoint_id", "verifies"},
	})
}

func (r *repository) hasNumbers(ctx context.Context, account uuid.UUID) (bool, error) {
	n, err := database.Count(r.db.Conn(ctx).Model(&number{}).Where("account_id = ? AND released_at IS NULL", account))

	return n > 0, err
}

// endpointOwner returns the account whose notifications arrive at an endpoint, of any company.
func (r *repository) endpointOwner(ctx context.Context, endpoint uuid.UUID) (account, error) {
	ctx = database.AcrossCompanies(ctx, "whose endpoint it is, is not known before")

	return database.One[account](r.db.Conn(ctx), errAccount, "endpoint_id = ?", endpoint)
}

// notified returns the company's account of an endpoint, also of one that was given up meanwhile.
func (r *repository) notified(ctx context.Context, endpoint uuid.UUID) (account, error) {
	return database.One[account](r.db.Conn(ctx), errAccount, "endpoint_id = ? OR last_endpoint_id = ?", endpoint, endpoint)
}
