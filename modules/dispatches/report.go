package dispatches

import (
	"context"
	"errors"
	"slices"

	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// reporter has loads say how the offers for them stand. It follows the offers, so that carriers who answer never wait for a load.
type reporter struct{ desk *desk }

func newReporter(d *desk) reporter { return reporter{d} }

func (r reporter) reportSent(ctx context.Context, e dispatchesapi.OfferSent) error {
	return r.report(ctx, e.Load)
}

func (r reporter) reportReactivated(ctx context.Context, e dispatchesapi.OfferReactivated) error {
	return r.report(ctx, e.Load)
}

func (r reporter) reportCountered(ctx context.Context, e dispatchesapi.OfferCountered) error {
	return r.report(ctx, e.Load)
}

func (r reporter) reportReplied(ctx context.Context, e dispatchesapi.OfferReplied) error {
	return r.report(ctx, e.Load)
}

func (r reporter) reportDeclined(ctx context.Context, e dispatchesapi.OfferDeclined) error {
	return r.report(ctx, e.Load)
}

func (r reporter) reportExpired(ctx context.Context, e dispatchesapi.OfferExpired) error {
	return r.report(ctx, e.Load)
}

func (r reporter) reportWithdrawn(ctx context.Context, e dispatchesapi.OfferWithdrawn) error {
	return r.report(ctx, e.Load)
}

// report has a load say how its offers stand now.
func (r reporter) report(ctx context.Context, load string) error {
	ctx = principal.AsCompany(ctx, principal.CompanyOf(ctx))
	err := r.desk.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := r.desk.standings.Held(ctx, load); err != nil {
			return err
		}
		states, err := r.desk.rows.OfferStates(ctx, item.ID(load))
		if err != nil {
			return err
		}

		return r.desk.coverage.Offered(ctx, load, standingOf(states))
	})
	if errors.Is(err, loadsapi.ErrNotFound) {
		return nil
	}

	return err
}

// standingOf is how offers stand in some states.
func standingOf(states []store.OfferState) loadsapi.Offers {
	switch {
	case slices.Contains(states, store.Countered):
		return loadsapi.OffersCountered
	case slices.Contains(states, store.Offered):
		return loadsapi.OffersOut
	case slices.Contains(states, store.Declined), slices.Contains(states, store.Expired):
		return loadsapi.OffersDeclined
	}

	return loadsapi.NoOffers
}
