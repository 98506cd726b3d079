// Package clock tells the time, so that tests can tell it another.
package clock

import (
	"sync"
	"time"
)

// Clock tells the time. Code in which time decides something takes a Clock and never calls
// time.Now.
type Clock interface {
	// Now returns the present, in UTC, at the precision that both databases keep: microseconds.
	Now() time.Time
}

// Stamp is a time as both databases keep it, and as Now returns it: in UTC, in whole microseconds.
func Stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// System is the clock of the machine.
type System struct{}

// Now implements Clock.
func (System) Now() time.Time { return Stamp(time.Now()) }

// Fake stands still until it is moved. It may be used from several goroutines.
type Fake struct {
	mu  sync.Mutex
	now time.Time
}

// NewFake returns a clock that shows now.
func NewFake(now time.Time) *Fake {
	return &Fake{now: Stamp(now)}
}

// Now implements Clock.
func (f *Fake) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()

	return f.now
}

// Advance moves the clock forward by d.
func (f *Fake) Advance(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(d)
}
