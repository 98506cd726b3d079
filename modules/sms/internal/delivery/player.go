package delivery

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/sandbox"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// PlayStep are the job of a notification of the sandbox: which one of its script.
type PlayStep struct {
	Message uuid.UUID `json:"message"`
	Step    int       `json:"step"`
}

// Kind implements jobs.Args.
func (PlayStep) Kind() string { return "sms.play" }

// Player sends the notifications of the sandbox.
type Player struct {
	store   *store.Repository
	reports *Reports
	outbox  *Outbox
	queue   *jobs.Queue
	clock   clock.Clock
}

// NewPlayer returns a Player.
func NewPlayer(r *store.Repository, reports *Reports, outbox *Outbox, queue *jobs.Queue, c clock.Clock) *Player {
	return &Player{store: r, reports: reports, outbox: outbox, queue: queue, clock: c}
}

// schedule enqueues a notification of the sandbox about a message that it has taken, if there is another one.
func (s *Player) schedule(ctx context.Context, row store.Message, step int) error {
	script := sandbox.Script(row.Recipient)
	if step >= len(script) {
		return nil
	}

	return s.queue.Enqueue(ctx, PlayStep{Message: row.ID, Step: step}, s.outbox.jobOptions(s.clock.Now().Add(script[step].After))...)
}

// PlayStep does the job: by the way in of every provider. The next one follows, so they come in their order.
func (s *Player) PlayStep(ctx context.Context, args PlayStep) error {
	return s.store.DB.InTx(ctx, func(ctx context.Context) error {
		row, err := s.store.Message(ctx, args.Message)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		update := sandbox.Script(row.Recipient)[args.Step].Update
		update.ID = *row.ProviderID
		if err := s.reports.ApplyStatus(ctx, row.AccountID, update); err != nil {
			return err
		}

		return s.schedule(ctx, row, args.Step+1)
	})
}
