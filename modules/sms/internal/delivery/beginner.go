package delivery

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/settings"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/handover"
)

// Beginner decides whether a message is handed over now.
type Beginner struct {
	store    *store.Repository
	vendors  *vendors.Service
	turns    *Turns
	guard    *Guard
	attempts *Attempts
}

// NewBeginner returns a Beginner.
func NewBeginner(r *store.Repository, v *vendors.Service, t *Turns, g *Guard, a *Attempts) *Beginner {
	return &Beginner{store: r, vendors: v, turns: t, guard: g, attempts: a}
}

// Begin commits that a message is being handed over. It returns nil where there is nothing to do, and for how
// long to wait where it is too early.
func (s *Beginner) Begin(ctx context.Context, id uuid.UUID) (c *call, wait time.Duration, err error) {
	err = s.store.DB.InTx(ctx, func(ctx context.Context) error {
		c, wait = nil, 0
		row, err := s.store.LockMessage(ctx, id)
		if err != nil {
			return err
		}
		from, err := s.vendors.Accounts.One(ctx, row.AccountID)
		if err != nil {
			return err
		}
		if row.State == store.Sending {
			c, wait, err = s.attempts.resume(ctx, row, from)

			return err
		}
		if row.State != store.Queued && row.State != store.Scheduled {
			return nil
		}
		if wait, err = s.turns.wait(ctx, &row); err != nil || wait > 0 {
			return store.OrElse(err, s.store.SaveMessage(ctx, &row))
		}
		if reason, err := s.guard.reasonNotToSend(ctx, row, from); err != nil || reason != "" {
			return store.OrElse(err, s.attempts.refuse(ctx, &row, reason))
		}
		c, err = s.attempts.add(ctx, row, from)

		return err
	})

	return c, wait, err
}

// Attempts keeps the calls by which messages are handed over.
type Attempts struct {
	store    *store.Repository
	vendors  *vendors.Service
	outcomes *outcomes
	clock    clock.Clock
	timeout  time.Duration
}

// NewAttempts returns Attempts.
func NewAttempts(r *store.Repository, v *vendors.Service, o *outcomes, c clock.Clock, s *settings.Settings) *Attempts {
	return &Attempts{store: r, vendors: v, outcomes: o, clock: c, timeout: s.SendTimeout}
}

// resume looks at a message that was being handed over.
func (s *Attempts) resume(ctx context.Context, row store.Message, from store.Account) (*call, time.Duration, error) {
	last, err := s.store.LastAttempt(ctx, row.ID)
	if err != nil || last.Outcome != store.AttemptOpen {
		return nil, 0, err
	}
	now := s.clock.Now()
	policy := handover.Policy{Timeout: s.timeout}
	if wait := policy.InFlight(last.CalledAt, now); wait > 0 {
		return nil, wait, nil
	}
	open, err := s.vendors.Open(ctx, from)
	if err != nil {
		return nil, 0, err
	}
	last.CalledAt = now // others leave it alone while this one asks

	return &call{message: row, account: from, attempt: last, line: open}, 0, s.store.SaveAttempt(ctx, &last)
}

// refuse ends a message that must not be sent.
func (s *Attempts) refuse(ctx context.Context, row *store.Message, reason string) error {
	return s.outcomes.fail(ctx, row, reason, "")
}

// add stores the attempt before the call.
func (s *Attempts) add(ctx context.Context, row store.Message, from store.Account) (*call, error) {
	open, err := s.vendors.Open(ctx, from)
	if err != nil {
		return nil, err
	}
	now := s.clock.Now()
	if row.State == store.Scheduled {
		if err := s.outcomes.step(ctx, &row, store.VerbRelease, ""); err != nil {
			return nil, err
		}
	}
	if err := s.outcomes.step(ctx, &row, store.VerbHandOver, ""); err != nil {
		return nil, err
	}
	row.Attempts++
	if err := s.store.SaveMessage(ctx, &row); err != nil {
		return nil, err
	}
	a := store.Attempt{ID: database.NewID(), MessageID: row.ID, Number: row.Attempts, Outcome: store.AttemptOpen, CalledAt: now, StartedAt: now}

	return &call{message: row, account: from, attempt: a, line: open, fresh: true}, s.store.Insert(ctx, &a)
}
