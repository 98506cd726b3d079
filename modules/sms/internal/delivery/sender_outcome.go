package delivery

import (
	"context"
	"errors"
	"time"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/handover"
)

type result = handover.Result[provider.Reason, provider.Accepted]

// finish stores what came of a call.
func (s *Sender) finish(ctx context.Context, c call, r result) (time.Duration, error) {
	row, err := s.store.LockMessage(ctx, c.message.ID)
	if err != nil {
		return 0, err
	}
	a, err := s.store.Attempt(ctx, c.attempt.ID)
	if err != nil || a.Outcome != store.AttemptOpen {
		return 0, err // a notification was faster
	}
	step, wait := r.Next(s.policy(c), row.Attempts, s.clock.Now().Sub(a.StartedAt))
	if err := s.outcomes.endAttempt(ctx, &a, attemptOutcome(step), r.Err); err != nil {
		return 0, err
	}
	switch step {
	case handover.Accept:
		return 0, s.recordAccepted(ctx, &row, r.Answer, c.line.Can.Simulated)
	case handover.Retry:
		row.DueAt, row.SlotAt = s.clock.Now().Add(wait), nil

		return wait, s.outcomes.stepAndSave(ctx, &row, store.VerbRequeue, string(r.Err.Reason))
	case handover.Refuse:
		return 0, s.recordRefused(ctx, &row, r.Err)
	case handover.GiveUp:
		row.Reason, row.Code = string(r.Err.Reason), r.Err.Code

		return 0, s.outcomes.stepAndSave(ctx, &row, store.VerbMarkUnknown, row.Reason)
	default:
		return wait, nil
	}
}

// attemptOutcome is what an attempt came to, by what follows.
func attemptOutcome(step handover.Step) store.AttemptOutcome {
	switch step {
	case handover.Accept:
		return store.AttemptAccepted
	case handover.Retry, handover.Refuse:
		return store.AttemptRefused
	case handover.GiveUp:
		return store.AttemptUnknown
	default:
		return store.AttemptOpen
	}
}

// recordAccepted keeps that a message was taken.
func (s *Sender) recordAccepted(ctx context.Context, row *store.Message, accepted provider.Accepted, simulated bool) error {
	err := s.reports.apply(ctx, row, provider.Update{
		ID: accepted.ID, Status: accepted.Status, Raw: accepted.Raw, Segments: accepted.Segments, Cost: accepted.Cost,
	})
	if err == nil && simulated {
		return s.player.schedule(ctx, *row, 0)
	}

	return err
}

// recordRefused keeps that a message was not taken, and will not be.
func (s *Sender) recordRefused(ctx context.Context, row *store.Message, refusal *provider.Error) error {
	if refusal.Reason == provider.OptedOut {
		if err := s.optOuts.Add(ctx, row.Recipient, OptOutCause{Source: sourceProvider, Message: &row.ID}); err != nil {
			return err
		}
	}

	return s.outcomes.fail(ctx, row, string(refusal.Reason), refusal.Code)
}

// noteAuthFailure keeps that an account's credentials do not work.
func (s *Sender) noteAuthFailure(ctx context.Context, c call, err error) error {
	if vendors.IsAuth(err) {
		_, err = s.vendors.NoteHealth(ctx, c.account, err)

		return err
	}

	return nil
}

// resolveUnknown asks about an attempt whose call ended without an answer: it repeats the call, where the provider knows
// repeats, or looks for the message.
func (s *Sender) resolveUnknown(ctx context.Context, c call) (result, error) {
	can := c.line.Can
	switch {
	case can.DedupesFor > 0 && s.clock.Now().Sub(c.attempt.StartedAt) < can.DedupesFor:
		accepted, err := s.Call(ctx, c)
		if err != nil {
			return noAnswer(err), nil
		}

		return result{Answer: accepted}, nil
	case !can.Finds:
		return handover.SearchResult[provider.Reason, provider.Accepted](nil, false), nil
	}
	text, err := s.texts.Whole(ctx, c.message)
	if err != nil {
		return result{}, err
	}
	found, complete, err := c.line.Find(ctx, provider.Search{
		Reference: c.attempt.ID.String(), From: c.message.Sender, To: c.message.Recipient, Body: text,
		Since: c.attempt.StartedAt.Add(-time.Minute),
	})
	if err != nil {
		return noAnswer(err), nil
	}
	free, err := s.unclaimed(ctx, c, found)

	return handover.SearchResult[provider.Reason](free, complete), err
}

// noAnswer is the result of a question that failed. Why it was refused is not why the message is unknown.
func noAnswer(err error) result {
	return handover.NoAnswer[provider.Reason, provider.Accepted](errors.New(err.Error()))
}

// unclaimed returns those of the found that are no other message of ours.
func (s *Sender) unclaimed(ctx context.Context, c call, found []provider.Update) ([]provider.Accepted, error) {
	var free []provider.Accepted
	for _, u := range found {
		_, err := s.store.MessageByProviderID(ctx, c.message.AccountID, u.ID)
		if errors.Is(err, store.ErrBadMessageID) {
			free = append(free, provider.Accepted{ID: u.ID, Status: u.Status, Raw: u.Raw, Segments: u.Segments, Cost: u.Cost})
		} else if err != nil {
			return nil, err
		}
	}

	return free, nil
}
