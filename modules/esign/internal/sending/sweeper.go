package sending

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/envelopes"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

const (
	// SweepEvery is how often the sweep runs.
	SweepEvery = 10 * time.Minute
	// SweepTime is how long a run may take.
	SweepTime = 9 * time.Minute
	// SweepAfter is for how long nothing has happened to what is taken for having no job. A second one does no harm.
	SweepAfter = 10 * time.Minute
)

// Sweep is the job that finds envelopes, and actions, whose own job is gone, such as after all its attempts have failed.
type Sweep struct{}

// Kind implements jobs.Args.
func (Sweep) Kind() string { return "esign.sweep" }

// SweepAll enqueues the jobs of envelopes and actions that have waited for longer than SweepAfter.
func (s *Sweeper) SweepAll(ctx context.Context, _ Sweep) error {
	before := s.clock.Now().Add(-SweepAfter)
	err := s.store.EachWaiting(ctx, before, func(ctx context.Context, id uuid.UUID) error {
		return s.queue.Enqueue(ctx, envelopes.SendArgs{Envelope: id}, jobs.Unique())
	})
	if err != nil {
		return err
	}

	return s.store.EachWaitingAction(ctx, before, func(ctx context.Context, id uuid.UUID) error {
		return s.queue.Enqueue(ctx, envelopes.ActArgs{Action: id}, jobs.Unique())
	})
}

// Sweeper finds what waits without a job.
type Sweeper struct {
	store *store.Repository
	queue *jobs.Queue
	clock clock.Clock
}

// NewSweeper returns a Sweeper.
func NewSweeper(r *store.Repository, queue *jobs.Queue, c clock.Clock) *Sweeper {
	return &Sweeper{store: r, queue: queue, clock: c}
}
