package composing

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/numbers"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Senders chooses the numbers that messages are sent from.
type Senders struct {
	store    *store.Repository
	defaults *numbers.Defaults
}

// NewSenders returns Senders.
func NewSenders(r *store.Repository, d *numbers.Defaults) *Senders {
	return &Senders{store: r, defaults: d}
}

// choose chooses the number: the one that is said, the caller's default, the company's, or that which was last
// used with the recipient.
func (s *Senders) choose(ctx context.Context, p store.Preferences, said uuid.UUID, to string) (store.Number, error) {
	if said != uuid.Nil {
		row, err := s.store.Number(ctx, said)

		return row, store.OrElse(err, row.Usable(principal.UserOf(ctx)))
	}
	row, _, err := s.defaults.OfCaller(ctx, p)
	if err == nil && row.Usable(principal.UserOf(ctx)) == nil {
		return row, nil
	}
	if err != nil && !errors.Is(err, store.ErrNoDefault) {
		return row, err
	}
	last, err := s.store.LastThread(ctx, to)
	if err != nil {
		return row, err
	}
	if last == nil {
		return row, store.ErrNoSender
	}
	if row, err = s.store.Number(ctx, last.NumberID); err != nil || row.Usable(principal.UserOf(ctx)) != nil {
		return row, store.OrElse(err, store.ErrNoSender)
	}

	return row, nil
}
