package sms

import (
	"context"
	"time"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
)

// markBad notes that the recipient of a message takes none, where that is why it failed, and forgets it of one that was
// delivered. A message to its own sender says nothing of that kind.
func (s *core) markBad(ctx context.Context, row message) error {
	bad := row.Reason == string(provider.InvalidRecipient) || row.Reason == string(provider.NotMobile)
	if !bad && row.State != delivered {
		return nil
	}
	now := s.clock.Now()
	to, err := s.heldContact(ctx, row.Recipient, now)
	if err != nil || !bad && to.BadAt == nil {
		return err
	}
	to.BadAt, to.BadReason = nil, ""
	if bad {
		to.BadAt, to.BadReason = &now, row.Reason
	}

	return s.saveContact(ctx, &to)
}

// refuseBad refuses a number that was found to take no messages, for as long as that is believed.
func (s *core) refuseBad(to contact, now time.Time) error {
	if s.settings.BadFor == 0 || to.BadAt == nil || !to.BadAt.After(now.Add(-s.settings.BadFor)) {
		return nil
	}

	return errBadNumber.WithField("to", errBadNumber.Message).WithDetail("reason", to.BadReason).WithDetail("since", *to.BadAt)
}
