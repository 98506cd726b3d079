package sms

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/sandbox"
)

// playArgs are the job of a notification of the sandbox: which one of its script.
type playArgs struct {
	Message uuid.UUID `json:"message"`
	Step    int       `json:"step"`
}

// Kind implements jobs.Args.
func (playArgs) Kind() string { return "sms.play" }

// play enqueues a notification of the sandbox about a message that it has taken, if there is another one.
func (s *sender) play(ctx context.Context, row message, step int) error {
	script := sandbox.Script(row.Recipient)
	if step >= len(script) {
		return nil
	}

	return s.queue.Enqueue(ctx, playArgs{Message: row.ID, Step: step}, s.on(s.clock.Now().Add(script[step].After))...)
}

// playOne does the job: by the way in of every provider. The next one follows, so they come in their order.
func (s *sender) playOne(ctx context.Context, args playArgs) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.message(ctx, args.Message)
		if errors.Is(err, errNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		update := sandbox.Script(row.Recipient)[args.Step].Update
		update.ID = *row.ProviderID
		if err := s.applyStatus(ctx, row.AccountID, update); err != nil {
			return err
		}

		return s.play(ctx, row, args.Step+1)
	})
}
