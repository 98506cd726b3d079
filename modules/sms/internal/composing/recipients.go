package composing

import (
	"context"
	"errors"
	"time"

	"github.com/dispatchd/dispatchd/modules/sms/internal/delivery"
	"github.com/dispatchd/dispatchd/modules/sms/internal/phone"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
)

// Recipients says who is sent nothing, and when nobody is.
type Recipients struct {
	store      *store.Repository
	badNumbers *delivery.BadNumbers
	quietHours *delivery.QuietHours
	clock      clock.Clock
}

// NewRecipients returns Recipients.
func NewRecipients(r *store.Repository, b *delivery.BadNumbers, q *delivery.QuietHours, c clock.Clock) *Recipients {
	return &Recipients{store: r, badNumbers: b, quietHours: q, clock: c}
}

// Refuses returns why a number gets no messages at all, "" if it may.
func (s *Recipients) Refuses(ctx context.Context, number string) (string, error) {
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
func (s *Recipients) check(ctx context.Context, c composed, now time.Time) error {
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
func (s *Recipients) checkHours(ctx context.Context, c composed, row store.Message) error {
	return s.quietHours.Check(ctx, c.preferences, row)
}
