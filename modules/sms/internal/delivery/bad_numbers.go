package delivery

import (
	"context"
	"time"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/settings"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
)

// BadNumbers are numbers that providers have found to take no messages.
type BadNumbers struct {
	store    *store.Repository
	clock    clock.Clock
	settings *settings.Settings
}

// NewBadNumbers returns BadNumbers.
func NewBadNumbers(r *store.Repository, c clock.Clock, s *settings.Settings) *BadNumbers {
	return &BadNumbers{store: r, clock: c, settings: s}
}

// record notes that the recipient of a message takes none, where that is why it failed, and forgets it of one that was
// delivered. A message to its own sender says nothing of that kind.
func (s *BadNumbers) record(ctx context.Context, row store.Message) error {
	bad := row.Reason == string(provider.InvalidRecipient) || row.Reason == string(provider.NotMobile)
	if !bad && row.State != store.Delivered {
		return nil
	}
	now := s.clock.Now()
	to, err := s.store.LockContact(ctx, row.Recipient, now)
	if err != nil || !bad && to.BadAt == nil {
		return err
	}
	to.BadAt, to.BadReason = nil, ""
	if bad {
		to.BadAt, to.BadReason = &now, row.Reason
	}

	return s.store.SaveContact(ctx, &to)
}

// Check refuses a number that was found to take no messages, for as long as that is believed.
func (s *BadNumbers) Check(to store.Contact, now time.Time) error {
	if s.settings.BadFor == 0 || to.BadAt == nil || !to.BadAt.After(now.Add(-s.settings.BadFor)) {
		return nil
	}

	return store.ErrBadNumber.WithField("to", store.ErrBadNumber.Message).WithDetail("reason", to.BadReason).WithDetail("since", *to.BadAt)
}
