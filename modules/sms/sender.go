package sms

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/smsapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
)

// sendArgs are the job that hands a message over to its provider.
type sendArgs struct {
	Message uuid.UUID `json:"message"`
}

// Kind implements jobs.Args.
func (sendArgs) Kind() string { return "sms.send" }

// sender hands messages over. Nothing is handed over twice: see docs/adr/0027.
type sender struct{ *core }

func newSender(c *core) *sender { return &sender{core: c} }

// call is a message that is about to be handed over, or may have been.
type call struct {
	message message
	account account
	attempt attempt
	line    line
	// fresh says that no provider was called with the attempt yet.
	fresh bool
}

// hand does the job: it commits that it is about to call, calls, and commits what came of it. Where it dies in
// between, the next run finds the attempt, and asks instead of calling again.
func (s *sender) hand(ctx context.Context, args sendArgs) error {
	c, wait, err := s.begin(ctx, args.Message)
	switch {
	case errors.Is(err, errNotFound):
		return nil
	case err != nil:
		return err
	case wait > 0:
		return jobs.Later(wait)
	case c == nil:
		return nil
	case !c.fresh:
		return s.ask(ctx, *c)
	}

	return s.deliver(ctx, *c)
}

// deliver calls the provider and keeps what it says.
func (s *sender) deliver(ctx context.Context, c call) error {
	accepted, err := s.call(ctx, c)

	return s.finish(ctx, c, accepted, err)
}

func (s *sender) call(ctx context.Context, c call) (provider.Accepted, error) {
	calling, cancel := context.WithTimeout(ctx, s.settings.SendTimeout)
	defer cancel()

	return c.line.Send(calling, provider.Outgoing{
		Reference: c.attempt.ID.String(), From: c.message.Sender, To: c.message.Recipient, Body: c.message.Body, Media: c.message.Media,
	})
}

// patience is how long a call that was begun is left alone: it may be going on.
func (s *sender) patience() time.Duration { return s.settings.SendTimeout + 10*time.Second }

// begin commits that a message is being handed over. It returns nil where there is nothing to do, and for how
// long to wait where it is too early.
func (s *sender) begin(ctx context.Context, id uuid.UUID) (c *call, wait time.Duration, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		c, wait = nil, 0
		row, err := s.heldMessage(ctx, id)
		if err != nil {
			return err
		}
		from, err := s.accounts.One(ctx, row.AccountID)
		if err != nil {
			return err
		}
		if row.State == sending {
			c, wait, err = s.resume(ctx, row, from)

			return err
		}
		if row.State != queued && row.State != scheduled {
			return nil
		}
		if wait, err = s.early(ctx, &row); err != nil || wait > 0 {
			return orElse(err, s.saveMessage(ctx, &row))
		}
		if reason, err := s.forbidden(ctx, row, from); err != nil || reason != "" {
			return orElse(err, s.fail(ctx, &row, reason, ""))
		}
		c, err = s.enterAttempt(ctx, row, from)

		return err
	})

	return c, wait, err
}

// resume looks at a message that was being handed over.
func (s *sender) resume(ctx context.Context, row message, from account) (*call, time.Duration, error) {
	last, err := s.lastAttempt(ctx, row.ID)
	if err != nil || last.Outcome != attempting {
		return nil, 0, err
	}
	now := s.clock.Now()
	if free := last.CalledAt.Add(s.patience()); free.After(now) {
		return nil, free.Sub(now), nil
	}
	open, err := s.vendors.dial(ctx, from)
	if err != nil {
		return nil, 0, err
	}
	last.CalledAt = now // others leave it alone while this one asks

	return &call{message: row, account: from, attempt: last, line: open}, 0, s.saveAttempt(ctx, &last)
}

// early returns for how long a message has to wait: for its time, the end of its recipient's quiet hours, and
// its turn. It takes the turn, so that row is to be stored.
func (s *sender) early(ctx context.Context, row *message) (time.Duration, error) {
	now := s.clock.Now()
	if row.DueAt.After(now) {
		return row.DueAt.Sub(now), nil
	}
	p, err := s.preferences(ctx)
	if err != nil {
		return 0, err
	}
	until, err := s.quiet(ctx, p, *row, now)
	if err != nil {
		return 0, err
	}
	if !until.IsZero() {
		row.DueAt, row.SlotAt = until, nil

		return until.Sub(now), nil
	}
	if row.SlotAt != nil {
		return 0, nil
	}
	slot, err := s.takeTurn(ctx, row.NumberID, now)
	if err != nil {
		return 0, err
	}
	row.SlotAt = &slot
	if !slot.After(now) {
		return 0, nil
	}
	row.DueAt = slot

	return slot.Sub(now), nil
}

// forbidden returns why a message must not be sent, "" if it may. It keeps the recipient's row, so an opt-out
// comes before the attempt, and stops it, or after.
func (s *sender) forbidden(ctx context.Context, row message, from account) (string, error) {
	to, err := s.heldContact(ctx, row.Recipient, s.clock.Now())
	if err != nil {
		return "", err
	}
	if to.OptedOutAt != nil && (to.FarewellID == nil || *to.FarewellID != row.ID) {
		return string(provider.OptedOut), nil
	}
	if from.DisabledAt != nil {
		return reasonDisabled, nil
	}
	number, err := s.number(ctx, row.NumberID)
	if err != nil {
		return "", err
	}
	if number.State != numberActive {
		return reasonReleased, nil
	}

	return "", nil
}

// Reasons of our own for which a message fails.
const (
	reasonDisabled = "account_disabled"
	reasonReleased = "number_released"
	reasonGivenUp  = "given_up"
)

// enterAttempt stores the attempt before the call.
func (s *sender) enterAttempt(ctx context.Context, row message, from account) (*call, error) {
	open, err := s.vendors.dial(ctx, from)
	if err != nil {
		return nil, err
	}
	now := s.clock.Now()
	if row.State == scheduled {
		if err := s.step(ctx, &row, verbRelease, ""); err != nil {
			return nil, err
		}
	}
	if err := s.step(ctx, &row, verbHandOver, ""); err != nil {
		return nil, err
	}
	row.Attempts++
	if err := s.saveMessage(ctx, &row); err != nil {
		return nil, err
	}
	a := attempt{ID: database.NewID(), MessageID: row.ID, Number: row.Attempts, Outcome: attempting, CalledAt: now, StartedAt: now}

	return &call{message: row, account: from, attempt: a, line: open, fresh: true}, s.insert(ctx, &a)
}

// step moves a message by a verb of ours; the caller stores it.
func (s *core) step(ctx context.Context, row *message, verb, reason string) (err error) {
	row.State, err = lifecycle().Apply(principal.AsCompany(ctx, row.CompanyID), s.states, row.State, state.Move{
		Verb: verb, UUID: row.ID, Thing: *row, Reason: reason,
	})
	row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()

	return err
}

// fail ends a message.
func (s *core) fail(ctx context.Context, row *message, reason, code string) error {
	if err := s.step(ctx, row, verbFail, reason); err != nil {
		return err
	}
	row.Reason, row.Code = reason, code
	if err := s.saveMessage(ctx, row); err != nil {
		return err
	}
	if err := s.markBad(ctx, *row); err != nil {
		return err
	}

	return s.bus.Publish(ctx, smsapi.MessageFailed{Message: row.told(), Reason: reason, Code: code})
}
