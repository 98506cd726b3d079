package delivery

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/settings"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// How often the jobs run, and for how long.
const (
	SweepEvery = 5 * time.Minute
	PurgeEvery = time.Hour
	// sweepAfter is how long after its time a message is taken for one without a job.
	sweepAfter = 10 * time.Minute
	WorkTime   = 9 * time.Minute
)

// Sweeper finds messages that have no job, and removes texts that were kept for long enough.
type Sweeper struct {
	store    *store.Repository
	queue    *jobs.Queue
	clock    clock.Clock
	settings *settings.Settings
}

// NewSweeper returns a Sweeper.
func NewSweeper(r *store.Repository, queue *jobs.Queue, c clock.Clock, s *settings.Settings) *Sweeper {
	return &Sweeper{store: r, queue: queue, clock: c, settings: s}
}

// Sweep is the job that finds messages whose own job is gone, such as after all its attempts have failed.
type Sweep struct{}

// Kind implements jobs.Args.
func (Sweep) Kind() string { return "sms.sweep" }

// SweepAll gives a job to messages that have none.
func (s *Sweeper) SweepAll(ctx context.Context, _ Sweep) error {
	return s.store.EachWaiting(ctx, s.clock.Now().Add(-sweepAfter), func(ctx context.Context, id uuid.UUID) error {
		return s.queue.Enqueue(ctx, SendMessage{Message: id}, jobs.Unique())
	})
}

// Purge is the job that removes texts that were kept for long enough.
type Purge struct{}

// Kind implements jobs.Args.
func (Purge) Kind() string { return "sms.purge" }

// PurgeAll removes the texts that were kept for long enough.
func (s *Sweeper) PurgeAll(ctx context.Context, _ Purge) error {
	if s.settings.KeepBodies == 0 {
		return nil
	}
	now := s.clock.Now()

	return s.store.PurgeBodies(ctx, now.Add(-s.settings.KeepBodies), now)
}
