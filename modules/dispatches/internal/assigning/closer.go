package assigning

import (
	"cmp"
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/preferences"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Closer ends dispatches.
type Closer struct {
	dispatches *resource.Resource[store.Dispatch]
	rows       *store.Repository
	bus        *events.Bus
	clock      clock.Clock
}

// NewCloser returns a Closer.
func NewCloser(dispatches *resource.Resource[store.Dispatch], rows *store.Repository, bus *events.Bus, c clock.Clock) *Closer {
	return &Closer{dispatches, rows, bus, c}
}

// Close ends a dispatch, in a transaction.
func (c *Closer) Close(
	ctx context.Context, id uuid.UUID, match web.IfMatch, verb resource.Verb, why preferences.Reason, note, party string,
) (store.Dispatch, error) {
	row, err := c.dispatches.Change(ctx, id, match, verb, func(ctx context.Context, row *store.Dispatch) error {
		now := c.clock.Now()
		row.EndedAt, row.EndReason, row.EndNote, row.Responsible = &now, why.ID, note, why.Responsible

		return c.dispatches.Step(ctx, row, state.Move{Verb: string(verb), Reason: cmp.Or(note, why.Label), Party: party})
	})
	if err != nil {
		return row, err
	}

	return row, c.bus.Publish(ctx, dispatchesapi.Cancelled{About: row.About(), By: party, Reason: row.EndReason})
}

// EndTakenBack ends the dispatch of a load that was taken from its carrier, as the service itself, if it has not followed yet.
func (c *Closer) EndTakenBack(ctx context.Context, load uuid.UUID) error {
	row, err := c.rows.LiveDispatch(ctx, load)
	if err == nil {
		ctx = principal.AsCompany(ctx, principal.CompanyOf(ctx))
		_, err = c.Close(ctx, row.ID, web.IfMatch{}, store.VerbTakeBack, preferences.Reason{}, "The load was taken back.", store.Broker)
	}
	if errors.Is(err, store.ErrNone) {
		return nil
	}

	return err
}

// LastClosed is the dispatch of a load that was canceled last, nil for none.
func (c *Closer) LastClosed(ctx context.Context, load uuid.UUID) (*uuid.UUID, error) {
	all, err := c.rows.CancelledDispatches(ctx, load)
	if err != nil || len(all) == 0 {
		return nil, err
	}

	return &all[0].ID, nil
}
