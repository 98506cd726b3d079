// Package sending makes envelopes at providers, no one twice, and performs there what people have ordered.
package sending

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/esign/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/esign/internal/envelopes"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/handover"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// SendTime is how long the job may take: the template is read, and the envelope made with all its files.
const SendTime = 5 * time.Minute

// Sender hands envelopes over. No envelope is made twice: see docs/adr/0034.
type Sender struct {
	store    *store.Repository
	vendors  *accounts.Vendors
	contents *Contents
	outcomes *Outcomes
	finisher *Finisher
	flow     handover.Flow[provider.Reason, call, provider.Update]
}

// call is an envelope that is about to be handed over, or may have been.
type call struct {
	envelope   store.Envelope
	account    store.Account
	open       provider.Account
	template   *store.Template
	recipients []store.Recipient
	files      map[string]attachmentsapi.File
	// fresh says that the provider was not called yet.
	fresh bool
}

// Send does the job: it looks whether the template is still what was filled in, commits that it is about to call, calls,
// and commits what came of it. Where it dies in between, the next run finds that it has called, and asks instead.
func (s *Sender) Send(ctx context.Context, args envelopes.SendArgs) error {
	c, err := s.Load(ctx, args.Envelope)
	if err != nil || c == nil {
		return err
	}
	if c.envelope.State == store.Queued {
		if goOn, err := s.contents.CheckUnchanged(ctx, c); err != nil || !goOn {
			return err
		}
	}
	wait, goOn, err := s.Begin(ctx, c)
	switch {
	case err != nil:
		return err
	case wait > 0:
		return jobs.Later(wait)
	case !goOn:
		return nil
	}

	return s.Run(ctx, *c)
}

// Run calls the provider, or asks it where it was called before, and commits what came of that.
func (s *Sender) Run(ctx context.Context, c call) error { return s.flow.Run(ctx, c, !c.fresh) }

// Load reads an envelope with all that is handed over; nil if there is nothing to do.
func (s *Sender) Load(ctx context.Context, id uuid.UUID) (*call, error) {
	row, err := s.store.Envelope(ctx, id)
	if errors.Is(err, store.ErrEnvelope) || err == nil && row.State != store.Queued && row.State != store.Sending {
		return nil, nil //nolint:nilnil // there is nothing to do
	}
	if err != nil {
		return nil, err
	}
	c := &call{envelope: row}
	if c.account, err = s.vendors.Accounts.One(ctx, row.AccountID); err != nil {
		return nil, err
	}
	if c.recipients, err = s.store.Recipients(ctx, row.ID); err != nil {
		return nil, err
	}
	if row.TemplateID != nil {
		t, err := s.store.Template(ctx, *row.TemplateID)
		if err != nil {
			return nil, err
		}
		c.template = &t
	}
	if c.account.DisabledAt != nil && row.State == store.Queued {
		return nil, s.outcomes.failNow(ctx, row.ID, store.ReasonDisabled, "", "")
	}
	c.open, err = s.vendors.Open(ctx, c.account)
	if refusal, ok := errors.AsType[*provider.Error](err); ok && row.State == store.Queued {
		return nil, s.outcomes.failNow(ctx, row.ID, string(refusal.Reason), refusal.Code, refusal.Detail)
	}

	return c, err
}

// Begin commits that an envelope is being handed over. It says for how long to wait where it is too early, and whether
// there is something to do.
func (s *Sender) Begin(ctx context.Context, c *call) (wait time.Duration, goOn bool, err error) {
	return s.outcomes.begin(ctx, c, s.finisher.policy(*c))
}

// NewSender returns a Sender.
func NewSender(r *store.Repository, v *accounts.Vendors, c *Contents, o *Outcomes, f *Finisher) *Sender {
	sender := &Sender{store: r, vendors: v, contents: c, outcomes: o, finisher: f}
	sender.flow = handover.Flow[provider.Reason, call, provider.Update]{
		DB: r.DB, Policy: f.policy, Call: c.Call, Find: f.resolveUnknown, Finish: f.finish,
		Failed: func(ctx context.Context, c call, err error) error { return v.NoteAuthFailure(ctx, c.account, err) },
	}

	return sender
}
