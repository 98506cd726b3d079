package identity

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const (
	// useEvery is how often, at most, the use of one token is recorded.
	useEvery = time.Minute
	// useFlush is the time between two writes of what was noted.
	useFlush = 10 * time.Second
	// useTimeout bounds one write.
	useTimeout = 10 * time.Second
	// useMost bounds what is noted; further tokens have to wait for the next write.
	useMost = 10_000
	// useBatch is how many tokens one transaction writes, so that it does not hold up others.
	useBatch = 200
)

// use is that a token was used.
type use struct {
	company, token uuid.UUID
	operator       bool
	at             time.Time
	written        bool
}

// uses records when tokens are used, behind the requests that use them. What is noted and not yet
// written is lost if the process dies.
type uses struct {
	rows  repository
	clock clock.Clock
	log   *slog.Logger

	mu    sync.Mutex
	noted map[uuid.UUID]use

	end  context.CancelFunc
	done chan struct{}
}

func newUses(rows repository, clk clock.Clock, log *slog.Logger) *uses {
	return &uses{rows: rows, clock: clk, log: log, noted: map[uuid.UUID]use{}}
}

// note remembers that a token is used now, unless that is known of the last minute.
func (u *uses) note(f facts, now time.Time) {
	if now.Sub(f.lastUsedAt) < useEvery {
		return
	}
	who := f.principal
	u.mu.Lock()
	defer u.mu.Unlock()
	last, before := u.noted[who.Token]
	if before && now.Sub(last.at) < useEvery || !before && len(u.noted) >= useMost {
		return
	}
	u.noted[who.Token] = use{company: who.Company, token: who.Token, operator: who.Kind == principal.Operator, at: now}
}

// start runs the writer until stop.
func (u *uses) start(ctx context.Context) {
	ctx, u.end = context.WithCancel(context.WithoutCancel(ctx))
	u.done = make(chan struct{})
	go u.run(ctx, u.done)
}

func (u *uses) run(ctx context.Context, done chan<- struct{}) {
	defer close(done)
	ticker := time.NewTicker(useFlush)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			u.write(context.WithoutCancel(ctx)) // stop waits for it
		}
	}
}

// stop ends the writer and writes what is left.
func (u *uses) stop(ctx context.Context) error {
	if u.end == nil {
		return nil
	}
	u.end()
	select {
	case <-u.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	u.end = nil
	u.write(ctx)

	return nil
}

// write records what was noted since the last time.
func (u *uses) write(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, useTimeout)
	defer cancel()
	for batch := range slices.Chunk(u.takeDue(), useBatch) {
		if err := u.rows.recordUses(ctx, batch); err != nil {
			u.log.WarnContext(ctx, "the use of tokens was not recorded", slog.Any("error", err))

			return
		}
	}
}

// takeDue returns what is to be written, and drops what is too old to matter.
func (u *uses) takeDue() []use {
	now := u.clock.Now()
	u.mu.Lock()
	defer u.mu.Unlock()
	var all []use
	for token, n := range u.noted {
		if !n.written {
			all = append(all, n)
			n.written = true
			u.noted[token] = n
		}
	}
	maps.DeleteFunc(u.noted, func(_ uuid.UUID, n use) bool { return now.Sub(n.at) >= useEvery })

	return all
}
