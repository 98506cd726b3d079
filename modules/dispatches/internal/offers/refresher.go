package offers

import (
	"context"
	"errors"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/database"
)

// Refresher has carriers see what has changed of a load after one of them has answered what it was before.
type Refresher struct {
	reviser *Reviser
	loads   loadsapi.Standings
	db      *database.DB
}

// NewRefresher returns a Refresher.
func NewRefresher(r *Reviser, loads loadsapi.Standings, db *database.DB) *Refresher {
	return &Refresher{r, loads, db}
}

// Refresh returns the outcome of an answer. If that was refused since the load has changed, the open offers for the load are revised first, unless that
// was done.
func (r *Refresher) Refresh(ctx context.Context, outcome error) error {
	before, is := errors.AsType[*staleError](outcome)
	if !is {
		return outcome
	}
	err := r.db.InTx(ctx, func(ctx context.Context) error {
		load, err := r.loads.Held(ctx, before.load.String())
		if err != nil || load.State != loadsapi.Ready {
			return store.IgnoreRefusal(err)
		}

		return r.reviser.Revise(ctx, before.load)
	})
	if err != nil {
		return err
	}

	return before.why
}
