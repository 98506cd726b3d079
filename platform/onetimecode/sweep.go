package onetimecode

import (
	"context"
	"time"

	"github.com/dispatchd/dispatchd/platform/jobs"
)

const (
	// keep is for how long a code counts for the throttle, and a while more.
	keep       = 48 * time.Hour
	sweepEvery = 24 * time.Hour
	sweepBatch = 1000
)

// sweepArgs are the arguments of the job that deletes old codes.
type sweepArgs struct{}

// Kind implements jobs.Args.
func (sweepArgs) Kind() string { return "onetimecode.sweep" }

// Schedule has the queue delete old codes. It is called before the queue starts.
func (s *Service) Schedule(q *jobs.Queue) error {
	return jobs.AddSweep(q, "onetimecode", sweepEvery, sweepArgs{}, s.Sweep)
}

// Sweep deletes codes that expired two days ago, a batch at most, and returns how many.
func (s *Service) Sweep(ctx context.Context) (removed int, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		removed, err = s.rows.sweep(ctx, s.clock.Now().Add(-keep), sweepBatch)

		return err
	})

	return removed, err
}
