// Package loading puts vehicles of loads on trips, keeps them in line with their loads, and each vehicle on one trip.
package loading

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/trips/internal/carrying"
	"github.com/dispatchd/dispatchd/modules/trips/internal/store"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// mostLegs bounds the stops of a trip.
const mostLegs = 60

// Loader puts vehicles of loads on trips, and takes them off.
type Loader struct {
	trips     *resource.Resource[store.Trip]
	rows      *store.Repository
	standings loadsapi.Standings
	views     loadsapi.Views
	carrying  *carrying.Carrying
}

// NewLoader returns a Loader.
func NewLoader(trips *resource.Resource[store.Trip], rows *store.Repository, s loadsapi.Standings, v loadsapi.Views, c *carrying.Carrying) *Loader {
	return &Loader{trips, rows, s, v, c}
}

// take puts vehicles of a load on a trip, all that are on no other if none are named. A trip that is under way has the load at once.
func (k *Loader) take(ctx context.Context, id uuid.UUID, match web.IfMatch, load uuid.UUID, vehicles []uuid.UUID) (row store.Trip, err error) {
	err = k.rows.InTx(ctx, func(ctx context.Context) error {
		if _, err := k.trips.Find(ctx, id); err != nil {
			return err
		}
		of, err := k.standings.Held(ctx, load.String())
		if errors.Is(err, loadsapi.ErrNotFound) {
			return store.ErrInvalid.WithField("load_uuid", "There is no such load.")
		}
		if err != nil {
			return err
		}
		l, err := k.look(ctx, load)
		if err != nil {
			return err
		}
		if l.ended() || of.State == loadsapi.Delivered || of.State == loadsapi.Completed {
			return store.ErrLoadNotReady.WithDetail("load_uuid", load).WithDetail("state", of.State)
		}
		if !of.Carried {
			return store.ErrLoadNotCarried
		}
		there, err := k.rows.TripsOf(ctx, load)
		if err != nil {
			return err
		}
		row, err = k.trips.Change(ctx, id, match, store.VerbLoad, func(_ context.Context, t *store.Trip) error {
			if t.Over() {
				return store.ErrOver
			}
			known := l.cargo(load)
			for _, v := range vehicles {
				if !slices.ContainsFunc(known, func(c store.Cargo) bool { return c.Vehicle == v }) {
					return store.ErrInvalid.WithField("vehicle_uuids", "The load has no vehicle "+v.String()+".")
				}
			}
			now := vehiclesOf(t)
			renew(t, load, l, func(v uuid.UUID) bool {
				if _, here := now[v]; here {
					return true
				}

				return slices.Contains(vehicles, v) || len(vehicles) == 0 && there[v] == uuid.Nil
			})
			if len(t.Cargo.V) == len(now) {
				return taken(id, there, known, vehicles)
			}
			if len(t.Legs.V) > mostLegs {
				return store.ErrInvalid.WithField("load_uuid", "A trip has at most 60 stops.")
			}

			return nil
		})
		if err != nil || !row.UnderWay() {
			return err
		}

		return k.carrying.Take(ctx, row, load)
	})

	return row, err
}

// taken is why none of the wanted vehicles of a load can be put on a trip: those of all trips are there.
func taken(id uuid.UUID, there map[uuid.UUID]uuid.UUID, known []store.Cargo, wanted []uuid.UUID) error {
	for _, c := range known {
		if at := there[c.Vehicle]; at != id && (len(wanted) == 0 || slices.Contains(wanted, c.Vehicle)) {
			return store.ErrVehicleTaken
		}
	}

	return store.ErrVehicleTaken.WithMessage("The vehicles are on this trip already.")
}

// leave takes a load off a trip.
func (k *Loader) leave(ctx context.Context, id uuid.UUID, match web.IfMatch, load uuid.UUID) (store.Trip, error) {
	return k.trips.Change(ctx, id, match, store.VerbLoad, func(_ context.Context, t *store.Trip) error {
		switch {
		case t.Over():
			return store.ErrOver
		case t.UnderWay():
			return store.ErrUnderWay
		case !slices.Contains(t.Loads(), load):
			return store.ErrLoadNotFound
		}
		renew(t, load, looked{}, nil)

		return nil
	})
}

func (k *Loader) look(ctx context.Context, load uuid.UUID) (looked, error) {
	seen, err := k.views.Carrier(ctx, load.String())

	return looked(seen.Load), err
}
