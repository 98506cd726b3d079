package sms

import (
	"context"
	"errors"
	"time"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// finish commits what came of a call.
func (s *sender) finish(ctx context.Context, c call, accepted provider.Accepted, called error) error {
	var wait time.Duration
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		wait = 0
		row, err := s.heldMessage(ctx, c.message.ID)
		if err != nil {
			return err
		}
		a, err := s.attempt(ctx, c.attempt.ID)
		if err != nil || a.Outcome != attempting {
			return err // a notification was faster
		}
		refusal, answered := errors.AsType[*provider.Error](called)
		switch {
		case called == nil:
			return s.accept(ctx, &row, &a, accepted, c.line.can.Simulated)
		case answered && refusal.Taken == provider.No:
			wait, err = s.refused(ctx, &row, &a, refusal)

			return err
		}
		wait, err = s.doubt(ctx, &row, &a, c.line.can, called)

		return err
	})
	if err == nil && isAuth(called) {
		_, err = s.noteHealth(ctx, c.account, called)
	}
	if err == nil && wait > 0 {
		return jobs.Later(wait)
	}

	return err
}

// accept keeps that a message was taken.
func (s *sender) accept(ctx context.Context, row *message, a *attempt, accepted provider.Accepted, simulated bool) error {
	if err := s.end(ctx, a, taken, nil); err != nil {
		return err
	}
	if err := s.observe(ctx, row, provider.Update{
		ID: accepted.ID, Status: accepted.Status, Raw: accepted.Raw, Segments: accepted.Segments, Cost: accepted.Cost,
	}); err != nil {
		return err
	}
	if simulated {
		return s.play(ctx, *row, 0)
	}

	return nil
}

// end closes an attempt.
func (s *core) end(ctx context.Context, a *attempt, as outcome, why *provider.Error) error {
	now := s.clock.Now()
	a.Outcome, a.EndedAt = as, &now
	if why != nil {
		a.Reason, a.Code, a.Detail = string(why.Reason), why.Code, clip(why.Detail)
	}

	return s.saveAttempt(ctx, a)
}

// clip keeps what a vendor says short.
func clip(text string) string {
	if runes := []rune(text); len(runes) > 500 {
		return string(runes[:500])
	}

	return text
}

// refused keeps that a message was not taken: it is handed over again if that is of use, or fails.
func (s *sender) refused(ctx context.Context, row *message, a *attempt, refusal *provider.Error) (time.Duration, error) {
	if err := s.end(ctx, a, notTaken, refusal); err != nil {
		return 0, err
	}
	if refusal.Retryable && row.Attempts < int64(s.settings.MaxAttempts) {
		wait := max(refusal.RetryAfter, pause(row.Attempts))
		if err := s.step(ctx, row, verbRequeue, string(refusal.Reason)); err != nil {
			return 0, err
		}
		row.DueAt, row.SlotAt = s.clock.Now().Add(wait), nil

		return wait, s.saveMessage(ctx, row)
	}
	if refusal.Reason == provider.OptedOut {
		if err := s.addOptOut(ctx, row.Recipient, optOutOf{source: sourceProvider, message: &row.ID}); err != nil {
			return 0, err
		}
	}

	return 0, s.fail(ctx, row, string(refusal.Reason), refusal.Code)
}

// pause is how long to wait after that many attempts: 2s, 4s, 8s … 5m at most.
func pause(attempts int64) time.Duration {
	return min(time.Second<<min(attempts, 10), 5*time.Minute)
}

// doubt deals with a call of which nobody knows whether the message was taken. It is never handed over again,
// unless the provider knows repeats; where the provider can be asked, it is, later; else a person decides.
func (s *sender) doubt(ctx context.Context, row *message, a *attempt, can provider.Capabilities, why error) (time.Duration, error) {
	reason, code := reasonOf(why)
	a.Reason, a.Code = string(reason), code
	old := s.clock.Now().Sub(a.StartedAt) >= s.askFor(can)
	if !old && (can.DedupesFor > 0 || can.Finds) {
		return s.patience(), s.saveAttempt(ctx, a)
	}
	if err := s.end(ctx, a, lost, nil); err != nil {
		return 0, err
	}
	if err := s.step(ctx, row, verbLose, a.Reason); err != nil {
		return 0, err
	}
	row.Reason, row.Code = a.Reason, a.Code

	return 0, s.saveMessage(ctx, row)
}

// askFor is how long a provider is asked about a message.
func (s *sender) askFor(can provider.Capabilities) time.Duration {
	if can.DedupesFor > 0 {
		return min(s.settings.AskAgainFor, can.DedupesFor/2)
	}

	return s.settings.AskAgainFor
}

// ask finds out about an attempt whose call ended without an answer: it repeats the call, where the provider
// knows repeats, or looks for the message.
func (s *sender) ask(ctx context.Context, c call) error {
	can := c.line.can
	switch {
	case can.DedupesFor > 0 && s.clock.Now().Sub(c.attempt.StartedAt) < can.DedupesFor:
		return s.repeat(ctx, c)
	case !can.Finds:
		return s.finish(ctx, c, provider.Accepted{}, errSilent)
	}
	calling, cancel := context.WithTimeout(ctx, s.settings.SendTimeout)
	defer cancel()
	found, complete, err := c.line.Find(calling, provider.Search{
		Reference: c.attempt.ID.String(), From: c.message.Sender, To: c.message.Recipient, Body: c.message.Body,
		Since: c.attempt.StartedAt.Add(-time.Minute),
	})
	if err != nil {
		return s.finish(ctx, c, provider.Accepted{}, silence(err))
	}
	if found, err = s.unclaimed(ctx, c, found); err != nil {
		return err
	}
	switch {
	case len(found) == 1:
		u := found[0]

		return s.finish(ctx, c, provider.Accepted{ID: u.ID, Status: u.Status, Raw: u.Raw, Segments: u.Segments, Cost: u.Cost}, nil)
	case len(found) == 0 && complete:
		return s.finish(ctx, c, provider.Accepted{}, &provider.Error{Reason: provider.ProviderDown, Taken: provider.No, Retryable: true})
	default:
		return s.finish(ctx, c, provider.Accepted{}, errSilent)
	}
}

// repeat calls again a provider that knows repeats. That it refuses the repeat says nothing of the first call.
func (s *sender) repeat(ctx context.Context, c call) error {
	accepted, err := s.call(ctx, c)
	if err != nil {
		err = silence(err)
	}

	return s.finish(ctx, c, accepted, err)
}

var errSilent = errors.New("sms: the provider did not say whether it took the message")

// silence is a failure to ask: it says nothing of the message, whatever it says of the question.
func silence(err error) error { return errors.Join(errSilent, errors.New(err.Error())) }

// unclaimed returns those of the found that are no other message of ours.
func (s *sender) unclaimed(ctx context.Context, c call, found []provider.Update) ([]provider.Update, error) {
	var free []provider.Update
	for _, u := range found {
		_, err := s.messageOf(ctx, c.message.AccountID, u.ID)
		if errors.Is(err, errBadMessageID) {
			free = append(free, u)
		} else if err != nil {
			return nil, err
		}
	}

	return free, nil
}
