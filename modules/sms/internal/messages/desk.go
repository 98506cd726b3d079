// Package messages shows messages, and moves them through their lifecycle where people decide.
package messages

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/delivery"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Desk reads messages, and moves them through their lifecycle where people decide.
type Desk struct {
	store   *store.Repository
	vendors *vendors.Service
	states  *state.Log
	outbox  *delivery.Outbox
	clock   clock.Clock
}

// NewDesk returns a Desk.
func NewDesk(r *store.Repository, v *vendors.Service, states *state.Log, out *delivery.Outbox, c clock.Clock) *Desk {
	return &Desk{store: r, vendors: v, states: states, outbox: out, clock: c}
}

// current implements state.Handlers.
func (s *Desk) current(ctx context.Context, id uuid.UUID) (store.Status, any, error) {
	row, err := s.store.Message(ctx, id)

	return row.State, row, err
}

// Move implements state.Handlers: people cancel, and decide about what nobody knows of.
func (s *Desk) Move(ctx context.Context, move state.Move, match web.IfMatch) (*web.Resource[MessageBody], error) {
	var row store.Message
	err := s.store.DB.InTx(ctx, func(ctx context.Context) (err error) {
		if row, err = s.store.LockMessage(ctx, move.UUID); err != nil {
			return err
		}
		if err := match.Check(row.Version); err != nil {
			return err
		}
		move.Thing = row
		if row.State, err = store.Lifecycle.Apply(ctx, s.states, row.State, move); err != nil {
			return err
		}
		row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()
		err = s.outbox.Decided(ctx, &row)

		return store.OrElse(err, s.store.SaveMessage(ctx, &row))
	})
	if err != nil {
		return nil, err
	}

	return Resource(s.vendors, row), nil
}
