// Package envelopes decides about envelopes before they are at the provider, and stores what people order of those that are.
package envelopes

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/modules/esign/internal/fill"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Service decides about envelopes.
type Service struct {
	db       *database.DB
	store    *store.Repository
	composer *Composer
	states   *state.Log
	bus      *events.Bus
	queue    *jobs.Queue
	clock    clock.Clock
}

// New returns a Service.
func New(r *store.Repository, c *Composer, states *state.Log, bus *events.Bus, queue *jobs.Queue, clk clock.Clock) *Service {
	return &Service{db: r.DB, store: r, composer: c, states: states, bus: bus, queue: queue, clock: clk}
}

// Create stores an envelope, as a draft or together with the job that hands it over.
func (s *Service) Create(ctx context.Context, d Draft, asDraft bool) (row store.Envelope, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		d := d
		c, err := s.composer.compose(ctx, &d)
		if err != nil {
			return err
		}
		now := s.clock.Now()
		row = store.Envelope{
			ID: database.NewID(), AccountID: c.account.ID, Origin: store.OriginHere, ItemType: d.Item.Type, Source: d.Source,
			State: store.Draft, Heard: []byte("{}"), CreatedBy: principal.UserOf(ctx), Version: 1, CreatedAt: now, UpdatedAt: now,
		}
		if d.Item.UUID != uuid.Nil {
			row.ItemID = &d.Item.UUID
		}
		applyDraft(&row, d, c)
		if !asDraft {
			row.State = store.Queued
			if err := s.composer.prepare(ctx, &row, c.recipients); err != nil {
				return err
			}
			if err := s.queue.Enqueue(ctx, SendArgs{Envelope: row.ID}); err != nil {
				return err
			}
		}
		if err := s.store.Insert(ctx, &row); err != nil {
			return err
		}

		return s.store.InsertRecipients(ctx, row.ID, c.recipients)
	})

	return row, err
}

// applyDraft puts into a row what a draft says that can be changed.
func applyDraft(row *store.Envelope, d Draft, c checkedDraft) {
	row.Subject, row.Message = d.Subject, d.Message
	if c.template != nil {
		row.TemplateID = &c.template.ID
	}
	if c.mapping != nil {
		row.MappingID = &c.mapping.ID
	}
	row.Content = store.Content{
		Attachments: d.Attachments, ReminderDelay: d.Days.ReminderDelay, ReminderEvery: d.Days.ReminderEvery,
		ExpireAfter: d.Days.ExpireAfter, ExpireWarn: d.Days.ExpireWarn, Given: c.given,
	}
}

// draftFrom is a row as it was wanted.
func draftFrom(row store.Envelope, recipients []store.Recipient) Draft {
	d := Draft{
		Account: row.AccountID, Subject: row.Subject, Message: row.Message, Attachments: row.Content.Attachments, Source: row.Source,
		Days: Days{row.Content.ReminderDelay, row.Content.ReminderEvery, row.Content.ExpireAfter, row.Content.ExpireWarn},
		Item: row.ItemRef(),
	}
	if row.MappingID != nil {
		d.Mapping = *row.MappingID
	} else if row.TemplateID != nil {
		d.Template = *row.TemplateID
	}
	for _, r := range recipients {
		d.Recipients = append(d.Recipients, RecipientDraft{
			Role: r.Role, Kind: string(r.Kind), Name: r.Name, Email: r.Email, RoutingOrder: int(r.RoutingOrder), Embedded: r.Embedded,
			Tabs: row.Content.Given[r.ExternalID],
		})
	}

	return d
}

// Update changes a draft, or an envelope that has failed.
func (s *Service) Update(ctx context.Context, id uuid.UUID, match web.IfMatch, do func(*Draft)) (row store.Envelope, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = s.store.HeldEnvelope(ctx, id); err != nil {
			return err
		}
		if err := match.Check(row.Version); err != nil {
			return err
		}
		if row.State != store.Draft && row.State != store.Failed {
			return store.ErrNotDraft.WithDetail("current", string(row.State))
		}
		all, err := s.store.Recipients(ctx, row.ID)
		if err != nil {
			return err
		}
		d := draftFrom(row, all)
		do(&d)
		c, err := s.composer.compose(ctx, &d)
		if err != nil {
			return err
		}
		if err := s.composer.holdings.release(ctx, row); err != nil {
			return err
		}
		applyDraft(&row, d, c)
		row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()
		if err := s.store.SaveEnvelope(ctx, &row); err != nil {
			return err
		}
		if err := s.store.DeleteRecipients(ctx, row.ID); err != nil {
			return err
		}

		return s.store.InsertRecipients(ctx, row.ID, c.recipients)
	})

	return row, err
}

// prepare fills in an envelope that is about to be sent, and holds its attachments. What is missing or does not fit
// refuses it.
func (s *Composer) prepare(ctx context.Context, row *store.Envelope, recipients []store.Recipient) error {
	if err := s.gate.check(ctx, recipients); err != nil {
		return err
	}
	if err := s.holdings.hold(ctx, row); err != nil {
		return err
	}
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

// Current implements state.Handlers.
func (s *Service) Current(ctx context.Context, id uuid.UUID) (store.Status, any, error) {
	row, err := s.store.Envelope(ctx, id)

	return row.State, row, err
}

// Log implements state.Handlers.
func (s *Service) Log() *state.Log { return s.states }

// AllowedVerbs are the verbs that the caller may use now.
func (s *Service) AllowedVerbs(ctx context.Context, row store.Envelope) ([]string, error) {
	who, _ := principal.From(ctx)
	steps, err := store.Lifecycle.Allowed(ctx, s.states, row.State, row, who)
	if err != nil {
		return nil, err
	}
	verbs := []string{}
	for _, step := range steps {
		if !slices.Equal(step.Who.Kinds, []principal.Kind{principal.System}) {
			verbs = append(verbs, step.Verb)
		}
	}
	if !who.Allows("esign:" + store.SendScope) {
		return verbs, nil
	}
	for _, verb := range []string{store.ActVoid, store.ActResend, store.ActCorrect, store.ActRefresh} {
		if CheckOrder(row, verb) == nil {
			verbs = append(verbs, verb)
		}
	}

	return verbs, nil
}

// Move is by people: they send, discard, and decide about what nobody knows of.
func (s *Service) Move(ctx context.Context, move state.Move, match web.IfMatch) (row store.Envelope, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) (err error) {
		if row, err = s.store.HeldEnvelope(ctx, move.UUID); err != nil {
			return err
		}
		if err := match.Check(row.Version); err != nil {
			return err
		}
		move.Thing = row
		if row.State, err = store.Lifecycle.Apply(ctx, s.states, row.State, move); err != nil {
			return err
		}
		now := s.clock.Now()
		row.Version, row.UpdatedAt = row.Version+1, now
		if err := s.applyVerb(ctx, &row, move); err != nil {
			return err
		}

		return s.store.SaveEnvelope(ctx, &row)
	})

	return row, err
}

// applyVerb does what goes with a verb.
func (s *Service) applyVerb(ctx context.Context, row *store.Envelope, move state.Move) error {
	now := s.clock.Now()
	switch move.Verb {
	case store.VerbSend, store.VerbSendAgain:
		row.Reason, row.Code, row.Detail, row.Attempts = "", "", "", 0
		all, err := s.store.Recipients(ctx, row.ID)
		if err != nil {
			return err
		}
		if move.Verb == store.VerbSendAgain {
			if err := s.composer.gate.check(ctx, all); err != nil {
				return err
			}
		}
		if move.Verb == store.VerbSend {
			if err := s.composer.checkAccount(ctx, *row); err != nil {
				return err
			}
			if err := s.composer.prepare(ctx, row, all); err != nil {
				return err
			}
		}

		return s.queue.Enqueue(ctx, SendArgs{Envelope: row.ID})
	case store.VerbGiveUp:
		row.Reason, row.Code, row.Detail = store.ReasonGivenUp, "", move.Reason

		return s.bus.Publish(ctx, esignapi.EnvelopeFailed{About: row.EventAbout(), Reason: row.Reason})
	case store.VerbDiscard:
		row.EndedAt = &now

		return s.composer.holdings.release(ctx, *row)
	}

	return nil
}

// checkAccount refuses to send by an account that is disabled.
func (s *Composer) checkAccount(ctx context.Context, row store.Envelope) error {
	_, err := s.vendors.Accounts.Ready(ctx, row.AccountID)

	return err
}

// SendArgs are the job that hands an envelope over to its provider.
type SendArgs struct {
	Envelope uuid.UUID `json:"envelope"`
}

// Kind implements jobs.Args.
func (SendArgs) Kind() string { return "esign.send" }
