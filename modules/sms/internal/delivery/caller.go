package delivery

import (
	"context"
	"errors"
	"time"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/handover"
)

// Caller hands messages to providers, and asks what became of that.
type Caller struct {
	store *store.Repository
	texts *store.Texts
	clock clock.Clock
}

// NewCaller returns a Caller.
func NewCaller(r *store.Repository, t *store.Texts, c clock.Clock) *Caller {
	return &Caller{store: r, texts: t, clock: c}
}

// Call hands a message over to its provider, without a time-out of its own.
func (s *Caller) Call(ctx context.Context, c call) (provider.Accepted, error) {
	text, err := s.texts.Whole(ctx, c.message)
	if err != nil {
		return provider.Accepted{}, err
	}

	return c.line.Send(ctx, provider.Outgoing{
		Reference: c.attempt.ID.String(), From: c.message.Sender, To: c.message.Recipient, Body: text, Media: c.message.Media,
	})
}

// resolveUnknown asks about an attempt whose call ended without an answer: it repeats the call, where the provider knows
// repeats, or looks for the message.
func (s *Caller) resolveUnknown(ctx context.Context, c call) (result, error) {
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
func (s *Caller) unclaimed(ctx context.Context, c call, found []provider.Update) ([]provider.Accepted, error) {
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
