package tracking

import (
	"context"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/ratelimit"
)

const (
	// misses is how many wrong codes an hour are let through from an address.
	misses = 20
	// remembered is for how many addresses it is known that they have to wait.
	remembered = 10_000
)

var errGuessed = errs.New(errs.TooMany, "tracking.too_many_guesses", "Too many wrong codes came from here.")

// guesses has addresses that come with many wrong codes wait. While they wait, right codes are refused, too: the answer would tell them from wrong ones.
type guesses struct {
	limit *ratelimit.Limiter
	waits *lru.Cache[string, time.Time]
	clock clock.Clock
}

func newGuesses(c clock.Clock) *guesses {
	waits, err := lru.New[string, time.Time](remembered)
	if err != nil {
		panic(err) // a size below one
	}

	return &guesses{ratelimit.New(ratelimit.Policy{Name: "tracking_guesses", Quota: misses, Window: time.Hour}, c), waits, c}
}

// refused refuses an address that has to wait.
func (g *guesses) refused(from string) error {
	until, waits := g.waits.Get(from)
	if left := until.Sub(g.clock.Now()); waits && left > 0 {
		return errGuessed.WithRetryAfter(left)
	}

	return nil
}

// missed counts a code that is not valid, and returns what it is answered with. With the last one, the address has to wait until there may be another.
func (g *guesses) missed(ctx context.Context, from string) error {
	r := g.limit.Take(ctx, from)
	if r.Remaining == 0 {
		g.waits.Add(from, g.clock.Now().Add(max(r.RetryAfter, time.Hour/misses)))
	}
	if !r.Allowed {
		return errGuessed.WithRetryAfter(r.RetryAfter)
	}

	return errNoCode
}
