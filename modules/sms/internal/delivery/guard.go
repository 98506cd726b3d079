package delivery

import (
	"context"
	"time"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/notify"
)

// Guard says which messages must not be sent.
type Guard struct {
	store   *store.Repository
	screens *notify.Service
	clock   clock.Clock
}

// NewGuard returns a Guard.
func NewGuard(r *store.Repository, screens *notify.Service, c clock.Clock) *Guard {
	return &Guard{store: r, screens: screens, clock: c}
}

// reasonNotToSend returns why a message must not be sent, "" if it may. It keeps the recipient's row, so an opt-out
// comes before the attempt, and stops it, or after.
func (s *Guard) reasonNotToSend(ctx context.Context, row store.Message, from store.Account) (string, error) {
	to, err := s.store.LockContact(ctx, row.Recipient, s.clock.Now())
	if err != nil {
		return "", err
	}
	if to.OptedOutAt != nil && (to.FarewellID == nil || *to.FarewellID != row.ID) {
		return string(provider.OptedOut), nil
	}
	if from.DisabledAt != nil {
		return ReasonDisabled, nil
	}
	number, err := s.store.Number(ctx, row.NumberID)
	if err != nil {
		return "", err
	}
	if number.State != store.NumberActive {
		return ReasonReleased, nil
	}

	return s.refused(ctx, row)
}

// freshFor is for how long what the screens said of a recipient holds.
const freshFor = time.Minute

// refused asks the screens anew about the recipient of a message that has waited, such as for its time or the end of quiet hours.
func (s *Guard) refused(ctx context.Context, row store.Message) (string, error) {
	if row.State != store.Scheduled && (row.Urgent || s.clock.Now().Sub(row.CreatedAt) < freshFor) {
		return "", nil
	}
	refused, err := s.screens.Screened(ctx, notify.Address{Channel: notify.SMS, To: row.Recipient})
	if err != nil || len(refused) == 0 {
		return "", err
	}

	return ReasonRefused, nil
}

// Reasons of our own for which a message fails.
const (
	ReasonDisabled = "account_disabled"
	ReasonReleased = "number_released"
	ReasonRefused  = "recipient_refused"
	reasonGivenUp  = "given_up"
)
