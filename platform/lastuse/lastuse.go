// Package lastuse records when things were last used, such as tokens and links, behind the requests that use them.
package lastuse

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
	// Every is how often, at most, the use of one thing is recorded.
	Every = time.Minute
	// Most bounds what is noted; further things wait for the next write.
	Most = 10_000
	// flush is the time between two writes of what was noted, timeout bounds one.
	flush   = 10 * time.Second
	timeout = 10 * time.Second
	// batch is how many uses one transaction writes, so that it does not hold up others.
	batch = 200
)

// Use is that something was used. Kind is for the caller: tables may differ by it.
type Use struct {
	Company, ID uuid.UUID
	Kind        string
	At          time.Time
}

// noted is a use, and whether it was written.
type noted struct {
	Use

	written bool
}

// Recorder records uses. What is noted and not yet written is lost if the process dies. It may be used from several goroutines.
type Recorder struct {
	record func(ctx context.Context, batch []Use) error
	clock  clock.Clock
	log    *slog.Logger
	// of names the things in the log: "tokens".
	of string

	mu    sync.Mutex
	noted map[uuid.UUID]noted

	end  context.CancelFunc
	done chan struct{}
}

// New returns a Recorder of some things, which record writes.
func New(of string, record func(ctx context.Context, batch []Use) error, clk clock.Clock, log *slog.Logger) *Recorder {
	return &Recorder{record: record, clock: clk, log: log, of: of, noted: map[uuid.UUID]noted{}}
}

// Note remembers a use, unless that is known of the last minute: last is when the thing was used as far as it is recorded, zero for never.
func (r *Recorder) Note(u Use, last time.Time) {
	if u.At.Sub(last) < Every {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	before, known := r.noted[u.ID]
	if known && u.At.Sub(before.At) < Every || !known && len(r.noted) >= Most {
		return
	}
	r.noted[u.ID] = noted{Use: u}
}

// Start runs the writer until Stop.
func (r *Recorder) Start(ctx context.Context) {
	ctx, r.end = context.WithCancel(context.WithoutCancel(ctx))
	r.done = make(chan struct{})
	go r.run(ctx, r.done)
}

func (r *Recorder) run(ctx context.Context, done chan<- struct{}) {
	defer close(done)
	ticker := time.NewTicker(flush)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			r.write(context.WithoutCancel(ctx)) // Stop waits for it
		}
	}
}

// Stop ends the writer and writes what is left.
func (r *Recorder) Stop(ctx context.Context) error {
	if r.end == nil {
		return nil
	}
	r.end()
	select {
	case <-r.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	r.end = nil
	r.write(ctx)

	return nil
}

// write records what was noted since the last time.
func (r *Recorder) write(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for some := range slices.Chunk(r.due(), batch) {
		if err := r.record(ctx, some); err != nil {
			r.log.WarnContext(ctx, "uses were not recorded", slog.String("of", r.of), slog.Any("error", err))

			return
		}
	}
}

// due returns what is to be written, and drops what is too old to matter.
func (r *Recorder) due() []Use {
	now := r.clock.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []Use
	for id, one := range r.noted {
		if !one.written {
			all = append(all, one.Use)
			one.written = true
			r.noted[id] = one
		}
	}
	maps.DeleteFunc(r.noted, func(_ uuid.UUID, one noted) bool { return now.Sub(one.At) >= Every })

	return all
}
