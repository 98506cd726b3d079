package sms

import (
	"context"
	"errors"

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

// outgoing makes messages of drafts, and has them sent.
type outgoing struct {
	db         *database.DB
	store      *store.Repository
	vendors    *vendors.Service
	composer   *composer
	outbox     *delivery.Outbox
	quietHours *delivery.QuietHours
	badNumbers *delivery.BadNumbers
	texts      *store.Texts
	meter      *limit.Meter
	clock      clock.Clock
}

func newOutgoing(
	db *database.DB, r *store.Repository, v *vendors.Service, composer *composer, outbox *delivery.Outbox, quietHours *delivery.QuietHours,
	badNumbers *delivery.BadNumbers, texts *store.Texts, meter *limit.Meter, c clock.Clock,
) *outgoing {
	return &outgoing{
		db: db, store: r, vendors: v, composer: composer, outbox: outbox, quietHours: quietHours, badNumbers: badNumbers, texts: texts, meter: meter, clock: c,
	}
}

// send stores a message, and the job that sends it.
func (s *outgoing) send(ctx context.Context, d draft) (row store.Message, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		c, err := s.composer.compose(ctx, d)
		if err != nil {
			return err
		}
		row, err = s.create(ctx, c)

		return err
	})

	return row, err
}

// refuses returns why a number gets no messages at all, "" if it may.
func (s *outgoing) refuses(ctx context.Context, number string) (string, error) {
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

// create makes the row of a message. It refuses early whom it would not send to; what decides is begin.
func (s *outgoing) create(ctx context.Context, c composed) (store.Message, error) {
	now := s.clock.Now()
	to, err := s.store.Contact(ctx, c.To)
	if err != nil {
		return store.Message{}, err
	}
	if to.OptedOutAt != nil {
		return store.Message{}, store.ErrOptedOut.WithField("to", store.ErrOptedOut.Message)
	}
	if !c.DespiteBad {
		if err := s.badNumbers.Check(to, now); err != nil {
			return store.Message{}, err
		}
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
	if err := s.quietHours.Check(ctx, c.preferences, row); err != nil {
		return row, err
	}
	if err := s.conceal(ctx, c, &row); err != nil {
		return row, err
	}

	if err := s.meter.Add(ctx, "sms", 1); err != nil {
		return row, err
	}

	return row, s.outbox.Add(ctx, &row)
}

// conceal keeps the secrets of a draft out of what is stored. A sandbox sends nothing: there, they are read in the message.
func (s *outgoing) conceal(ctx context.Context, c composed, row *store.Message) error {
	if len(c.Secrets) == 0 {
		return nil
	}
	account, err := s.vendors.Accounts.One(ctx, row.AccountID)
	if err != nil || account.Provider == sandbox.Name {
		return err
	}

	return s.texts.Conceal(ctx, row, c.Secrets)
}

// outcomeOf is what became of a message of a bulk request.
type outcomeOf struct {
	row store.Message
	err error
}

var errUndone = errors.New("sms: refused a message of an atomic request")

// bulk sends several messages: all or none of them, or each by itself.
func (s *outgoing) bulk(ctx context.Context, drafts []draft, atomic bool) (outcomes []outcomeOf, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		outcomes = outcomes[:0]
		for _, d := range drafts {
			var o outcomeOf
			o.err = s.db.Savepoint(ctx, func(ctx context.Context) (err error) {
				c, err := s.composer.compose(ctx, d)
				if err != nil {
					return err
				}
				o.row, err = s.create(ctx, c)

				return err
			})
			if _, expected := errors.AsType[*errs.Error](o.err); o.err != nil && !expected {
				return o.err
			}
			outcomes = append(outcomes, o)
			if o.err != nil && atomic {
				return errUndone
			}
		}

		return nil
	})
	if errors.Is(err, errUndone) {
		return outcomes, nil
	}

	return outcomes, err
}
