// Package ratelimit says when somebody does something too often, or holds too much at a time (Shares).
//
// A limiter gives everybody, by a key of the caller's, a quota that refills evenly (a token bucket):
// with 60 in a minute, somebody who was quiet may do 60 things at once, and one more each second.
//
//	logins := ratelimit.New(ratelimit.Policy{Name: "login", Quota: 10, Window: time.Minute}, clk)
//
//	if r := logins.Take(ctx, account.String()); !r.Allowed {
//		return errTooOften.WithRetryAfter(r.RetryAfter)
//	}
//
// It counts in the memory of the process: with n replicas somebody gets up to n quotas, and a
// restart forgets. What must hold across replicas, such as locking an account, belongs in the
// database.
package ratelimit

import (
	"context"
	"math"
	"strconv"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"github.com/dispatchd/dispatchd/platform/clock"
)

// remembered is for how many keys a limiter remembers what they did, about 20 MB at the most. The
// one that was quiet for longest is forgotten first, and then has its whole quota.
const remembered = 100_000

// Policy is how often is too often.
type Policy struct {
	// Name is shown to clients.
	Name string
	// Quota is how many are allowed in a Window, a whole number of seconds.
	Quota  int
	Window time.Duration
}

// Header is the policy as the header RateLimit-Policy has it (draft-ietf-httpapi-ratelimit-headers).
func (p Policy) Header() string {
	return strconv.Quote(p.Name) + ";q=" + strconv.Itoa(p.Quota) + ";w=" + seconds(p.Window)
}

// Result is what a limiter says to one more.
type Result struct {
	Allowed bool
	// Remaining is how many more are allowed at once.
	Remaining int
	// Reset is when all of the quota is there again, if nothing more is taken.
	Reset time.Duration
	// RetryAfter is, if it was not allowed, when the next one will be.
	RetryAfter time.Duration
}

// Limiter allows as much as its policy says. It may be used from several goroutines.
type Limiter struct {
	policy Policy
	header string
	clock  clock.Clock
	rate   rate.Limit
	keys   *lru.Cache[string, *rate.Limiter]
}

// New returns a limiter that has seen nobody. A policy without quota allows everything: then the
// limiter is nil, which can be used like any other.
func New(p Policy, clk clock.Clock) *Limiter {
	if p.Quota <= 0 {
		return nil
	}
	keys, err := lru.New[string, *rate.Limiter](remembered)
	if err != nil {
		panic(err) // a size below one
	}

	return &Limiter{
		policy: p, header: p.Header(), clock: clk, keys: keys,
		rate: rate.Limit(float64(p.Quota) / p.Window.Seconds()),
	}
}

// Take takes one off the quota of key, if one is left. The context is for limiters that count
// elsewhere than here.
func (l *Limiter) Take(_ context.Context, key string) Result {
	if l == nil {
		return Result{Allowed: true, Remaining: math.MaxInt}
	}
	now := l.clock.Now()
	bucket := l.bucket(key)
	r := Result{Allowed: bucket.AllowN(now, 1)}
	left := bucket.TokensAt(now)
	r.Remaining = max(0, int(left))
	r.Reset = l.toRefill(float64(l.policy.Quota) - left)
	if !r.Allowed {
		r.RetryAfter = l.toRefill(1 - left)
	}

	return r
}

// Headers returns the values of RateLimit-Policy and RateLimit for a result, "" if nothing is limited.
func (l *Limiter) Headers(r Result) (policy, state string) {
	if l == nil {
		return "", ""
	}

	return l.header, strconv.Quote(l.policy.Name) + ";r=" + strconv.Itoa(r.Remaining) + ";t=" + seconds(r.Reset)
}

func (l *Limiter) bucket(key string) *rate.Limiter {
	if bucket, ok := l.keys.Get(key); ok {
		return bucket
	}
	bucket := rate.NewLimiter(l.rate, l.policy.Quota)
	if other, ok, _ := l.keys.PeekOrAdd(key, bucket); ok {
		return other
	}

	return bucket
}

func (l *Limiter) toRefill(missing float64) time.Duration {
	return time.Duration(max(0, missing) / float64(l.rate) * float64(time.Second))
}

// seconds rounds up: who comes back after them finds what was promised.
func seconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }
