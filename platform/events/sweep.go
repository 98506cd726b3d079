package events

import (
	"context"
	"time"

	"github.com/dispatchd/dispatchd/platform/jobs"
)

const (
	// sweepEvery is how often old events are removed, sweepBatch how many in one transaction.
	sweepEvery = time.Hour
	sweepBatch = 1000
)

// sweepArgs are the arguments of the job that removes old events.
type sweepArgs struct{}

// Kind implements jobs.Args.
func (sweepArgs) Kind() string { return "events.sweep" }

// schedule has old events removed, if any are.
func (b *Bus) schedule() error {
	if b.life == 0 {
		return nil
	}

	return jobs.AddSweep(b.queue, "events", sweepEvery, sweepArgs{}, b.Sweep)
}

// Sweep removes events that are older than events.keep, a batch of one company at most, and returns how
// many.
func (b *Bus) Sweep(ctx context.Context) (int, error) {
	before := b.clock.Now().Add(-b.life)
	companies, err := b.companies(ctx)
	if err != nil {
		return 0, err
	}
	for _, company := range companies {
		if removed, err := b.remove(ctx, company, before, sweepBatch); err != nil || removed > 0 {
			return removed, err
		}
	}

	return 0, nil
}
