package offers

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Holder holds offers with their loads, for decisions about both.
type Holder struct {
	offers *resource.Resource[store.Offer]
	loads  loadsapi.Standings
	db     *database.DB
	clock  clock.Clock
}

// NewHolder returns a Holder.
func NewHolder(offers *resource.Resource[store.Offer], loads loadsapi.Standings, db *database.DB, c clock.Clock) *Holder {
	return &Holder{offers, loads, db, c}
}

// Held is an offer that is held with its load.
type Held struct {
	Offer store.Offer
	Load  loadsapi.Standing
	// Unavailable says why no carrier can have the load now, nil if one can.
	Unavailable error
	// At is when they are held.
	At time.Time
}

// Hold calls decide with an offer and its load, and holds both until it returns, in one transaction: the load first, as all do who follow it. Error:
// dispatches.offer_not_found.
func (h *Holder) Hold(ctx context.Context, id uuid.UUID, decide func(ctx context.Context, held Held) error) error {
	return h.db.InTx(ctx, func(ctx context.Context) error {
		held, err := h.hold(ctx, id)
		if err != nil {
			return err
		}

		return decide(ctx, held)
	})
}

func (h *Holder) hold(ctx context.Context, id uuid.UUID) (held Held, err error) {
	if held.Offer, err = h.offers.Find(ctx, id); err != nil {
		return held, err
	}
	held.Load, held.Unavailable = h.loads.ForCarrier(ctx, held.Offer.Load.String()) // the second of two waits here
	if held.Unavailable != nil && !errs.IsRefusal(held.Unavailable) {
		return held, held.Unavailable
	}
	if err = h.offers.Hold(ctx, id); err != nil {
		return held, err
	}
	held.Offer, err = h.offers.Find(ctx, id)
	held.At = h.clock.Now()

	return held, err
}

// AllowedDays returns the days on which a load can be picked up and delivered.
func (h *Holder) AllowedDays(ctx context.Context, load loadsapi.Standing) (store.AllowedDays, error) {
	today, err := h.offers.Today(ctx)
	if err != nil {
		return store.AllowedDays{}, err
	}

	return store.AllowedDaysOf(load, today)
}
