package link

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/clock"
)

const (
	// visitEvery is how often, at most, a visit with one link is recorded.
	visitEvery = time.Minute
	// visitFlush is the time between two writes of what was noted, visitTimeout bounds one.
	visitFlush   = 10 * time.Second
	visitTimeout = 10 * time.Second
	// visitMost bounds what is noted; further links wait for the next write.
	visitMost = 10_000
	// visitBatch is how many links one transaction writes, so that it does not hold up others.
	visitBatch = 200
)

// visit is that a link was entered.
type visit struct {
	company, link uuid.UUID
	at            time.Time
	written       bool
}

// visits records when links are entered, behind the requests that do. What is noted and not yet written is lost if the process dies.
type visits struct {
	rows  repository
	clock clock.Clock
	log   *slog.Logger

	mu    sync.Mutex
	noted map[uuid.UUID]visit

	end  context.CancelFunc
	done chan struct{}
}

func newVisits(rows repository, clk clock.Clock, log *slog.Logger) *visits {
	return &visits{rows: rows, clock: clk, log: log, noted: map[uuid.UUID]visit{}}
}

// note remembers that a link is entered now, unless that is known of the last minute.
func (v *visits) note(l Link) {
	now := v.clock.Now()
	if l.LastUsedAt != nil && now.Sub(*l.LastUsedAt) < visitEvery {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	last, before := v.noted[l.ID]
	if before && now.Sub(last.at) < visitEvery || !before && len(v.noted) >= visitMost {
		return
	}
	v.noted[l.ID] = visit{company: l.Company, link: l.ID, at: now}
}

// start runs the writer until stop.
func (v *visits) start(ctx context.Context) {
	ctx, v.end = context.WithCancel(context.WithoutCancel(ctx))
	v.done = make(chan struct{})
	go v.run(ctx, v.done)
}

func (v *visits) run(ctx context.Context, done chan<- struct{}) {
	defer close(done)
	ticker := time.NewTicker(visitFlush)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			v.write(context.WithoutCancel(ctx)) // stop waits for it
		}
	}
}

// stop ends the writer and writes what is left.
func (v *visits) stop(ctx context.Context) error {
	if v.end == nil {
		return nil
	}
	v.end()
	select {
	case <-v.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	v.end = nil
	v.write(ctx)

	return nil
}

// write records what was noted since the last time.
func (v *visits) write(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, visitTimeout)
	defer cancel()
	for batch := range slices.Chunk(v.due(), visitBatch) {
		if err := v.rows.recordVisits(ctx, batch); err != nil {
			v.log.WarnContext(ctx, "visits with links were not recorded", slog.Any("error", err))

			return
		}
	}
}

// due returns what is to be written, and drops what is too old to matter.
func (v *visits) due() []visit {
	now := v.clock.Now()
	v.mu.Lock()
	defer v.mu.Unlock()
	var all []visit
	for id, one := range v.noted {
		if !one.written {
			all = append(all, one)
			one.written = true
			v.noted[id] = one
		}
	}
	maps.DeleteFunc(v.noted, func(_ uuid.UUID, one visit) bool { return now.Sub(one.at) >= visitEvery })

	return all
}
