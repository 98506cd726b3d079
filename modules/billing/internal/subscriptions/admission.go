package subscriptions

import (
	"cmp"
	"context"

	"github.com/dispatchd/dispatchd/modules/billing/internal/books"
	"github.com/dispatchd/dispatchd/modules/billing/internal/charging"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Admission decides which companies can subscribe.
type Admission struct {
	tables    *store.Tables
	house     *books.House
	companies *identity.Service
	wallet    *charging.Wallet
}

// NewAdmission returns an Admission.
func NewAdmission(t *store.Tables, h *books.House, companies *identity.Service, w *charging.Wallet) *Admission {
	return &Admission{tables: t, house: h, companies: companies, wallet: w}
}

// admit checks an order, and reports whether it begins with a trial: a company has one at most. It keeps others from subscribing the
// company until the transaction ends.
func (a *Admission) admit(ctx context.Context, o Order) (trial bool, err error) {
	seller, err := a.house.Seller(ctx)
	if err != nil {
		return false, err
	}
	company := principal.CompanyOf(ctx)
	if company == seller.House {
		return false, store.ErrSellerBuys
	}
	if err := a.companies.Hold(ctx, company); err != nil {
		return false, err
	}
	if open, err := a.tables.Subscriptions.Count(ctx, "ended_at IS NULL"); err != nil || open > 0 {
		return false, cmp.Or[error](err, store.ErrSubscribed)
	}
	if o.Card != "" {
		if err := a.wallet.Check(ctx, o.Card); err != nil {
			return false, err
		}
	}
	if o.SkipTrial || o.Plan.TrialDays == 0 {
		return false, nil
	}
	before, err := a.tables.Subscriptions.Count(ctx, "trial_ends_on IS NOT NULL")

	return before == 0, err
}
