package carrying

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Moved is a report that the vehicles of a dispatch were picked up or delivered. A zero At is now.
type Moved struct {
	At          time.Time
	Note, Party string
}

// Progress moves dispatches on and back.
type Progress struct {
	dispatches *resource.Resource[store.Dispatch]
	views      loadsapi.Views
	clock      clock.Clock
}

// NewProgress returns a Progress.
func NewProgress(dispatches *resource.Resource[store.Dispatch], views loadsapi.Views, c clock.Clock) *Progress {
	return &Progress{dispatches, views, c}
}

// Advance picks up or delivers a dispatch at a time, in a transaction. The load is not moved.
func (p *Progress) Advance(ctx context.Context, id uuid.UUID, match web.IfMatch, verb resource.Verb, at time.Time, m Moved) (store.Dispatch, error) {
	return p.dispatches.Change(ctx, id, match, verb, func(ctx context.Context, row *store.Dispatch) error {
		if row.PickedUpAt == nil && row.State == store.Assigned {
			row.PickedUpAt = &at
		}
		if verb == store.VerbDeliver && row.DeliveredAt == nil {
			row.DeliveredAt = &at
		}
		if store.HasPassed(row.State, verb) {
			return nil
		}

		return p.dispatches.Step(ctx, row, state.Move{Verb: string(verb), Reason: m.Note, Party: m.Party})
	})
}

// CatchUp brings a dispatch as far as its load, and gives it the terms that the carrier sees now.
func (p *Progress) CatchUp(ctx context.Context, row store.Dispatch, of loadsapi.Standing) error {
	seen, err := p.views.Carrier(ctx, of.Load)
	if err != nil {
		return err
	}
	if row.State != store.Settled && row.HasOtherTerms(of, seen.JSON) {
		if row, err = p.dispatches.Change(ctx, row.ID, web.IfMatch{}, resource.Update, func(_ context.Context, row *store.Dispatch) error {
			row.TakeTerms(of, seen.JSON)

			return nil
		}); err != nil {
			return err
		}
	}
	verb := store.VerbPickUp
	switch of.State {
	case loadsapi.Dispatched:
		return p.putBack(ctx, row)
	case loadsapi.PickedUp:
		if row.State == store.Delivered {
			return p.reopen(ctx, row)
		}
	case loadsapi.Delivered, loadsapi.Completed:
		verb = store.VerbDeliver
	default:
		return nil
	}
	if store.HasPassed(row.State, verb) {
		return nil
	}
	// The vehicles stay where the load has them: some may wait for their pickup still.
	_, err = p.Advance(ctx, row.ID, web.IfMatch{}, verb, p.clock.Now(), Moved{Note: "The load says so.", Party: store.Broker})

	return err
}

// putBack takes the pickup of a dispatch back whose vehicles were all put back.
func (p *Progress) putBack(ctx context.Context, row store.Dispatch) error {
	if row.State != store.PickedUp {
		return nil
	}
	_, err := p.dispatches.Change(ctx, row.ID, web.IfMatch{}, store.VerbPutBack, func(ctx context.Context, row *store.Dispatch) error {
		row.PickedUpAt = nil

		return p.dispatches.Step(ctx, row, state.Move{Verb: string(store.VerbPutBack), Reason: "The vehicles were put back.", Party: store.Broker})
	})

	return err
}

// reopen takes the delivery of a dispatch back whose load was reopened. A settled one stays settled.
func (p *Progress) reopen(ctx context.Context, row store.Dispatch) error {
	_, err := p.dispatches.Change(ctx, row.ID, web.IfMatch{}, store.VerbReopen, func(ctx context.Context, row *store.Dispatch) error {
		row.DeliveredAt = nil

		return p.dispatches.Step(ctx, row, state.Move{Verb: string(store.VerbReopen), Reason: "The load was reopened.", Party: store.Broker})
	})

	return err
}
