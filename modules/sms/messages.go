package sms

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/delivery"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/modules/sms/smsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// messages are those that there are: read, and moved through their lifecycle by people.
type messages struct {
	db      *database.DB
	store   *store.Repository
	vendors *vendors.Service
	states  *state.Log
	queue   *jobs.Queue
	bus     *events.Bus
	clock   clock.Clock
}

func newMessages(db *database.DB, r *store.Repository, v *vendors.Service, states *state.Log, queue *jobs.Queue, bus *events.Bus, c clock.Clock) *messages {
	return &messages{db: db, store: r, vendors: v, states: states, queue: queue, bus: bus, clock: c}
}

// current implements state.Handlers.
func (s *messages) current(ctx context.Context, id uuid.UUID) (store.Status, any, error) {
	row, err := s.store.Message(ctx, id)

	return row.State, row, err
}

// move implements state.Handlers: people cancel, and decide about what nobody knows of.
func (s *messages) move(ctx context.Context, move state.Move, match web.IfMatch) (*web.Resource[messageBody], error) {
	var row store.Message
	err := s.db.InTx(ctx, func(ctx context.Context) (err error) {
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
		now := s.clock.Now()
		row.Version, row.UpdatedAt = row.Version+1, now
		switch row.State { //nolint:exhaustive // where people's verbs lead
		case store.Queued:
			row.DueAt, row.SlotAt, row.Reason, row.Code = now, nil, "", ""
			err = s.queue.Enqueue(ctx, delivery.SendMessage{Message: row.ID})
		case store.Failed:
			err = s.bus.Publish(ctx, smsapi.MessageFailed{Message: row.EventData(), Reason: row.Reason, Code: row.Code})
		}

		return store.OrElse(err, s.store.SaveMessage(ctx, &row))
	})
	if err != nil {
		return nil, err
	}

	return messageResource(s.vendors, row), nil
}
