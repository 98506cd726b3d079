// Package delivery sends messages: it keeps them to opt-outs, quiet hours and rates, hands them to providers at most once, and applies what
// providers report of them.
package delivery

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/handover"
)

// SendMessage are the job that hands a message over to its provider.
type SendMessage struct {
	Message uuid.UUID `json:"message"`
}

// Kind implements jobs.Args.
func (SendMessage) Kind() string { return "sms.send" }

// Sender hands messages over, each at most once: see docs/handover.md.
type Sender struct {
	beginner *Beginner
	vendors  *vendors.Service
	flow     handover.Flow[provider.Reason, call, provider.Accepted]
}

// NewSender returns a Sender.
func NewSender(r *store.Repository, v *vendors.Service, b *Beginner, c *Caller, f *Finisher) *Sender {
	n := &Sender{beginner: b, vendors: v}
	n.flow = handover.Flow[provider.Reason, call, provider.Accepted]{
		DB: r.DB, Policy: f.policy, Call: c.Call, Find: c.resolveUnknown, Finish: f.finish, Failed: n.noteAuthFailure,
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
	c, wait, err := s.beginner.Begin(ctx, args.Message)
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

// noteAuthFailure keeps that an account's credentials do not work.
func (s *Sender) noteAuthFailure(ctx context.Context, c call, err error) error {
	if vendors.IsAuth(err) {
		_, err = s.vendors.NoteHealth(ctx, c.account, err)

		return err
	}

	return nil
}
