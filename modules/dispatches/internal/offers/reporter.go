package offers

import (
	"context"
	"errors"
	"slices"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Reporter has loads say how the offers for them stand. It follows the offers, so that carriers who answer never wait for a load.
type Reporter struct {
	standings loadsapi.Standings
	coverage  loadsapi.Coverage
	rows      *store.Repository
	db        *database.DB
}

// NewReporter returns a Reporter.
func NewReporter(standings loadsapi.Standings, coverage loadsapi.Coverage, rows *store.Repository, db *database.DB) *Reporter {
	return &Reporter{standings, coverage, rows, db}
}

// Report has a load say how its offers stand now.
func (r *Reporter) Report(ctx context.Context, load string) error {
	ctx = principal.AsCompany(ctx, principal.CompanyOf(ctx))
	err := r.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := r.standings.Held(ctx, load); err != nil {
			return err
		}
		states, err := r.rows.OfferStates(ctx, item.ID(load))
		if err != nil {
			return err
		}

		return r.coverage.Offered(ctx, load, standingOf(states))
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
