package jobs

import (
	"slices"
	"sync"
)

// ledger knows which jobs this process works on. A job that the database has as running for it, and that it does not
// work on, was lost with a connection: the answer that would have handed it over, or the outcome of its attempt,
// which River tries to save three times.
type ledger struct {
	mu      sync.Mutex
	working map[attemptOf]bool
	// done are attempts that succeeded, with the number of the look before which they did, until the database is seen to
	// know.
	done map[attemptOf]int
	// missed counts the looks, one after the other, at which an attempt was running in the database alone.
	missed map[attemptOf]int
	looks  int
}

// attemptOf is an attempt of a job.
type attemptOf struct {
	Job    int64 `gorm:"column:id"`
	Number int   `gorm:"column:attempt"`
}

func newLedger() *ledger {
	return &ledger{working: map[attemptOf]bool{}, done: map[attemptOf]int{}, missed: map[attemptOf]int{}}
}

func (l *ledger) begin(a attemptOf) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.working[a] = true
}

func (l *ledger) end(a attemptOf, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.working, a)
	if err == nil {
		l.done[a] = l.looks
	}
}

// compare takes what runs for this process in the database, and returns what has been lost for long enough.
func (l *ledger) compare(running []attemptOf) (lost []attemptOf) {
	l.mu.Lock()
	defer l.mu.Unlock()
	missed := l.missed
	l.missed = map[attemptOf]int{}
	for _, a := range running {
		if l.working[a] {
			continue
		}
		if l.missed[a] = missed[a] + 1; l.missed[a] > looks {
			lost = append(lost, a)
		}
	}
	for a, look := range l.done {
		if look < l.looks && !slices.Contains(running, a) {
			delete(l.done, a)
		}
	}
	l.looks++

	return lost
}

// succeeded reports whether an attempt did.
func (l *ledger) succeeded(a attemptOf) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := l.done[a]

	return ok
}
