package inbound

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

const (
	// sweepEvery is how often what is old is removed, sweepBatch how much in one transaction.
	sweepEvery = time.Hour
	sweepBatch = 200
)

// sweepArgs are the job that removes old bodies and deliveries.
type sweepArgs struct{}

// Kind implements jobs.Args.
func (sweepArgs) Kind() string { return "inbound.sweep" }

func (in *Inbox) schedule() error {
	return jobs.AddSweep(in.queue, "inbound", sweepEvery, sweepArgs{}, in.Sweep)
}

// Sweep removes bodies and deliveries that are old enough, a batch of one company at most, and returns
// how many. What waits for being processed stays.
func (in *Inbox) Sweep(ctx context.Context) (int, error) {
	companies, err := in.rows.companies(ctx)
	if err != nil {
		return 0, err
	}
	now := in.clock.Now()
	for _, company := range companies {
		for _, part := range []struct {
			keep   time.Duration
			remove func(ctx context.Context, company, before uuid.UUID, limit int) (int, error)
		}{{in.settings.KeepBodies, in.rows.removeBodies}, {in.settings.Keep, in.rows.remove}} {
			removed := 0
			err := in.db.InTx(ctx, func(ctx context.Context) (err error) {
				removed, err = part.remove(ctx, company, database.FirstID(now.Add(-part.keep)), sweepBatch)

				return err
			})
			if err != nil || removed > 0 {
				return removed, err
			}
		}
	}

	return 0, nil
}
