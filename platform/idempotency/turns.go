package idempotency

import (
	"context"
	"sync"
)

// turns lets one request with a key at work at a time. The database would do as well, but those that
// wait would each hold a connection of PostgreSQL, or the writer of SQLite.
type turns struct {
	mu   sync.Mutex
	held map[place]chan struct{}
}

func newTurns() *turns { return &turns{held: map[place]chan struct{}{}} }

// enter waits until nobody else is at work, and returns what ends the turn. Its error is that of ctx.
func (t *turns) enter(ctx context.Context, at place) (leave func(), err error) {
	for {
		t.mu.Lock()
		busy, taken := t.held[at]
		if !taken {
			mine := make(chan struct{})
			t.held[at] = mine
			t.mu.Unlock()

			return func() { t.leave(at, mine) }, nil
		}
		t.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (t *turns) leave(at place, mine chan struct{}) {
	t.mu.Lock()
	delete(t.held, at)
	t.mu.Unlock()
	close(mine)
}
