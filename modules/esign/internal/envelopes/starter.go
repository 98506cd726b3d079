package envelopes

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/modules/esign/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/esign/internal/fill"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/modules/esign/internal/templates"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// Starter has envelopes sent: it fills them in, holds their attachments, and enqueues the job that hands them over.
type Starter struct {
	vendors  *accounts.Vendors
	filler   *Filler
	holdings *Holdings
	gate     Gate
	queue    *jobs.Queue
}

// NewStarter returns a Starter.
func NewStarter(v *accounts.Vendors, f *Filler, a *Holdings, g Gate, queue *jobs.Queue) *Starter {
	return &Starter{vendors: v, filler: f, holdings: a, gate: g, queue: queue}
}

// start has a draft sent. It refuses an account that is disabled, and what is missing or does not fit.
func (s *Starter) start(ctx context.Context, row *store.Envelope, recipients []store.Recipient) error {
	if _, err := s.vendors.Accounts.Ready(ctx, row.AccountID); err != nil {
		return err
	}

	return s.prepareAndSend(ctx, row, recipients)
}

// startAgain has an envelope sent that failed, as it was filled in before.
func (s *Starter) startAgain(ctx context.Context, row *store.Envelope, recipients []store.Recipient) error {
	if err := s.gate.check(ctx, recipients); err != nil {
		return err
	}

	return s.queue.Enqueue(ctx, SendArgs{Envelope: row.ID})
}

// prepareAndSend fills in an envelope whose account was checked, holds its attachments, and has it sent.
func (s *Starter) prepareAndSend(ctx context.Context, row *store.Envelope, recipients []store.Recipient) error {
	if err := s.gate.check(ctx, recipients); err != nil {
		return err
	}
	if err := s.holdings.hold(ctx, row); err != nil {
		return err
	}
	if err := s.filler.fill(ctx, row, recipients); err != nil {
		return err
	}

	return s.queue.Enqueue(ctx, SendArgs{Envelope: row.ID})
}

// release releases the attachments of an envelope.
func (s *Starter) release(ctx context.Context, row store.Envelope) error {
	return s.holdings.release(ctx, row)
}

// Filler fills in the tabs of templates.
type Filler struct {
	store    *store.Repository
	mappings *templates.Mappings
}

// NewFiller returns a Filler.
func NewFiller(r *store.Repository, m *templates.Mappings) *Filler {
	return &Filler{store: r, mappings: m}
}

// fill fills in an envelope that is about to be sent. What is missing or does not fit refuses it.
func (s *Filler) fill(ctx context.Context, row *store.Envelope, recipients []store.Recipient) error {
	if row.TemplateID == nil {
		return nil
	}
	t, err := s.store.Template(ctx, *row.TemplateID)
	if err != nil {
		return err
	}
	var m *store.Mapping
	if row.MappingID != nil {
		found, err := s.store.Mapping(ctx, *row.MappingID)
		if err != nil {
			return err
		}
		m = &found
	}
	given := map[string]map[string]string{}
	for _, r := range recipients {
		if tabs := row.Content.Given[r.ExternalID]; len(tabs) > 0 {
			given[r.Role] = tabs
		}
	}
	f, err := s.mappings.FillTemplate(ctx, t, m, row.ItemRef(), given)
	if err != nil {
		return err
	}
	if err := incompleteError(f.Problems, MissingSigners(t, recipients)); err != nil {
		return err
	}
	row.Content.SetValues(f.Tabs, recipients)

	return nil
}

// MissingSigners returns the signer roles that no recipient fills.
func MissingSigners(t store.Template, recipients []store.Recipient) []string {
	var roles []string
	for _, role := range t.Roles {
		signs := role.Kind == provider.Signer || role.Kind == provider.InPersonSigner
		played := slices.ContainsFunc(recipients, func(r store.Recipient) bool { return strings.EqualFold(r.Role, role.Name) })
		if role.Name != "" && signs && !played {
			roles = append(roles, role.Name)
		}
	}

	return roles
}

// incompleteError makes a failure of problems.
func incompleteError(problems []fill.Problem, unplayed []string) error {
	if len(problems) == 0 && len(unplayed) == 0 {
		return nil
	}
	refusal := store.ErrIncomplete
	for _, role := range unplayed {
		refusal = refusal.WithField("recipients", fmt.Sprintf("Nobody plays the role %s of the template.", role))
	}
	for _, p := range problems {
		refusal = refusal.WithField("tabs."+p.Role+"."+p.Label, p.Message)
	}
	if problems == nil {
		problems = []fill.Problem{}
	}

	return refusal.WithDetail("problems", problems)
}
