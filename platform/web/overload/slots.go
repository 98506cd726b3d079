// Package overload bounds what is worked on at a time, and how often somebody may call: what is too much is refused at once, so that
// the rest is served in time.
package overload

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/semaphore"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/ratelimit"
)

// ErrOverloaded is the answer to what is too much.
var ErrOverloaded = errs.New(errs.Unavailable, "web.overloaded", "The service is overloaded. Please try again in a moment.").
	WithRetryAfter(time.Second)

// notifiedWait is how long a verified notification waits for its turn: its sender waits for 10 seconds or more, and sends it
// again much later.
const notifiedWait = 5 * time.Second

// Slots bound how many handlers run. When all are at work, a few more requests wait for a moment,
// and the rest is refused at once: a request that waits until nobody wants its answer any more
// helps nobody. No company gets all of them, neither to work nor to wait.
type Slots struct {
	free *semaphore.Weighted
	most int64
	wait time.Duration
	// working is what each holder has at work, all what it has waiting too.
	working, all *ratelimit.Shares[holder]

	// present are all that wait or are at work, arriving those whose token is being looked at.
	present, arriving atomic.Int64
}

// holder is who a request counts for: a company, and apart from that its verified notifications; the operator; uuid.Nil for
// all callers without a token.
type holder struct {
	company            uuid.UUID
	notified, operator bool
}

func holderOf(ctx context.Context, notified bool) holder {
	who, _ := principal.From(ctx)

	return holder{company: who.Company, operator: who.Kind == principal.Operator, notified: notified}
}

// NewSlots returns nil, which bounds nothing, if the settings have no bound.
func NewSlots(s Settings) *Slots {
	if s.MaxInFlight <= 0 {
		return nil
	}
	const percent = 100
	share := int64(max(1, s.MaxInFlight*s.CompanyPercent/percent))

	return &Slots{
		free: semaphore.NewWeighted(int64(s.MaxInFlight)), most: int64(s.MaxInFlight), wait: s.MaxWait,
		working: ratelimit.NewShares[holder](share), all: ratelimit.NewShares[holder](2 * share),
	}
}

// Arrive refuses a request at once if it would be refused later, before anything is done for it.
// The caller calls left when it is known who calls.
func (s *Slots) Arrive() (left func(), err error) {
	if s == nil {
		return func() {}, nil
	}
	if s.arriving.Add(1) > s.most || s.present.Load() >= 2*s.most {
		s.arriving.Add(-1)

		return nil, ErrOverloaded
	}

	return func() { s.arriving.Add(-1) }, nil
}

// Enter gets a slot for a request of the principal in ctx, which may be a verified notification, and returns what gives it back. Its error
// is ErrOverloaded.
func (s *Slots) Enter(ctx context.Context, notified bool) (leave func(), err error) {
	if s == nil {
		return func() {}, nil
	}
	whose, wait := holderOf(ctx, notified), s.wait
	if whose.notified {
		wait = max(wait, notifiedWait)
	}
	if s.present.Add(1) > 2*s.most || !s.all.TryAcquire(whose, 1) {
		s.present.Add(-1)

		return nil, ErrOverloaded
	}
	depart := func() {
		s.all.Release(whose, 1)
		s.present.Add(-1)
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if !s.acquire(ctx, whose) {
		depart()

		return nil, ErrOverloaded
	}

	return func() {
		s.free.Release(1)
		s.working.Release(whose, 1)
		depart()
	}, nil
}

// acquire waits for a slot among those of the holder, and then among all.
func (s *Slots) acquire(ctx context.Context, whose holder) bool {
	if s.working.Acquire(ctx, whose, 1) != nil {
		return false
	}
	if s.free.TryAcquire(1) || s.free.Acquire(ctx, 1) == nil {
		return true
	}
	s.working.Release(whose, 1)

	return false
}
