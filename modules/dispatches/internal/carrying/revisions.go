package carrying

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/messages"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Revisions guards terms of dispatches that have changed since their carriers accepted them.
type Revisions struct {
	dispatches *resource.Resource[store.Dispatch]
	rows       *store.Repository
	loads      loadsapi.Standings
	writer     *messages.Writer
	clock      clock.Clock
}

// NewRevisions returns a Revisions.
func NewRevisions(
	dispatches *resource.Resource[store.Dispatch], rows *store.Repository, loads loadsapi.Standings, w *messages.Writer, c clock.Clock,
) *Revisions {
	return &Revisions{dispatches, rows, loads, w, c}
}

// CheckPickup refuses the pickup by a carrier that gets less than it has agreed to and has not confirmed that. The office goes on by the dispatch
// itself, which is picked up by then.
func (r *Revisions) CheckPickup(ctx context.Context, p *loadsapi.PickingUp) error {
	row, err := r.rows.LiveDispatch(ctx, item.ID(p.Load))
	if errors.Is(err, store.ErrNone) || err == nil && row.State != store.Assigned {
		return nil
	}
	if err != nil {
		return err
	}
	load, err := r.loads.Standing(ctx, p.Load)
	if err == nil && row.IsPayCut(load) {
		return row.Unconfirmed()
	}

	return err
}

// CheckPrice refuses another pay for a carrier that was paid.
func (r *Revisions) CheckPrice(ctx context.Context, p *loadsapi.Repricing) error {
	row, err := r.rows.LiveDispatch(ctx, item.ID(p.Load))
	if errors.Is(err, store.ErrNone) || err == nil && (row.State != store.Settled || row.Carrier.String() != p.Carrier) {
		return nil
	}
	if err != nil {
		return err
	}
	if who, _ := principal.From(ctx); !who.Allows(loadsapi.Margins) {
		return store.ErrSettled.WithMessage("The dispatch %s is settled: what the carrier gets can no longer be changed.", row.Number).
			WithDetail("dispatch_uuid", row.ID)
	}

	pay := page.Amount(row.CarrierPay, row.Currency)

	return store.ErrSettled.WithMessage("The dispatch %s is settled at %s: what the carrier gets can no longer be changed.", row.Number, pay).
		WithDetail("dispatch_uuid", row.ID).WithDetail("carrier_pay", row.CarrierPay)
}

// Notify writes to a carrier whose terms have changed since it accepted them, once a revision.
func (r *Revisions) Notify(ctx context.Context, e dispatchesapi.Updated) error {
	ctx = principal.AsCompany(ctx, principal.CompanyOf(ctx))
	id, err := uuid.Parse(e.Dispatch)
	if err != nil {
		return err
	}
	row, err := r.dispatches.Find(ctx, id)
	if err != nil {
		return store.IgnoreRefusal(err)
	}
	if !row.NeedsNotice() {
		return nil
	}
	_, err = r.dispatches.Change(ctx, id, web.IfMatch{}, store.VerbNotify, func(ctx context.Context, row *store.Dispatch) error {
		if !row.NeedsNotice() {
			return nil
		}
		row.NotifiedRevision = row.Revision
		reached, err := r.writer.NotifyRevision(ctx, *row)
		if row.NotifiedAt = nil; reached {
			now := r.clock.Now()
			row.NotifiedAt = &now
		}

		return err
	})

	return err
}
