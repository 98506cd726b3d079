package carrying

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Follower has dispatches follow their loads.
type Follower struct {
	dispatches *resource.Resource[store.Dispatch]
	reconciler *Reconciler
	loads      loadsapi.Standings
	db         *database.DB
}

// NewFollower returns a Follower.
func NewFollower(dispatches *resource.Resource[store.Dispatch], r *Reconciler, loads loadsapi.Standings, db *database.DB) *Follower {
	return &Follower{dispatches, r, loads, db}
}

// Hold calls decide with a dispatch and its load, and holds the load until it returns, in one transaction. The load is held before the dispatch, as it
// is where a dispatch follows its load, so that two transactions never wait for each other. The dispatch has followed the load by then.
func (f *Follower) Hold(ctx context.Context, id uuid.UUID, decide func(ctx context.Context, row store.Dispatch, load loadsapi.Standing) error) error {
	return f.db.InTx(ctx, func(ctx context.Context) error {
		row, err := f.dispatches.Find(ctx, id)
		if err != nil {
			return err
		}
		load, err := f.loads.Held(ctx, row.Load.String())
		if err != nil {
			return err
		}
		if row.LagsBehind(load) {
			if err := f.reconciler.Reconcile(principal.AsCompany(ctx, principal.CompanyOf(ctx)), row.Load.String(), load); err != nil {
				return err
			}
		}
		if row, err = f.dispatches.Find(ctx, id); err != nil {
			return err
		}

		return decide(ctx, row, load)
	})
}

// Follow has the dispatch of a load follow what was done to the load itself. It is called for each such event, in any order and perhaps twice, so it
// looks at how the load stands now.
func (f *Follower) Follow(ctx context.Context, load string) error {
	ctx = principal.AsCompany(ctx, principal.CompanyOf(ctx))
	err := f.db.InTx(ctx, func(ctx context.Context) error {
		standing, err := f.loads.Held(ctx, load)
		if err != nil {
			return err
		}

		return f.reconciler.Reconcile(ctx, load, standing)
	})
	if errors.Is(err, loadsapi.ErrNotFound) {
		return nil
	}

	return err
}
