// Package memory bounds what requests hold in memory, all of them together and those of one company.
//
// Whoever reads something large into memory for a request takes room for it first, or as soon as its size is
// known, and the room is given back when the request is over and its answer sent:
//
//	if err := memory.Reserve(ctx, size); err != nil {
//		return err // errs.Unavailable: try again in a moment
//	}
//
// Outside of a request, in a job for one, nothing is bounded.
package memory

import (
	"context"
	"math"
	"runtime/debug"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/semaphore"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// ErrFull is the failure of who finds no room in time.
var ErrFull = errs.New(errs.Unavailable, "web.memory_full", "Too many large requests are in progress. Try again in a moment.").
	WithRetryAfter(time.Second)

const (
	// Small is what nobody needs to take room for, in bytes: that many requests are not under way at a time.
	Small = 64 << 10
	// withoutLimit is the room where Go's memory limit is not set, in bytes.
	withoutLimit = 512 << 20
	percent      = 100
)

// Pool is the room for all requests. The zero value and nil bound nothing.
type Pool struct {
	free  *semaphore.Weighted
	share int64

	mu        sync.Mutex
	companies map[uuid.UUID]int64
}

// NewPool returns a pool of so many bytes, of which one company gets a percentage. Zero bytes are half of Go's memory
// limit, or 512 MiB without one.
func NewPool(bytes int64, companyPercent int) *Pool {
	if bytes == 0 {
		bytes = withoutLimit
		if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
			bytes = limit / 2
		}
	}

	return &Pool{
		free: semaphore.NewWeighted(bytes), share: max(1, bytes/percent*int64(companyPercent)),
		companies: map[uuid.UUID]int64{},
	}
}

// Account is what one request holds of a pool. The zero value bounds nothing.
type Account struct {
	pool *Pool
	// wait is how long taking room may wait for others to give theirs back.
	wait time.Duration

	mu      sync.Mutex
	held    int64
	company uuid.UUID
	counted bool
}

// Open has the account take its room from the pool.
func (a *Account) Open(p *Pool, wait time.Duration) { a.pool, a.wait = p, wait }

// Key is the key under which a context has its *Account.
type Key struct{}

// Of returns the account of a context, nil if it has none.
func Of(ctx context.Context) *Account {
	a, _ := ctx.Value(Key{}).(*Account)

	return a
}

// Reserve takes room for so many bytes on the account of ctx. Its error is ErrFull.
func Reserve(ctx context.Context, bytes int64) error { return Of(ctx).Reserve(ctx, bytes) }

// WithAccount returns a context with an account of its own, for something that takes room again and again: a part of an
// export. Done gives it back. Taking waits as long as given.
func WithAccount(ctx context.Context, wait time.Duration) (scoped context.Context, done func()) {
	outer := Of(ctx)
	if outer == nil || outer.pool == nil {
		return ctx, func() {}
	}
	inner := &Account{pool: outer.pool, wait: wait}

	return context.WithValue(ctx, Key{}, inner), func() { inner.ShrinkTo(0) }
}

// Reserve takes room for the company of the principal in ctx. A request that is larger than what its company may have gets
// all of that: alone, it is served.
func (a *Account) Reserve(ctx context.Context, bytes int64) error {
	if a == nil || a.pool == nil || bytes <= 0 {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	bytes = min(bytes, a.pool.share-a.held)
	if bytes <= 0 {
		return nil
	}
	if a.held == 0 {
		who, _ := principal.From(ctx)
		a.company, a.counted = who.Company, who.Kind != principal.Operator
	}
	if a.counted && !a.pool.count(a.company, bytes) {
		return ErrFull
	}
	if !a.pool.acquire(ctx, bytes, a.wait) {
		a.uncount(bytes)

		return ErrFull
	}
	a.held += bytes

	return nil
}

// ShrinkTo gives back all but so many bytes.
func (a *Account) ShrinkTo(bytes int64) {
	if a == nil || a.pool == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if back := a.held - bytes; back > 0 {
		a.pool.free.Release(back)
		a.uncount(back)
		a.held -= back
	}
}

// Size returns how many bytes the account has.
func (a *Account) Size() int64 {
	if a == nil {
		return 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()

	return a.held
}

func (a *Account) uncount(bytes int64) {
	if !a.counted {
		return
	}
	a.pool.mu.Lock()
	defer a.pool.mu.Unlock()
	if a.pool.companies[a.company] -= bytes; a.pool.companies[a.company] <= 0 {
		delete(a.pool.companies, a.company)
	}
}

func (p *Pool) count(company uuid.UUID, bytes int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.companies[company]+bytes > p.share {
		return false
	}
	p.companies[company] += bytes

	return true
}

func (p *Pool) acquire(ctx context.Context, bytes int64, wait time.Duration) bool {
	if p.free.TryAcquire(bytes) {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()

	return p.free.Acquire(ctx, bytes) == nil
}
