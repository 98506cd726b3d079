// Package delivery sends messages: it keeps them to opt-outs, quiet hours and rates, hands them to providers at most once, and applies what
// providers report of them.
package delivery

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/settings"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/handover"
	"github.com/dispatchd/dispatchd/platform/notify"
)

// SendMessage are the job that hands a message over to its provider.
type SendMessage struct {
	Message uuid.UUID `json:"message"`
}

// Kind implements jobs.Args.
func (SendMessage) Kind() string { return "sms.send" }

// Sender hands messages over, each at most once: see docs/handover.md.
type Sender struct {
	db         *database.DB
	store      *store.Repository
	vendors    *vendors.Service
	reports    *Reports
	outcomes   *outcomes
	optOuts    *OptOuts
	throttles  *Throttles
	quietHours *QuietHours
	player     *Player
	texts      *store.Texts
	clock      clock.Clock
	settings   *settings.Settings
	screens    *notify.Service
	flow       handover.Flow[provider.Reason, call, provider.Accepted]
}

// NewSender returns a Sender.
func NewSender(
	db *database.DB, r *store.Repository, v *vendors.Service, reports *Reports, outcomes *outcomes, optOuts *OptOuts, throttles *Throttles, quietHours *QuietHours,
	player *Player, texts *store.Texts, c clock.Clock, s *settings.Settings, screens *notify.Service,
) *Sender {
	n := &Sender{
		db: db, store: r, vendors: v, reports: reports, outcomes: outcomes, optOuts: optOuts, throttles: throttles, quietHours: quietHours,
		player: player, texts: texts, clock: c, settings: s, screens: screens,
	}
	n.flow = handover.Flow[provider.Reason, call, provider.Accepted]{
		DB: db, Policy: n.policy, Call: n.Call, Find: n.resolveUnknown, Finish: n.finish, Failed: n.noteAuthFailure,
	}

	return n
}

// call is a message that is about to be handed over, or may have been.
type call struct {
	message store.Message
	account store.Account
	attempt store.Attempt
	line    vendors.Line
	// fresh says that no provider was called with the attempt yet.
	fresh bool
}

// Send does the job.
func (s *Sender) Send(ctx context.Context, args SendMessage) error {
	c, wait, err := s.Begin(ctx, args.Message)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil || c == nil {
		return handover.RetryAfter(wait, err)
	}

	return s.Deliver(ctx, *c)
}

// Deliver calls the provider, or asks it where it was called before, and keeps what came of it.
func (s *Sender) Deliver(ctx context.Context, c call) error { return s.flow.Run(ctx, c, !c.fresh) }

// policy is what the configuration allows, and the provider can do: one that knows repeats is asked by repeating the call.
func (s *Sender) policy(c call) handover.Policy {
	p := handover.Policy{Timeout: s.settings.SendTimeout, MaxAttempts: s.settings.MaxAttempts}
	switch {
	case c.line.Can.DedupesFor > 0:
		p.AskFor = min(s.settings.AskAgainFor, c.line.Can.DedupesFor/2)
	case c.line.Can.Finds:
		p.AskFor = s.settings.AskAgainFor
	}

	return p
}

// Call hands a message over to its provider, without a time-out of its own.
func (s *Sender) Call(ctx context.Context, c call) (provider.Accepted, error) {
	text, err := s.texts.Whole(ctx, c.message)
	if err != nil {
		return provider.Accepted{}, err
	}

	return c.line.Send(ctx, provider.Outgoing{
		Reference: c.attempt.ID.String(), From: c.message.Sender, To: c.message.Recipient, Body: text, Media: c.message.Media,
	})
}

// Begin commits that a message is being handed over. It returns nil where there is nothing to do, and for how
// long to wait where it is too early.
func (s *Sender) Begin(ctx context.Context, id uuid.UUID) (c *call, wait time.Duration, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
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
			c, wait, err = s.resume(ctx, row, from)

			return err
		}
		if row.State != store.Queued && row.State != store.Scheduled {
			return nil
		}
		if wait, err = s.waitBeforeCall(ctx, &row); err != nil || wait > 0 {
			return store.OrElse(err, s.store.SaveMessage(ctx, &row))
		}
		if reason, err := s.reasonNotToSend(ctx, row, from); err != nil || reason != "" {
			return store.OrElse(err, s.outcomes.fail(ctx, &row, reason, ""))
		}
		c, err = s.addAttempt(ctx, row, from)

		return err
	})

	return c, wait, err
}

// resume looks at a message that was being handed over.
func (s *Sender) resume(ctx context.Context, row store.Message, from store.Account) (*call, time.Duration, error) {
	last, err := s.store.LastAttempt(ctx, row.ID)
	if err != nil || last.Outcome != store.AttemptOpen {
		return nil, 0, err
	}
	now := s.clock.Now()
	if wait := s.policy(call{}).InFlight(last.CalledAt, now); wait > 0 {
		return nil, wait, nil
	}
	open, err := s.vendors.Open(ctx, from)
	if err != nil {
		return nil, 0, err
	}
	last.CalledAt = now // others leave it alone while this one asks

	return &call{message: row, account: from, attempt: last, line: open}, 0, s.store.SaveAttempt(ctx, &last)
}

// waitBeforeCall returns for how long a message has to wait: for its time, the end of its recipient's quiet hours, and
// its turn. It takes the turn, so that row is to be stored.
func (s *Sender) waitBeforeCall(ctx context.Context, row *store.Message) (time.Duration, error) {
	now := s.clock.Now()
	if row.DueAt.After(now) {
		return row.DueAt.Sub(now), nil
	}
	p, err := s.store.Preferences(ctx)
	if err != nil {
		return 0, err
	}
	until, err := s.quietHours.end(ctx, p, *row, now)
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
	slot, err := s.throttles.reserve(ctx, row.NumberID, now)
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

// reasonNotToSend returns why a message must not be sent, "" if it may. It keeps the recipient's row, so an opt-out
// comes before the attempt, and stops it, or after.
func (s *Sender) reasonNotToSend(ctx context.Context, row store.Message, from store.Account) (string, error) {
	to, err := s.store.LockContact(ctx, row.Recipient, s.clock.Now())
	if err != nil {
		return "", err
	}
	if to.OptedOutAt != nil && (to.FarewellID == nil || *to.FarewellID != row.ID) {
		return string(provider.OptedOut), nil
	}
	if from.DisabledAt != nil {
		return ReasonDisabled, nil
	}
	number, err := s.store.Number(ctx, row.NumberID)
	if err != nil {
		return "", err
	}
	if number.State != store.NumberActive {
		return ReasonReleased, nil
	}

	return s.refused(ctx, row)
}

// freshFor is for how long what the screens said of a recipient holds.
const freshFor = time.Minute

// refused asks the screens anew about the recipient of a message that has waited, such as for its time or the end of quiet hours.
func (s *Sender) refused(ctx context.Context, row store.Message) (string, error) {
	if row.State != store.Scheduled && (row.Urgent || s.clock.Now().Sub(row.CreatedAt) < freshFor) {
		return "", nil
	}
	refused, err := s.screens.Screened(ctx, notify.Address{Channel: notify.SMS, To: row.Recipient})
	if err != nil || len(refused) == 0 {
		return "", err
	}

	return ReasonRefused, nil
}

// Reasons of our own for which a message fails.
const (
	ReasonDisabled = "account_disabled"
	ReasonReleased = "number_released"
	ReasonRefused  = "recipient_refused"
	reasonGivenUp  = "given_up"
)

// addAttempt stores the attempt before the call.
func (s *Sender) addAttempt(ctx context.Context, row store.Message, from store.Account) (*call, error) {
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
