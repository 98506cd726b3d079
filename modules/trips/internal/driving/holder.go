package driving

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/trips/internal/store"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
)

// Holder holds trips with their loads, in the order in which all hold them.
type Holder struct {
	trips     *resource.Resource[store.Trip]
	standings loadsapi.Standings
	rows      *store.Repository
}

// NewHolder returns a Holder.
func NewHolder(trips *resource.Resource[store.Trip], s loadsapi.Standings, rows *store.Repository) *Holder {
	return &Holder{trips, s, rows}
}

// with does something with a trip that is held, in a transaction.
func (k *Holder) with(ctx context.Context, id uuid.UUID, do func(ctx context.Context, t store.Trip) error) error {
	return k.rows.InTx(ctx, func(ctx context.Context) error {
		t, err := k.held(ctx, id)
		if err != nil {
			return err
		}

		return do(ctx, t)
	})
}

// held returns a trip, and holds its loads first, as those do who follow loads.
func (k *Holder) held(ctx context.Context, id uuid.UUID) (t store.Trip, err error) {
	if t, err = k.trips.Find(ctx, id); err != nil {
		return t, err
	}
	for _, load := range t.Loads() {
		if _, err := k.standings.Held(ctx, load.String()); err != nil {
			return t, err
		}
	}
	loads := t.Loads()
	if err = k.trips.Hold(ctx, id); err != nil {
		return t, err
	}
	if t, err = k.trips.Find(ctx, id); err == nil && !slices.Equal(loads, t.Loads()) {
		err = state.ErrMoved
	}

	return t, err
}
