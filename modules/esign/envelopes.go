package esign

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/modules/esign/internal/fill"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// envelopes decides about envelopes.
type envelopes struct {
	*core

	files attachmentsapi.Files
	holds attachmentsapi.Holds
}

func newEnvelopes(c *core, files attachmentsapi.Files, holds attachmentsapi.Holds) *envelopes {
	return &envelopes{core: c, files: files, holds: holds}
}

// create stores an envelope, as a draft or together with the job that hands it over.
func (s *envelopes) create(ctx context.Context, d draftOf, asDraft bool) (row envelope, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		d := d
		c, err := s.compose(ctx, &d)
		if err != nil {
			return err
		}
		now := s.clock.Now()
		row = envelope{
			ID: database.NewID(), AccountID: c.account.ID, Origin: originHere, ItemType: d.Item.Type, Source: d.Source,
			State: draft, Heard: []byte("{}"), CreatedBy: principal.UserOf(ctx), Version: 1, CreatedAt: now, UpdatedAt: now,
		}
		if d.Item.UUID != uuid.Nil {
			row.ItemID = &d.Item.UUID
		}
		row.take(d, c)
		if !asDraft {
			row.State = queued
			if err := s.prepare(ctx, &row, c.recipients); err != nil {
				return err
			}
			if err := s.queue.Enqueue(ctx, sendArgs{Envelope: row.ID}); err != nil {
				return err
			}
		}
		if err := s.insert(ctx, &row); err != nil {
			return err
		}

		return s.insertRecipients(ctx, row.ID, c.recipients)
	})

	return row, err
}

// take puts into a row what a draft says that can be changed.
func (row *envelope) take(d draftOf, c composed) {
	row.Subject, row.Message = d.Subject, d.Message
	if c.template != nil {
		row.TemplateID = &c.template.ID
	}
	if c.mapping != nil {
		row.MappingID = &c.mapping.ID
	}
	row.Content = content{
		Attachments: d.Attachments, ReminderDelay: d.Days.ReminderDelay, ReminderEvery: d.Days.ReminderEvery,
		ExpireAfter: d.Days.ExpireAfter, ExpireWarn: d.Days.ExpireWarn, Given: c.given,
	}
}

// draftOf is a row as it was wanted.
func (row envelope) draftOf(recipients []recipient) draftOf {
	d := draftOf{
		Account: row.AccountID, Subject: row.Subject, Message: row.Message, Attachments: row.Content.Attachments, Source: row.Source,
		Days: days{row.Content.ReminderDelay, row.Content.ReminderEvery, row.Content.ExpireAfter, row.Content.ExpireWarn},
		Item: row.ref(),
	}
	if row.MappingID != nil {
		d.Mapping = *row.MappingID
	} else if row.TemplateID != nil {
		d.Template = *row.TemplateID
	}
	for _, r := range recipients {
		d.Recipients = append(d.Recipients, wanted{
			Role: r.Role, Kind: string(r.Kind), Name: r.Name, Email: r.Email, RoutingOrder: int(r.RoutingOrder), Embedded: r.Embedded,
			Tabs: row.Content.Given[r.ExternalID],
		})
	}

	return d
}

// ref is the item that an envelope is about, the zero Ref for none.
func (row envelope) ref() item.Ref {
	if row.ItemID == nil {
		return item.Ref{}
	}

	return item.Ref{Type: row.ItemType, UUID: *row.ItemID}
}

// update changes a draft, or an envelope that has failed.
func (s *envelopes) update(ctx context.Context, id uuid.UUID, match web.IfMatch, do func(*draftOf)) (row envelope, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = s.heldEnvelope(ctx, id); err != nil {
			return err
		}
		if err := match.Check(row.Version); err != nil {
			return err
		}
		if row.State != draft && row.State != failed {
			return errNotDraft.WithDetail("current", string(row.State))
		}
		all, err := s.recipients(ctx, row.ID)
		if err != nil {
			return err
		}
		d := row.draftOf(all)
		do(&d)
		c, err := s.compose(ctx, &d)
		if err != nil {
			return err
		}
		if err := s.release(ctx, row); err != nil {
			return err
		}
		row.take(d, c)
		row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()
		if err := s.saveEnvelope(ctx, &row); err != nil {
			return err
		}
		if err := s.dropRecipients(ctx, row.ID); err != nil {
			return err
		}

		return s.insertRecipients(ctx, row.ID, c.recipients)
	})

	return row, err
}

// prepare fills in an envelope that is about to be sent, and holds its attachments. What is missing or does not fit
// refuses it.
func (s *envelopes) prepare(ctx context.Context, row *envelope, recipients []recipient) error {
	if err := s.hold(ctx, row); err != nil {
		return err
	}
	if row.TemplateID == nil {
		return nil
	}
	t, err := s.template(ctx, *row.TemplateID)
	if err != nil {
		return err
	}
	var m *mapping
	if row.MappingID != nil {
		found, err := s.mapping(ctx, *row.MappingID)
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
	f, err := s.fillIn(ctx, t, m, row.ref(), given)
	if err != nil {
		return err
	}
	if err := refuse(f.Problems, unplayed(t, recipients)); err != nil {
		return err
	}
	row.Content.hold(f.Tabs, recipients)

	return nil
}

// hold keeps what tabs are filled with, by recipient.
func (c *content) hold(tabs []fill.Filled, recipients []recipient) {
	c.Values, c.Sensitive = map[string][]provider.Value{}, map[string][]string{}
	for _, r := range recipients {
		for _, tab := range tabs {
			if !strings.EqualFold(tab.Role, r.Role) {
				continue
			}
			c.Values[r.ExternalID] = append(c.Values[r.ExternalID], provider.Value{Label: tab.Label, Type: tab.Type, Text: tab.Value})
			if tab.Sensitive {
				c.Sensitive[r.ExternalID] = append(c.Sensitive[r.ExternalID], tab.Label)
			}
		}
	}
}

// unplayed are the roles of signers that nobody plays.
func unplayed(t template, recipients []recipient) []string {
	var roles []string
	for _, role := range t.Roles {
		signs := role.Kind == provider.Signer || role.Kind == provider.InPersonSigner
		played := slices.ContainsFunc(recipients, func(r recipient) bool { return strings.EqualFold(r.Role, role.Name) })
		if role.Name != "" && signs && !played {
			roles = append(roles, role.Name)
		}
	}

	return roles
}

// refuse makes a failure of problems.
func refuse(problems []fill.Problem, unplayed []string) error {
	if len(problems) == 0 && len(unplayed) == 0 {
		return nil
	}
	refusal := errIncomplete
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

// current implements state.Handlers.
func (s *envelopes) current(ctx context.Context, id uuid.UUID) (status, any, error) {
	row, err := s.envelope(ctx, id)

	return row.State, row, err
}

// move implements state.Handlers: people send, discard, and decide about what nobody knows of.
func (s *envelopes) move(ctx context.Context, move state.Move, match web.IfMatch) (*web.Resource[envelopeBody], error) {
	var row envelope
	err := s.db.InTx(ctx, func(ctx context.Context) (err error) {
		if row, err = s.heldEnvelope(ctx, move.UUID); err != nil {
			return err
		}
		if err := match.Check(row.Version); err != nil {
			return err
		}
		move.Thing = row
		if row.State, err = lifecycle().Apply(ctx, s.states, row.State, move); err != nil {
			return err
		}
		now := s.clock.Now()
		row.Version, row.UpdatedAt = row.Version+1, now
		if err := s.after(ctx, &row, move); err != nil {
			return err
		}

		return s.saveEnvelope(ctx, &row)
	})
	if err != nil {
		return nil, err
	}

	return envelopeResource(row), nil
}

// after does what goes with a verb.
func (s *envelopes) after(ctx context.Context, row *envelope, move state.Move) error {
	now := s.clock.Now()
	switch move.Verb {
	case verbSend, verbSendAgain:
		row.Reason, row.Code, row.Detail, row.Attempts = "", "", "", 0
		if move.Verb == verbSend {
			all, err := s.recipients(ctx, row.ID)
			if err != nil {
				return err
			}
			if err := s.usable(ctx, *row); err != nil {
				return err
			}
			if err := s.prepare(ctx, row, all); err != nil {
				return err
			}
		}

		return s.queue.Enqueue(ctx, sendArgs{Envelope: row.ID})
	case verbGiveUp:
		row.Reason, row.Code, row.Detail = reasonGivenUp, "", move.Reason

		return s.bus.Publish(ctx, esignapi.EnvelopeFailed{About: row.about(), Reason: row.Reason})
	case verbDiscard:
		row.EndedAt = &now

		return s.release(ctx, *row)
	}

	return nil
}

// usable refuses to send by an account that is disabled.
func (s *envelopes) usable(ctx context.Context, row envelope) error {
	_, err := s.accounts.Ready(ctx, row.AccountID)

	return err
}
