// Package driving dispatches trips, records their visits on the road, and ends them.
package driving

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/trips/internal/capacity"
	"github.com/dispatchd/dispatchd/modules/trips/internal/carrying"
	"github.com/dispatchd/dispatchd/modules/trips/internal/fitness"
	"github.com/dispatchd/dispatchd/modules/trips/internal/store"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/settings"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Dispatcher has trips be driven, and cancels them.
type Dispatcher struct {
	holder   *Holder
	trips    *resource.Resource[store.Trip]
	checks   *fitness.Checks
	carrying *carrying.Carrying
	settings *settings.Settings[store.Preferences]
}

// NewDispatcher returns a Dispatcher.
func NewDispatcher(h *Holder, trips *resource.Resource[store.Trip], c *fitness.Checks, g *carrying.Carrying, kept *settings.Settings[store.Preferences]) *Dispatcher {
	return &Dispatcher{h, trips, c, g, kept}
}

// dispatch has a trip be driven: the company carries its loads from now on.
func (k *Dispatcher) dispatch(ctx context.Context, id uuid.UUID, match web.IfMatch, acknowledged bool) (row store.Trip, err error) {
	terms, err := k.settings.Read(ctx)
	if err != nil {
		return row, err
	}
	err = k.holder.with(ctx, id, func(ctx context.Context, t store.Trip) error {
		if t.State == store.Dispatched {
			row = t

			return nil
		}
		if t.State == store.Planned && t.Driver == nil {
			return store.ErrIncomplete.WithDetail("missing", []string{"driver_uuid"})
		}
		if t.State == store.Planned {
			if err := k.checks.Fit(ctx, t, acknowledged, terms.Now.RefuseOver); err != nil {
				return err
			}
		}
		row, err = k.trips.Change(ctx, id, match, store.VerbDispatch, func(ctx context.Context, t *store.Trip) error {
			return k.trips.Step(ctx, t, state.Move{Verb: string(store.VerbDispatch)})
		})
		for _, load := range row.Loads() {
			if err == nil {
				err = k.carrying.Take(ctx, row, load)
			}
		}

		return err
	})

	return row, err
}

// cancel ends a trip. Loads of which nothing was picked up, and that no other trip has, wait for another one.
func (k *Dispatcher) cancel(ctx context.Context, id uuid.UUID, match web.IfMatch, reason string) (row store.Trip, err error) {
	err = k.holder.with(ctx, id, func(ctx context.Context, t store.Trip) error {
		if t.State == store.Cancelled {
			row = t

			return nil
		}
		if on := capacity.Aboard(t.Departed(), t.Cargo.V); len(on) > 0 {
			return store.ErrVehiclesLoaded
		}
		row, err = k.trips.Change(ctx, id, match, store.VerbCancel, func(ctx context.Context, t *store.Trip) error {
			return k.trips.Step(ctx, t, state.Move{Verb: string(store.VerbCancel), Reason: reason})
		})
		if err != nil || !t.UnderWay() {
			return err
		}
		for _, load := range t.Loads() {
			if err := k.carrying.GiveBack(ctx, load, "The trip "+t.Number+" was canceled."); err != nil {
				return err
			}
		}

		return nil
	})

	return row, err
}
