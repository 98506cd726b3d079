package envelopes

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Drafts makes envelopes, and changes them before they are sent.
type Drafts struct {
	store    *store.Repository
	composer *Composer
	starter  *Starter
	clock    clock.Clock
}

// NewDrafts returns Drafts.
func NewDrafts(r *store.Repository, c *Composer, st *Starter, clk clock.Clock) *Drafts {
	return &Drafts{store: r, composer: c, starter: st, clock: clk}
}

// Create stores an envelope, as a draft or together with the job that hands it over.
func (s *Drafts) Create(ctx context.Context, d Draft, asDraft bool) (row store.Envelope, err error) {
	err = s.store.DB.InTx(ctx, func(ctx context.Context) error {
		d := d
		c, err := s.composer.compose(ctx, &d, s.clock.Now())
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
			if err := s.starter.prepareAndSend(ctx, &row, c.recipients); err != nil {
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
func (s *Drafts) Update(ctx context.Context, id uuid.UUID, match web.IfMatch, do func(*Draft)) (row store.Envelope, err error) {
	err = s.store.DB.InTx(ctx, func(ctx context.Context) error {
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
		c, err := s.composer.compose(ctx, &d, s.clock.Now())
		if err != nil {
			return err
		}
		if err := s.starter.release(ctx, row); err != nil {
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
