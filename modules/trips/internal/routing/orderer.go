package routing

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/modules/trips/internal/capacity"
	"github.com/dispatchd/dispatchd/modules/trips/internal/store"
	"github.com/dispatchd/dispatchd/modules/trips/internal/tour"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Orderer orders the stops of trips.
type Orderer struct {
	trips  *resource.Resource[store.Trip]
	places routeengineapi.Places
	meter  *Meter
	trucks *capacity.Trucks
}

// NewOrderer returns an Orderer.
func NewOrderer(trips *resource.Resource[store.Trip], p routeengineapi.Places, m *Meter, t *capacity.Trucks) *Orderer {
	return &Orderer{trips, p, m, t}
}

// order drives the stops of a trip in another order.
func (k *Orderer) order(ctx context.Context, id uuid.UUID, match web.IfMatch, legs []uuid.UUID) (store.Trip, error) {
	return k.trips.Change(ctx, id, match, store.VerbLoad, func(_ context.Context, t *store.Trip) error {
		if err := t.Changeable(); err != nil {
			return err
		}
		made := make([]store.Leg, 0, len(t.Legs.V))
		for _, one := range legs {
			if i := slices.IndexFunc(t.Legs.V, func(l store.Leg) bool { return l.UUID == one }); i >= 0 {
				made = append(made, t.Legs.V[i])
			}
		}
		if len(made) != len(t.Legs.V) || len(legs) != len(made) {
			return store.ErrInvalid.WithField("legs", "The legs must be all legs of the trip, each once.")
		}
		for _, c := range t.Cargo.V {
			at := func(stop uuid.UUID) int {
				return slices.IndexFunc(made, func(l store.Leg) bool { return l.Load == c.Load && l.Stop == stop })
			}
			if at(c.Pickup) > at(c.Delivery) {
				return store.ErrInvalid.WithField("legs", "The "+c.Name+" would be delivered before it is picked up.")
			}
		}
		t.Legs.V = made

		return nil
	})
}

// optimise drives the stops of a trip in the shortest order in which the truck holds what is on it. It returns the miles that this saves.
func (k *Orderer) optimise(ctx context.Context, id uuid.UUID, match web.IfMatch) (row store.Trip, saved int64, err error) {
	seen, err := k.trips.Find(ctx, id)
	if err != nil {
		return row, 0, err
	}
	p, err := k.problem(ctx, seen)
	if err != nil {
		return row, 0, err
	}
	found := tour.Find(p) // outside of the transaction: of many stops, it takes a while
	row, err = k.trips.Change(ctx, id, match, store.VerbLoad, func(ctx context.Context, t *store.Trip) error {
		if err := t.Changeable(); err != nil {
			return err
		}
		if !slices.EqualFunc(t.Legs.V, seen.Legs.V, func(a, b store.Leg) bool { return a.UUID == b.UUID }) {
			return state.ErrMoved
		}
		better := *t
		better.Legs.V = make([]store.Leg, 0, len(t.Legs.V))
		for _, i := range found {
			better.Legs.V = append(better.Legs.V, t.Legs.V[i])
		}
		if err := errors.Join(k.meter.Measure(ctx, t), k.meter.Measure(ctx, &better)); err != nil {
			return err
		}
		if t.Loaded == nil || better.Loaded == nil {
			return nil
		}
		over, err := k.trucks.Warnings(ctx, *t)
		if err != nil {
			return err
		}
		still, err := k.trucks.Warnings(ctx, better)
		if err != nil {
			return err
		}
		if saved = *t.Loaded + *t.Deadhead - *better.Loaded - *better.Deadhead; saved > 0 || len(over) > len(still) {
			*t = better
		} else {
			saved = 0
		}

		return nil
	})

	return row, saved, err
}

// problem is a trip as a tour to find.
func (k *Orderer) problem(ctx context.Context, t store.Trip) (p tour.Problem, err error) {
	at := make([]routeengineapi.Place, len(t.Legs.V))
	for i, l := range t.Legs.V {
		if at[i], err = k.places.Place(ctx, l.PostalCode); err != nil {
			return p, err
		}
	}
	var from *routeengineapi.Place
	if t.From != "" {
		start, err := k.places.Place(ctx, t.From)
		if err != nil {
			return p, err
		}
		from = &start
	}
	h, err := k.trucks.Hauler(ctx, t)
	if err != nil {
		return p, err
	}
	p = tour.Problem{Stops: len(at), Before: make([][]int, len(at))}
	p.Miles = func(a, b int) float64 {
		switch {
		case a >= 0:
			return k.places.Miles(at[a], at[b])
		case from != nil:
			return k.places.Miles(*from, at[b])
		}

		return 0
	}
	index := func(load, stop uuid.UUID) int {
		return slices.IndexFunc(t.Legs.V, func(l store.Leg) bool { return l.Load == load && l.Stop == stop })
	}
	ends := make([][2]int, len(t.Cargo.V))
	for n, c := range t.Cargo.V {
		ends[n] = [2]int{index(c.Load, c.Pickup), index(c.Load, c.Delivery)}
		p.Before[ends[n][1]] = append(p.Before[ends[n][1]], ends[n][0])
	}
	if h == nil {
		return p, nil
	}
	p.Fits = func(visited func(int) bool) bool {
		var on []store.Cargo
		for n, c := range t.Cargo.V {
			if visited(ends[n][0]) && !visited(ends[n][1]) {
				on = append(on, c)
			}
		}
		tenths, pounds := capacity.Room(on)

		return (h.Slots == 0 || tenths <= 10*h.Slots) && (h.MaxPayload == 0 || pounds <= h.MaxPayload)
	}

	return p, nil
}
