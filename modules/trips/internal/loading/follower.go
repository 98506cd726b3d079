package loading

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/trips/internal/driving"
	"github.com/dispatchd/dispatchd/modules/trips/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Follower has trips follow their loads.
type Follower struct {
	trips     *resource.Resource[store.Trip]
	rows      *store.Repository
	standings loadsapi.Standings
	views     loadsapi.Views
	progress  *driving.Progress
}

// NewFollower returns a Follower.
func NewFollower(trips *resource.Resource[store.Trip], rows *store.Repository, s loadsapi.Standings, v loadsapi.Views, p *driving.Progress) *Follower {
	return &Follower{trips, rows, s, v, p}
}

// Follow brings the trips of a load up to date. It is called for events in any order and perhaps twice, so it reads the load.
func (f *Follower) Follow(ctx context.Context, load string) error {
	ctx = principal.AsCompany(ctx, principal.CompanyOf(ctx))
	id, err := uuid.Parse(load)
	if err != nil {
		return err
	}
	err = f.rows.InTx(ctx, func(ctx context.Context) error {
		if _, err := f.standings.Held(ctx, load); err != nil {
			return err
		}
		on, err := f.rows.TripsOf(ctx, id)
		if err != nil || len(on) == 0 {
			return err
		}
		seen, err := f.views.Carrier(ctx, load)
		if err != nil {
			return err
		}
		l := looked(seen.Load)
		if l.ended() {
			l.Vehicles, l.Stops = nil, nil
		}
		done := map[uuid.UUID]bool{}
		for _, at := range on {
			if done[at] {
				continue
			}
			done[at] = true
			if err := f.renew(ctx, at, id, l); err != nil {
				return err
			}
		}

		return nil
	})
	if errors.Is(err, loadsapi.ErrNotFound) || errors.Is(err, database.ErrNotFound) {
		return nil
	}

	return err
}

// renew has a trip have the current vehicles of a load. It is completed if only stops that are gone were left.
func (f *Follower) renew(ctx context.Context, id, load uuid.UUID, l looked) error {
	finished := false
	row, err := f.trips.Change(ctx, id, web.IfMatch{}, store.VerbFollow, func(ctx context.Context, t *store.Trip) error {
		now, was := vehiclesOf(t), t.State
		renew(t, load, l, func(v uuid.UUID) bool { _, here := now[v]; return here })
		err := f.progress.Finish(ctx, t, f.progress.Now())
		finished = t.State != was

		return err
	})
	if err == nil && finished {
		err = f.progress.Completed(ctx, row)
	}

	return err
}

// NameLoads names the loads of a trip that is driven, or is to be, for the link of its driver.
func (f *Follower) NameLoads(ctx context.Context, asked *billsofladingapi.ReadingTrip) error {
	t, err := f.trips.Find(ctx, item.ID(asked.Trip))
	if err != nil {
		if errs.IsRefusal(err) {
			return nil
		}

		return err
	}
	if t.State == store.Draft || t.State == store.Cancelled {
		return nil
	}
	asked.Number = t.Number
	for _, load := range t.Loads() {
		asked.Loads = append(asked.Loads, load.String())
	}

	return nil
}
