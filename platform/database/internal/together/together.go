// Package together lets calls that wait at the same time go as one, as a group commit does.
package together

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"
)

// Way is how calls of T are made.
type Way[T any] struct {
	// Source says on whose behalf a call is made.
	Source func(ctx context.Context) uuid.UUID
	// Alone makes one call, in the goroutine and with the context of whoever wants it.
	Alone func(ctx context.Context, call T) error
	// Together makes two or more calls as one, all or none. It belongs to no caller, so it ends by itself.
	Together func(calls []T) error
	// IsUndone reports whether an error of Together means that nothing was done, so that the calls may be made otherwise.
	IsUndone func(error) bool
	// Weight is what a call weighs.
	Weight func(call T) int

	// Most and Heaviest bound what goes together.
	Most, Heaviest int
	// Apart is for how long the calls of a source go alone after one of them failed a group.
	Apart time.Duration
	// Patience is how long others wait for what is on its way, which may itself wait for a lock.
	Patience time.Duration
}

// Calls are calls of T. A call goes at once, and alone, unless others are on their way; when those are done, all that wait go
// together. When that fails, each goes alone, all at the same time: so each succeeds or fails by itself. Whose call it was that failed keeps
// apart for a while, so that others do not notice those who fail again and again.
type Calls[T any] struct {
	way Way[T]

	mu      sync.Mutex
	apart   map[uuid.UUID]time.Time // sources, until when
	taken   bool                    // the way, by those who are on it
	waiting []*call[T]
}

// New returns calls that are made like this.
func New[T any](way Way[T]) *Calls[T] { return &Calls[T]{way: way, apart: map[uuid.UUID]time.Time{}} }

type call[T any] struct {
	what   T
	weight int
	answer chan answer
}

// answer is the outcome of a call, or that it is to be made alone.
type answer struct {
	err   error
	alone bool
	done  func() // leaves the way, if the caller was given it
}

// Do makes a call. Its outcome is final. It waits for no longer than ctx lasts, and for that of a call that has begun.
func (c *Calls[T]) Do(ctx context.Context, what T) error {
	source := c.way.Source(ctx)
	if c.isApart(source) {
		return c.way.Alone(ctx, what)
	}
	waiting, done := c.enter(what)
	if waiting != nil {
		a, err := c.wait(ctx, waiting)
		switch {
		case err != nil:
			return err
		case !a.alone:
			return a.err
		}
		done = a.done
	}
	if done != nil {
		defer done()

		return c.way.Alone(ctx, what)
	}
	err := c.way.Alone(ctx, what)
	if err != nil {
		c.keepApart(source)
	}

	return err
}

func (c *Calls[T]) isApart(source uuid.UUID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	until, known := c.apart[source]
	if known && time.Now().After(until) { //nolint:forbidigo // how fast, not what
		delete(c.apart, source)
		known = false
	}

	return known
}

func (c *Calls[T]) keepApart(source uuid.UUID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.apart[source] = time.Now().Add(c.way.Apart) //nolint:forbidigo // how fast, not what
}

// enter takes the way if it is free, or a place among those who wait.
func (c *Calls[T]) enter(what T) (waiting *call[T], done func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.taken {
		c.taken = true

		return nil, c.begin()
	}
	waiting = &call[T]{what: what, weight: c.way.Weight(what), answer: make(chan answer, 1)}
	c.waiting = append(c.waiting, waiting)

	return waiting, nil
}

func (c *Calls[T]) wait(ctx context.Context, waiting *call[T]) (answer, error) {
	select {
	case a := <-waiting.answer:
		return a, nil
	case <-ctx.Done():
	}
	if c.withdraw(waiting) {
		return answer{}, ctx.Err()
	}

	return <-waiting.answer, nil
}

// withdraw takes out a call that has not begun.
func (c *Calls[T]) withdraw(waiting *call[T]) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, w := range c.waiting {
		if w == waiting {
			c.waiting = append(c.waiting[:i], c.waiting[i+1:]...)

			return true
		}
	}

	return false
}

// begin is for what is on its way now. The way is free when that is done, or has taken too long.
func (c *Calls[T]) begin() (done func()) {
	leave := sync.OnceFunc(c.next)
	late := time.AfterFunc(c.way.Patience, leave)

	return func() {
		late.Stop()
		leave()
	}
}

// next gives the way to those who wait.
func (c *Calls[T]) next() {
	c.mu.Lock()
	group := c.take()
	c.taken = len(group) > 0
	c.mu.Unlock()
	switch len(group) {
	case 0:
	case 1:
		group[0].answer <- answer{alone: true, done: c.begin()}
	default:
		go func() {
			defer c.begin()()
			c.send(group)
		}()
	}
}

// take takes out those who have waited longest, as many as may go together.
func (c *Calls[T]) take() []*call[T] {
	n, weight := 0, 0
	for n < len(c.waiting) && n < c.way.Most && (n == 0 || weight+c.waiting[n].weight <= c.way.Heaviest) {
		weight += c.waiting[n].weight
		n++
	}
	group := c.waiting[:n:n]
	c.waiting = c.waiting[n:]

	return group
}

// send makes calls together, and answers them.
func (c *Calls[T]) send(group []*call[T]) {
	all := make([]T, len(group))
	for i, w := range group {
		all[i] = w.what
	}
	err := c.way.Together(all)
	alone := err != nil && c.way.IsUndone(err)
	for _, w := range group {
		w.answer <- answer{err: err, alone: alone}
	}
}
