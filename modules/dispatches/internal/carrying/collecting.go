package carrying

import (
	"context"
	"time"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/loadview"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
)

// What a report of a payment is refused with.
var (
	ErrInvalidCollection = errs.New(errs.Invalid, "loads.invalid_load", "The given data was invalid.")
	ErrNotPickedUp       = errs.New(errs.Conflict, "dispatches.not_picked_up", "The vehicles were not picked up yet. Say what was paid from the pickup on.")
)

// repeatLife is for how long the same report of a payment counts as a repetition, such as a second tap.
const repeatLife = 5 * time.Minute

// Collecting takes what carriers have collected of customers.
type Collecting struct {
	loads       loadsapi.Standings
	views       loadsapi.Views
	collections loadsapi.Collections
	db          *database.DB
	clock       clock.Clock
}

// NewCollecting returns a Collecting.
func NewCollecting(loads loadsapi.Standings, views loadsapi.Views, collections loadsapi.Collections, db *database.DB, c clock.Clock) *Collecting {
	return &Collecting{loads, views, collections, db, c}
}

// Collect reports what the customer has paid to the carrier of a dispatch; "" for all that is left. The same again within five minutes is one report.
// Errors: ErrNotPickedUp, store.ErrNoLoad, ErrInvalidCollection, loadsapi.ErrNothingToCollect.
func (c *Collecting) Collect(ctx context.Context, row store.Dispatch, amount money.Amount, method string) error {
	if amount != "" && !store.IsPayable(amount, row.Currency) {
		return ErrInvalidCollection.WithField("amount", store.AmountRule)
	}

	return c.db.InTx(ctx, func(ctx context.Context) error {
		load, err := c.loads.Held(ctx, row.Load.String())
		switch {
		case err != nil:
			return err
		case !store.IsCarried(load) || load.Carrier != row.Carrier.String():
			return store.ErrNoLoad
		case load.State == loadsapi.Dispatched:
			return ErrNotPickedUp
		}
		seen, err := c.views.Carrier(ctx, load.Load)
		if err != nil {
			return err
		}
		if amount != "" && loadview.Load(seen.Load).WasReported(amount, method, c.clock.Now().Add(-repeatLife)) {
			return nil
		}

		return c.collections.Collected(ctx, load.Load, loadsapi.Collected{
			Amount: string(amount), Method: method, Note: "Reported by the carrier, dispatch " + row.Number + ".",
		})
	})
}
