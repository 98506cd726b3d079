package delivery

import (
	"context"
	"time"

	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/smsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// Outbox stores messages that are to be sent.
type Outbox struct {
	store *store.Repository
	queue *jobs.Queue
	bus   *events.Bus
	clock clock.Clock
}

// NewOutbox returns an Outbox.
func NewOutbox(r *store.Repository, queue *jobs.Queue, bus *events.Bus, c clock.Clock) *Outbox {
	return &Outbox{store: r, queue: queue, bus: bus, clock: c}
}

// Add stores a message that is to be sent, in its thread, with its job and its event.
func (s *Outbox) Add(ctx context.Context, row *store.Message) error {
	t, err := s.store.AddMessageToThread(ctx, row)
	if err != nil {
		return err
	}
	row.ThreadID = t.ID
	if err := s.store.Insert(ctx, row); err != nil {
		return err
	}
	if err := s.queue.Enqueue(ctx, SendMessage{Message: row.ID}, s.jobOptions(row.DueAt)...); err != nil {
		return err
	}

	return s.bus.Publish(ctx, smsapi.MessageQueued{Message: row.EventData()})
}

// jobOptions has a job run at a time. What is due runs at once: a job with a time waits for the next look at those.
func (s *Outbox) jobOptions(at time.Time) []jobs.Option {
	if !at.After(s.clock.Now()) {
		return nil
	}

	return []jobs.Option{jobs.At(at)}
}

// Decided does what follows from what a person has decided about a message: it is sent again, or known to have failed.
func (s *Outbox) Decided(ctx context.Context, row *store.Message) error {
	switch row.State {
	case store.Queued:
		row.DueAt, row.SlotAt, row.Reason, row.Code = s.clock.Now(), nil, "", ""

		return s.queue.Enqueue(ctx, SendMessage{Message: row.ID})
	case store.Failed:
		return s.bus.Publish(ctx, smsapi.MessageFailed{Message: row.EventData(), Reason: row.Reason, Code: row.Code})
	default:
		return nil
	}
}
