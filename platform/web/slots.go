package web

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/semaphore"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

var errOverloaded = errs.New(errs.Unavailable, "web.overloaded", "The service has more to do than it can. Please try again in a moment.").
	WithRetryAfter(time.Second)

// slots bound how many handlers run. When all are at work, a few more requests wait for a moment,
// and the rest is refused at once: a request that waits until nobody wants its answer any more
// helps nobody. No company gets all of them.
type slots struct {
	free *semaphore.Weighted
	most int64
	wait time.Duration
	// share is the most that one company has, waiting or at work.
	share int

	// present are all that wait or are at work, arriving those whose token is being looked at.
	present, arriving atomic.Int64

	mu        sync.Mutex
	companies map[uuid.UUID]int
}

// newSlots returns nil, which bounds nothing, if the settings have no bound.
func newSlots(s OverloadSettings) *slots {
	if s.MaxInFlight <= 0 {
		return nil
	}
	const percent = 100

	return &slots{
		free: semaphore.NewWeighted(int64(s.MaxInFlight)), most: int64(s.MaxInFlight), wait: s.MaxWait,
		share: max(1, s.MaxInFlight*s.CompanyPercent/percent), companies: map[uuid.UUID]int{},
	}
}

// arrive refuses a request at once if it would be refused later, before anything is done for it.
// The caller calls left when it is known who calls.
func (s *slots) arrive() (left func(), err error) {
	if s == nil {
		return func() {}, nil
	}
	if s.arriving.Add(1) > s.most || s.present.Load() >= 2*s.most {
		s.arriving.Add(-1)

		return nil, errOverloaded
	}

	return func() { s.arriving.Add(-1) }, nil
}

// enter gets a slot for a request of the principal in ctx, and returns what gives it back. Its error
// is errOverloaded.
func (s *slots) enter(ctx context.Context) (leave func(), err error) {
	if s == nil {
		return func() {}, nil
	}
	whose, counted := owner(ctx)
	if counted && !s.count(whose) {
		return nil, errOverloaded
	}
	if s.present.Add(1) > 2*s.most || !s.acquire(ctx) {
		s.depart(whose, counted)

		return nil, errOverloaded
	}

	return func() {
		s.free.Release(1)
		s.depart(whose, counted)
	}, nil
}

func (s *slots) depart(whose uuid.UUID, counted bool) {
	s.present.Add(-1)
	if counted {
		s.uncount(whose)
	}
}

// acquire waits for a slot, not longer than a moment.
func (s *slots) acquire(ctx context.Context) bool {
	if s.free.TryAcquire(1) {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, s.wait)
	defer cancel()

	return s.free.Acquire(ctx, 1) == nil
}

// owner is the company that a request counts for. Strangers share one count; the operator, who may
// be there because of the overload, has none.
func owner(ctx context.Context) (company uuid.UUID, counted bool) {
	who, _ := principal.From(ctx)

	return who.Company, who.Kind != principal.Operator
}

func (s *slots) count(company uuid.UUID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.companies[company] >= s.share {
		return false
	}
	s.companies[company]++

	return true
}

func (s *slots) uncount(company uuid.UUID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.companies[company]--
	if s.companies[company] == 0 {
		delete(s.companies, company)
	}
}

// enter gets a slot for the call, if it has none, or the place of a stream.
func (e *endpoint) enter(c *call) (leave func(), err error) {
	if c.recording != nil {
		return func() {}, nil
	}
	if e.streams || e.uploads {
		return e.enterStream(c)
	}

	return e.api.slots.enter(c.ctx)
}
