package dispatches

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/loadview"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/preferences"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
)

// viewer finds what the carriers of offers are shown now. It reads each load once for each carrier and amount, and the settings once.
type viewer struct {
	desk  *desk
	loads map[viewed]bidderView
	terms *preferences.Preferences
}

// bidderView is a load as a carrier sees it that may be going to have it.
type bidderView = loadsapi.Shown[loadsapi.BidderView]

type viewed struct {
	load, carrier uuid.UUID
	amount        money.Amount
}

func newViewer(d *desk) *viewer { return &viewer{desk: d, loads: map[viewed]bidderView{}} }

// seen returns the load of an offer as its carrier sees it: for the current amount, with the payments that are agreed on with it. If the load cannot be
// accepted at that amount, it is as the load has it. Error: loads.load_not_found.
func (v *viewer) seen(ctx context.Context, o store.Offer) (bidderView, error) {
	of := viewed{o.Load, o.Carrier, o.Amount}
	if read, there := v.loads[of]; there {
		return read, nil
	}
	seen, err := v.desk.views.Proposed(ctx, o.Load.String(), o.Carrier.String(), string(o.Amount))
	if errs.IsRefusal(err) && err != nil && !errors.Is(err, loadsapi.ErrNotFound) {
		seen, err = v.desk.views.Bidder(ctx, o.Load.String())
	}
	if err == nil {
		v.loads[of] = seen
	}

	return seen, err
}

// facts returns what the carrier of an offer is shown. Error: loads.load_not_found.
func (v *viewer) facts(ctx context.Context, o store.Offer) (loadview.Facts, error) {
	if v.terms == nil {
		kept, err := v.desk.settings.Read(ctx)
		if err != nil {
			return nil, err
		}
		v.terms = &kept.Now
	}
	seen, err := v.seen(ctx, o)
	if err != nil {
		return nil, err
	}

	return loadview.FactsOf(seen.JSON, o.Terms(v.terms.Terms))
}
