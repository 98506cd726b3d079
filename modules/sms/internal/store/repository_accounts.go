package store

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/vendoraccount"
)

// Accounts keeps the accounts.
type Accounts = vendoraccount.Store[Account, *Account]

// NewAccounts returns the store of accounts.
func NewAccounts(db *database.DB, c clock.Clock, keys *secret.Keys, log *audit.Log) *Accounts {
	return vendoraccount.New[Account](db, c, keys, vendoraccount.Rules{
		Audit: log, Item: "sms.account",
		NotFound: ErrAccount, None: ErrNoAccount, Disabled: ErrDisabled, Taken: ErrNameTaken, Used: errAccountUsed, Invalid: ErrInvalid,
		MaxCredential: 5000, Own: []string{"endpoint_id", "last_endpoint_id", "verifies"},
	})
}

// HasNumbers reports whether an account has numbers that were not released.
func (r *Repository) HasNumbers(ctx context.Context, account uuid.UUID) (bool, error) {
	n, err := database.Count(r.DB.Conn(ctx).Model(&Number{}).Where("account_id = ? AND released_at IS NULL", account))

	return n > 0, err
}

// EndpointOwner returns the account whose notifications arrive at an endpoint, of any company.
func (r *Repository) EndpointOwner(ctx context.Context, endpoint uuid.UUID) (Account, error) {
	ctx = database.AcrossCompanies(ctx, "whose endpoint it is, is not known before")

	return database.One[Account](r.DB.Conn(ctx), ErrAccount, "endpoint_id = ?", endpoint)
}

// AccountOfEndpoint returns the company's account of an endpoint, also of one that was given up meanwhile.
func (r *Repository) AccountOfEndpoint(ctx context.Context, endpoint uuid.UUID) (Account, error) {
	return database.One[Account](r.DB.Conn(ctx), ErrAccount, "endpoint_id = ? OR last_endpoint_id = ?", endpoint, endpoint)
}
