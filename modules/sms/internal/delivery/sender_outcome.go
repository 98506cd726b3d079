package delivery

import (
	"context"
	"time"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/settings"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/handover"
)

type result = handover.Result[provider.Reason, provider.Accepted]

// Finisher stores what came of calls.
type Finisher struct {
	store    *store.Repository
	outcomes *outcomes
	results  *Results
	clock    clock.Clock
	settings *settings.Settings
}

// NewFinisher returns a Finisher.
func NewFinisher(r *store.Repository, o *outcomes, re *Results, c clock.Clock, s *settings.Settings) *Finisher {
	return &Finisher{store: r, outcomes: o, results: re, clock: c, settings: s}
}

// policy is what the configuration allows, and the provider can do: one that knows repeats is asked by repeating the call.
func (s *Finisher) policy(c call) handover.Policy {
	p := handover.Policy{Timeout: s.settings.SendTimeout, MaxAttempts: s.settings.MaxAttempts}
	switch {
	case c.line.Can.DedupesFor > 0:
		p.AskFor = min(s.settings.AskAgainFor, c.line.Can.DedupesFor/2)
	case c.line.Can.Finds:
		p.AskFor = s.settings.AskAgainFor
	}

	return p
}

// finish stores what came of a call.
func (s *Finisher) finish(ctx context.Context, c call, r result) (time.Duration, error) {
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
		return 0, s.results.accept(ctx, &row, r.Answer, c.line.Can.Simulated)
	case handover.Retry:
		row.DueAt, row.SlotAt = s.clock.Now().Add(wait), nil

		return wait, s.outcomes.stepAndSave(ctx, &row, store.VerbRequeue, string(r.Err.Reason))
	case handover.Refuse:
		return 0, s.results.refuse(ctx, &row, r.Err)
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

// Results keeps that providers have taken messages, or refused them.
type Results struct {
	reports  *Reports
	player   *Player
	optOuts  *OptOuts
	outcomes *outcomes
}

// NewResults returns Results.
func NewResults(r *Reports, p *Player, o *OptOuts, out *outcomes) *Results {
	return &Results{reports: r, player: p, optOuts: o, outcomes: out}
}

// accept keeps that a message was taken.
func (s *Results) accept(ctx context.Context, row *store.Message, accepted provider.Accepted, simulated bool) error {
	err := s.reports.apply(ctx, row, provider.Update{
		ID: accepted.ID, Status: accepted.Status, Raw: accepted.Raw, Segments: accepted.Segments, Cost: accepted.Cost,
	})
	if err == nil && simulated {
		return s.player.schedule(ctx, *row, 0)
	}

	return err
}

// refuse keeps that a message was not taken, and will not be.
func (s *Results) refuse(ctx context.Context, row *store.Message, refusal *provider.Error) error {
	if refusal.Reason == provider.OptedOut {
		if err := s.optOuts.Add(ctx, row.Recipient, OptOutCause{Source: sourceProvider, Message: &row.ID}); err != nil {
			return err
		}
	}

	return s.outcomes.fail(ctx, row, string(refusal.Reason), refusal.Code)
}
