package sending

import (
	"context"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/esign/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/reports"
	"github.com/dispatchd/dispatchd/modules/esign/internal/settings"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/handover"
)

// result is what is known of a call.
type result = handover.Result[provider.Reason, provider.Update]

// limitPause is the shortest wait after a rate limit.
const limitPause = 30 * time.Second

// Finisher stores what came of calls.
type Finisher struct {
	store    *store.Repository
	vendors  *accounts.Vendors
	reports  *reports.Service
	outcomes *Outcomes
	settings settings.Settings
}

// NewFinisher returns a Finisher.
func NewFinisher(r *store.Repository, v *accounts.Vendors, reportService *reports.Service, o *Outcomes, s settings.Settings) *Finisher {
	return &Finisher{store: r, vendors: v, reports: reportService, outcomes: o, settings: s}
}

// policy bounds how often an envelope is handed over, and for how long its outcome is asked for.
func (s *Finisher) policy(call) handover.Policy {
	return handover.Policy{
		Timeout: s.vendors.Timeout(), MaxAttempts: s.settings.MaxAttempts, LimitPause: limitPause, AskFor: s.settings.AskAgainFor,
	}
}

// resolveUnknown asks the provider what became of a call that ended without an answer.
func (s *Finisher) resolveUnknown(ctx context.Context, c call) (result, error) {
	found, complete, err := findEnvelope(ctx, s.vendors, c.open, c.envelope)
	if err != nil {
		return handover.NoAnswer[provider.Reason, provider.Update](err), nil
	}
	r := handover.SearchResult[provider.Reason](found, complete)
	if len(found) > 1 {
		r.Err.Detail = severalFound(found)
	}

	return r, nil
}

// finish stores what came of a call.
func (s *Finisher) finish(ctx context.Context, c call, r result) (time.Duration, error) {
	row, err := s.store.HeldEnvelope(ctx, c.envelope.ID)
	if err != nil || r.Err != nil && row.State != store.Sending {
		return 0, err // a notification was faster
	}
	step, wait := r.Next(s.policy(c), row.Attempts, s.outcomes.now().Sub(row.LastCalled()))
	switch step {
	case handover.Accept:
		return 0, s.recordMade(ctx, &row, r.Answer)
	case handover.Refuse:
		return 0, s.outcomes.fail(ctx, &row, string(r.Err.Reason), r.Err.Code, r.Err.Detail)
	case handover.Retry:
		if r.Err.Reason == provider.RateLimited {
			row.Attempts--
		}
		err = s.outcomes.step(ctx, &row, store.VerbRequeue, string(r.Err.Reason))
	case handover.GiveUp:
		err = s.outcomes.step(ctx, &row, store.VerbMarkUnknown, string(r.Err.Reason))
	case handover.Ask:
	}
	if err != nil {
		return 0, err
	}
	row.Reason, row.Code, row.Detail = string(r.Err.Reason), r.Err.Code, store.Clip(r.Err.Detail, 2000)

	return wait, s.store.SaveEnvelope(ctx, &row)
}

// recordMade keeps that the provider has the envelope. What was filled in is dropped: it is in the documents.
func (s *Finisher) recordMade(ctx context.Context, row *store.Envelope, update provider.Update) error {
	if err := s.reports.ApplyAnswer(ctx, row, update); err != nil {
		return err
	}
	row.Content.Values = nil

	return s.store.SaveContent(ctx, row)
}

// severalFound says that the provider has several envelopes of one reference: a person has to look.
func severalFound(found []provider.Update) string {
	ids := make([]string, 0, len(found))
	for _, u := range found {
		ids = append(ids, u.ID)
	}

	return "The provider has several envelopes that were made from this one: " + strings.Join(ids, ", ") + ". Void all but one, and refresh."
}

// findEnvelope looks for an envelope at the provider, by our name of it.
func findEnvelope(ctx context.Context, v *accounts.Vendors, open provider.Account, row store.Envelope) ([]provider.Update, bool, error) {
	calling, cancel := v.CallContext(ctx)
	defer cancel()

	return open.Find(calling, row.ID.String(), row.CreatedAt.Add(-time.Hour), row.LastCalled()) // clocks differ
}
