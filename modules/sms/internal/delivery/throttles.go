package delivery

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/settings"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
)

// Throttles keep numbers to their rates.
type Throttles struct {
	store    *store.Repository
	settings *settings.Settings
}

// NewThrottles returns Throttles.
func NewThrottles(r *store.Repository, s *settings.Settings) *Throttles {
	return &Throttles{store: r, settings: s}
}

// reserve takes a token of a number's bucket, and returns when it is good: at once, or later. All replicas take
// from the same row, so that together they keep to the number's rate; who has to wait does so as a job.
func (s *Throttles) reserve(ctx context.Context, id uuid.UUID, now time.Time) (time.Time, error) {
	n, err := s.store.Number(ctx, id)
	if err != nil || n.PerMinute == 0 {
		return now, err
	}
	row, err := s.store.LockThrottle(ctx, id)
	if err != nil {
		return now, err
	}
	slot, next := ReserveSlot(row.NextAt, now, time.Minute/time.Duration(n.PerMinute), s.settings.Burst)
	row.NextAt = next

	return slot, s.store.SaveThrottle(ctx, row)
}

// ReserveSlot is a token bucket in one time: next is when the token after the last one would be due at the plain rate.
// A number that was quiet has saved up tokens, burst at most.
func ReserveSlot(next, now time.Time, interval time.Duration, burst int) (slot, after time.Time) {
	if full := now.Add(-time.Duration(burst-1) * interval); next.Before(full) {
		next = full
	}

	return next, next.Add(interval)
}
