package outbound

import (
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	lru "github.com/hashicorp/golang-lru/v2"
)

// breakersKept is how many hosts and accounts a client remembers; the one that was not called for the
// longest time is forgotten first.
const breakersKept = 4096

// breaker lets calls through to a host, or an account, until too many failed.
type breaker = circuitbreaker.CircuitBreaker[any]

// breakers are those of a client, by host and key.
type breakers struct {
	settings Settings
	known    *lru.Cache[string, breaker]
}

func newBreakers(s Settings) (*breakers, error) {
	known, err := lru.New[string, breaker](breakersKept)

	return &breakers{settings: s, known: known}, err
}

// breakerOf returns the breaker of a host and key, nil if there are none.
func (b *breakers) breakerOf(host, key string) breaker {
	if b.settings.BreakerFailures == 0 {
		return nil
	}
	name := host + "\x00" + key
	if known, ok := b.known.Get(name); ok {
		return known
	}
	fresh := circuitbreaker.NewBuilder[any]().
		WithFailureThreshold(uint(b.settings.BreakerFailures)).
		WithDelay(b.settings.BreakerPause).
		WithSuccessThreshold(1).
		Build()
	if before, ok, _ := b.known.PeekOrAdd(name, fresh); ok {
		return before
	}

	return fresh
}

// open returns how many are open, and how many let one call through to try.
func (b *breakers) open() (open, trying int) {
	for _, one := range b.known.Values() {
		switch one.State() {
		case circuitbreaker.OpenState:
			open++
		case circuitbreaker.HalfOpenState:
			trying++
		case circuitbreaker.ClosedState:
		}
	}

	return open, trying
}

// enterBreaker returns the error of a call that is not let through.
func enterBreaker(b breaker, now time.Time) *Error {
	if b == nil || b.TryAcquirePermit() {
		return nil
	}

	return &Error{
		Outcome: NotSent, Reason: BreakerOpen, Detail: "too many calls failed", RetryAt: now.Add(max(b.RemainingDelay(), time.Second)),
	}
}

// reportToBreaker tells the breaker how a call went. What the caller or the guard refused says nothing about the
// host, but ends the try of a breaker that is half open.
func reportToBreaker(b breaker, answer Answer, err *Error) {
	if b == nil {
		return
	}
	switch {
	case err == nil && answer.Status < 500, err != nil && err.Reason == TooLong:
		b.RecordSuccess()
	case err != nil && (err.Reason == Canceled || err.Reason == BlockedAddress):
		if b.IsHalfOpen() {
			b.RecordFailure()
		}
	default:
		b.RecordFailure()
	}
}
