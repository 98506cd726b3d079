package carrying

import (
	"context"
	"errors"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/assigning"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/offers"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/item"
)

// Reconciler brings the dispatch and the offers of a load to the state of the load.
type Reconciler struct {
	rows     *store.Repository
	assigner *assigning.Assigner
	closer   *assigning.Closer
	offers   *offers.Changes
	progress *Progress
}

// NewReconciler returns a Reconciler.
func NewReconciler(rows *store.Repository, a *assigning.Assigner, c *assigning.Closer, o *offers.Changes, p *Progress) *Reconciler {
	return &Reconciler{rows, a, c, o, p}
}

// Reconcile brings the dispatch of a load, which is held, to the state of the load: it ends one whose carrier no longer has the load, begins one for a
// carrier that has got it, and moves it on or back.
func (r *Reconciler) Reconcile(ctx context.Context, id string, load loadsapi.Standing) error {
	row, err := r.rows.LiveDispatch(ctx, item.ID(id))
	if err != nil && !errors.Is(err, store.ErrNone) {
		return err
	}
	has, carried := err == nil, store.IsCarried(load)
	if has && row.WasTakenBack(load) {
		if err := r.closer.EndTakenBack(ctx, item.ID(id)); err != nil {
			return err
		}
		has = false
	}
	if err := r.offers.Follow(ctx, item.ID(id), load.State); err != nil {
		return err
	}
	if carried && !has && load.Carrier != "" {
		if row, err = r.assigner.Begin(ctx, id, store.Dispatch{}, store.Crew{}); err != nil {
			return store.IgnoreRefusal(err)
		}
		has = true
	}
	if !has || !carried {
		return nil
	}

	return r.progress.CatchUp(ctx, row, load)
}
