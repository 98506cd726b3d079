package web

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

var errOverloaded = errs.New(errs.Unavailable, "web.overloaded", "The service has more to do than it can. Please try again in a moment.").
	WithRetryAfter(time.Second)

// notifiedWait is how long a verified notification waits for its turn: its sender waits for 10 seconds or more, and sends it
// again much later.
const notifiedWait = 5 * time.Second

// slots bound how many handlers run. When all are at work, a few more requests wait for a moment,
// and the rest is refused at once: a request that waits until nobody wants its answer any more
// helps nobody. No company gets all of them, neither to work nor to wait.
type slots struct {
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

func holderOf(ctx context.Context) holder {
	who, _ := principal.From(ctx)
	ex := exchangeOf(ctx)

	return holder{
		company: who.Company, operator: who.Kind == principal.Operator, notified: ex != nil && ex.call.admitted != nil,
	}
}

// newSlots returns nil, which bounds nothing, if the settings have no bound.
func newSlots(s OverloadSettings) *slots {
	if s.MaxInFlight <= 0 {
		return nil
	}
	const percent = 100
	share := int64(max(1, s.MaxInFlight*s.CompanyPercent/percent))

	return &slots{
		free: semaphore.NewWeighted(int64(s.MaxInFlight)), most: int64(s.MaxInFlight), wait: s.MaxWait,
		working: ratelimit.NewShares[holder](share), all: ratelimit.NewShares[holder](2 * share),
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
	whose, wait := holderOf(ctx), s.wait
	if whose.notified {
		wait = max(wait, notifiedWait)
	}
	if s.present.Add(1) > 2*s.most || !s.all.TryAcquire(whose, 1) {
		s.present.Add(-1)

		return nil, errOverloaded
	}
	depart := func() {
		s.all.Release(whose, 1)
		s.present.Add(-1)
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if !s.acquire(ctx, whose) {
		depart()

		return nil, errOverloaded
	}

	return func() {
		s.free.Release(1)
		s.working.Release(whose, 1)
		depart()
	}, nil
}

// acquire waits for a slot among those of the holder, and then among all.
func (s *slots) acquire(ctx context.Context, whose holder) bool {
	if s.working.Acquire(ctx, whose, 1) != nil {
		return false
	}
	if s.free.TryAcquire(1) || s.free.Acquire(ctx, 1) == nil {
		return true
	}
	s.working.Release(whose, 1)

	return false
}

// owner is the company that a stream counts for. Strangers share one count; the operator, who may
// be there because of the overload, has none.
func owner(ctx context.Context) (company uuid.UUID, counted bool) {
	who, _ := principal.From(ctx)

	return who.Company, who.Kind != principal.Operator
}

// enter gets a slot for the call, if it has none, or the place of a stream.
func (e *endpoint) enter(c *call) (leave func(), err error) {
	if c.recording != nil {
		return func() {}, nil
	}
	if e.streams || e.uploads {
		return e.enterStream(c)
	}

	leave, err = e.api.slots.enter(c.ctx)
	if err == nil {
		c.exchange.untilSent(leave)
	}

	return func() {}, err
}
