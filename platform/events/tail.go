package events

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const (
	// lateness is how long after it was given its id an event may be committed and still be noticed.
	lateness = time.Minute
	// recent is the part of it that is looked at whenever there is more; the whole is, every lookAgain.
	recent    = 2 * time.Second
	lookAgain = time.Second
	// restBetween is the shortest time between two looks, so that many commits are one look.
	restBetween = 5 * time.Millisecond
	// linger is how long a log is followed after the last one has left, so that who comes back in a moment
	// goes on exactly where he was.
	linger = time.Minute

	// ringSize is how many events one may be behind before one is too slow.
	ringSize = 4096
	// batchSize is how many events are handed over at a time, pageSize how many are read.
	batchSize, pageSize = 64, 1000
	// readers is how many that were away read what they missed at a time.
	readers = 4
)

var (
	// ErrBehind says that one is too slow: what comes next is not in memory any more.
	ErrBehind = errors.New("events: too far behind")
	// ErrGone says that what comes after an event can no longer be told: it is older than events.keep,
	// or there is too much of it.
	ErrGone = errors.New("events: the events after this one are no longer stored, or too many")
	// ErrNoEvent says that an id is that of no event.
	ErrNoEvent = errors.New("events: not the id of an event")
	// errClosed says that the service stops.
	errClosed = errors.New("events: closed")
)

// Tail follows the log of events, for any number of listeners of a process. One reader a company reads
// what is new, as soon as it is committed, and makes a T of it once; listeners share it. Events come in
// the order in which they were found in the log, which for transactions that run side by side is not
// the order of their ids. An event that is committed more than a minute after it was published may be
// missed.
type Tail[T any] struct {
	bus     *Bus
	names   []string
	convert func(ctx context.Context, found []Logged) ([]T, error)
	reading chan struct{}

	mu        sync.Mutex
	followers map[uuid.UUID]*follower[T]
}

// Entry is an event, and what was made of it.
type Entry[T any] struct {
	ID    uuid.UUID
	Value T
}

// NewTail returns a tail of the events with some names. convert makes a T of each event; it runs as the
// service itself at work for their company, and one listener's wait is not another's.
func NewTail[T any](b *Bus, names []string, convert func(ctx context.Context, found []Logged) ([]T, error)) *Tail[T] {
	return &Tail[T]{
		bus: b, names: names, convert: convert, reading: make(chan struct{}, readers), followers: map[uuid.UUID]*follower[T]{},
	}
}

// Following is one listener's place in the log. It belongs to one goroutine.
type Following[T any] struct {
	follower *follower[T]
	next     uint64
	// missed says that events after an id, but for those that arrived here later than the place next,
	// are read from the log first, and left how many there may be.
	missed bool
	after  uuid.UUID
	left   int
	origin uuid.UUID
	leave  func()
}

// Follow begins to follow the log of the principal's company: after an event, or with uuid.Nil after
// all that there is. Its errors are ErrGone and ErrNoEvent. The listener leaves with Leave.
func (t *Tail[T]) Follow(ctx context.Context, after uuid.UUID) (*Following[T], error) {
	who, _ := principal.From(ctx)
	if who.Company == uuid.Nil {
		return nil, errNoCompany
	}
	if after != uuid.Nil {
		if err := t.bus.checkRetained(after); err != nil {
			return nil, err
		}
	}
	f, err := t.follower(ctx, who.Company)
	if err != nil {
		return nil, err
	}
	place := &Following[T]{follower: f, leave: sync.OnceFunc(f.removeListener)}
	place.begin(after)

	return place, nil
}

// Check reports what Follow would say of an id by itself.
func (t *Tail[T]) Check(after uuid.UUID) error { return t.bus.checkRetained(after) }

// checkRetained reports whether what comes after an event may be in the log.
func (b *Bus) checkRetained(after uuid.UUID) error {
	const version = 7
	switch {
	case after.Version() != version:
		return ErrNoEvent
	case b.life > 0 && database.TimeOf(after).Before(b.clock.Now().Add(-b.life)):
		return ErrGone
	}

	return nil
}

// follower returns the reader of a company's log, which runs, and counts the caller among its listeners.
func (t *Tail[T]) follower(ctx context.Context, company uuid.UUID) (*follower[T], error) {
	t.mu.Lock()
	f := t.followers[company]
	if f == nil {
		f = newFollower(t, company)
		if !t.bus.watches.background(f.run) {
			t.mu.Unlock()

			return nil, errClosed
		}
		t.followers[company] = f
	}
	f.join()
	t.mu.Unlock()
	select {
	case <-f.ready:
		return f, nil
	case <-f.done:
		f.removeListener()

		return nil, errClosed
	case <-ctx.Done():
		f.removeListener()

		return nil, context.Cause(ctx)
	}
}

// forget lets go of a follower that nobody needs, and reports whether it did.
func (t *Tail[T]) forget(f *follower[T]) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !f.idle() {
		return false
	}
	delete(t.followers, f.company)

	return true
}

// Leave ends the listener's part. It may be called twice.
func (p *Following[T]) Leave() { p.leave() }

// begin finds the place after an event.
func (p *Following[T]) begin(after uuid.UUID) {
	f := p.follower
	f.mu.Lock()
	defer f.mu.Unlock()
	p.next = f.end()
	if after == uuid.Nil {
		p.origin = f.presentMark()

		return
	}
	if arrived, exact := f.arrived(after); exact && arrived+1 >= f.first {
		p.next = arrived + 1

		return
	}
	// Those that were committed late have smaller ids.
	p.missed, p.after, p.left = true, database.FirstID(database.TimeOf(after).Add(-lateness)), f.tail.bus.mostMissed
}

// Origin stands for the moment at which one began that follows what comes: one may go on after it.
func (p *Following[T]) Origin() uuid.UUID { return p.origin }

// Skip goes on after all that there is, and returns what stands for this moment.
func (p *Following[T]) Skip() uuid.UUID {
	f := p.follower
	f.mu.Lock()
	defer f.mu.Unlock()
	p.missed, p.next = false, f.end()

	return f.presentMark()
}

// Current reports whether Next would wait.
func (p *Following[T]) Current() bool {
	f := p.follower
	f.mu.Lock()
	defer f.mu.Unlock()

	return !p.missed && p.next == f.end()
}

// Next returns the next events, and waits for one. An event may come twice. Its errors are ErrBehind,
// ErrGone, and the end of ctx.
func (p *Following[T]) Next(ctx context.Context) ([]Entry[T], error) {
	for p.missed {
		found, err := p.read(ctx)
		if err != nil || len(found) > 0 {
			return found, err
		}
	}
	for {
		found, more, err := p.follower.readFrom(p.next)
		if err != nil || len(found) > 0 {
			p.next += uint64(len(found))

			return found, err
		}
		select {
		case <-more:
		case <-p.follower.done:
			return nil, errClosed
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// read returns a page of what was missed.
func (p *Following[T]) read(ctx context.Context) ([]Entry[T], error) {
	f := p.follower
	select {
	case f.tail.reading <- struct{}{}:
		defer func() { <-f.tail.reading }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if p.left <= 0 {
		return nil, ErrGone
	}
	page, err := f.tail.bus.page(ctx, f.company, p.after, pageSize)
	if err != nil {
		return nil, fmt.Errorf("event log: %w", err)
	}
	if len(page) > 0 {
		p.after = page[len(page)-1].ID
	}
	p.left -= len(page)
	p.missed = len(page) == pageSize

	return f.convertEvents(ctx, f.before(page, p.next))
}
