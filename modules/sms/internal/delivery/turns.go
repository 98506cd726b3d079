package delivery

import (
	"context"
	"time"

	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
)

// Turns has messages wait for their time, for the end of quiet hours, and for the rate of their number.
type Turns struct {
	store      *store.Repository
	throttles  *Throttles
	quietHours *QuietHours
	clock      clock.Clock
}

// NewTurns returns Turns.
func NewTurns(r *store.Repository, t *Throttles, q *QuietHours, c clock.Clock) *Turns {
	return &Turns{store: r, throttles: t, quietHours: q, clock: c}
}

// wait returns for how long a message has to wait: for its time, the end of its recipient's quiet hours, and
// its turn. It takes the turn, so that row is to be stored.
func (s *Turns) wait(ctx context.Context, row *store.Message) (time.Duration, error) {
	now := s.clock.Now()
	if row.DueAt.After(now) {
		return row.DueAt.Sub(now), nil
	}
	p, err := s.store.Preferences(ctx)
	if err != nil {
		return 0, err
	}
	until, err := s.quietHours.end(ctx, p, *row, now)
	if err != nil {
		return 0, err
	}
	if !until.IsZero() {
		row.DueAt, row.SlotAt = until, nil

		return until.Sub(now), nil
	}
	if row.SlotAt != nil {
		return 0, nil
	}
	slot, err := s.throttles.reserve(ctx, row.NumberID, now)
	if err != nil {
		return 0, err
	}
	row.SlotAt = &slot
	if !slot.After(now) {
		return 0, nil
	}
	row.DueAt = slot

	return slot.Sub(now), nil
}
