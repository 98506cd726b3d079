package sms

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/delivery"
	"github.com/dispatchd/dispatchd/modules/sms/internal/phone"
	"github.com/dispatchd/dispatchd/modules/sms/internal/sandbox"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/limit"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// creator makes the rows of messages.
type creator struct {
	recipients *recipients
	secrets    *concealer
	meter      *limit.Meter
	outbox     *delivery.Outbox
	clock      clock.Clock
}

func newCreator(r *recipients, c *concealer, m *limit.Meter, out *delivery.Outbox, clk clock.Clock) *creator {
	return &creator{recipients: r, secrets: c, meter: m, outbox: out, clock: clk}
}

// create makes the row of a message. It refuses early whom it would not send to; what decides is begin.
func (s *creator) create(ctx context.Context, c composed) (store.Message, error) {
	now := s.clock.Now()
	if err := s.recipients.check(ctx, c, now); err != nil {
		return store.Message{}, err
	}
	row := store.Message{
		ID: database.NewID(), AccountID: c.from.AccountID, NumberID: c.from.ID, Direction: store.Outbound,
		Sender: c.from.Number, Recipient: c.To, Body: c.text, Media: c.Media, Encoding: string(c.count.Encoding),
		Segments: int64(c.count.Segments), State: store.Queued, OwnerType: c.Owner.Type, Urgent: c.Urgent, DueAt: now,
		CreatedBy: principal.UserOf(ctx), Version: 1, CreatedAt: now, UpdatedAt: now,
	}
	if row.Media == nil {
		row.Media = []string{}
	}
	if c.Owner.UUID != uuid.Nil {
		row.OwnerID = &c.Owner.UUID
	}
	if c.TemplateUUID != uuid.Nil {
		row.TemplateID = &c.TemplateUUID
	}
	if c.SendAt.After(now) {
		row.State, row.DueAt = store.Scheduled, clock.Stamp(c.SendAt)
	}
	if err := s.recipients.checkHours(ctx, c, row); err != nil {
		return row, err
	}
	if err := s.secrets.conceal(ctx, c, &row); err != nil {
		return row, err
	}

	if err := s.meter.Add(ctx, "sms", 1); err != nil {
		return row, err
	}

	return row, s.outbox.Add(ctx, &row)
}

// recipients says who is sent nothing, and when nobody is.
type recipients struct {
	store      *store.Repository
	badNumbers *delivery.BadNumbers
	quietHours *delivery.QuietHours
	clock      clock.Clock
}

func newRecipients(r *store.Repository, b *delivery.BadNumbers, q *delivery.QuietHours, c clock.Clock) *recipients {
	return &recipients{store: r, badNumbers: b, quietHours: q, clock: c}
}

// refuses returns why a number gets no messages at all, "" if it may.
func (s *recipients) refuses(ctx context.Context, number string) (string, error) {
	kept, err := s.store.Preferences(ctx)
	if err != nil {
		return "", err
	}
	to, err := phone.Recipient(number, kept.Region)
	if wrong, refused := errors.AsType[*errs.Error](err); refused {
		return wrong.Message, nil
	}
	if err != nil {
		return "", err
	}
	known, err := s.store.Contact(ctx, to)
	if err != nil || known.OptedOutAt != nil {
		return store.ErrOptedOut.Message, err
	}
	err = s.badNumbers.Check(known, s.clock.Now())
	if wrong, refused := errors.AsType[*errs.Error](err); refused {
		return wrong.Message, nil
	}

	return "", err
}

// check refuses a recipient who has opted out, or whose number takes no messages.
func (s *recipients) check(ctx context.Context, c composed, now time.Time) error {
	to, err := s.store.Contact(ctx, c.To)
	if err != nil {
		return err
	}
	if to.OptedOutAt != nil {
		return store.ErrOptedOut.WithField("to", store.ErrOptedOut.Message)
	}
	if !c.DespiteBad {
		if err := s.badNumbers.Check(to, now); err != nil {
			return err
		}
	}

	return nil
}

// checkHours refuses a message in the quiet hours of its recipient, where the company wants that.
func (s *recipients) checkHours(ctx context.Context, c composed, row store.Message) error {
	return s.quietHours.Check(ctx, c.preferences, row)
}

// concealer keeps secrets out of what is stored.
type concealer struct {
	vendors *vendors.Service
	texts   *store.Texts
}

func newConcealer(v *vendors.Service, t *store.Texts) *concealer {
	return &concealer{vendors: v, texts: t}
}

// conceal keeps the secrets of a draft out of what is stored. A sandbox sends nothing: there, they are read in the message.
func (s *concealer) conceal(ctx context.Context, c composed, row *store.Message) error {
	if len(c.Secrets) == 0 {
		return nil
	}
	account, err := s.vendors.Accounts.One(ctx, row.AccountID)
	if err != nil || account.Provider == sandbox.Name {
		return err
	}

	return s.texts.Conceal(ctx, row, c.Secrets)
}
