package inbound

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
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
	return errors.Join(jobs.AddSweep(in.queue, "inbound", sweepEvery, sweepArgs{}, in.Sweep), in.scheduleOrphanRemoval())
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
		if n, err := in.sweepBodies(ctx, company, database.FirstID(now.Add(-in.settings.KeepBodies))); err != nil || n > 0 {
			return n, err
		}
		removed := 0
		err := in.db.InTx(ctx, func(ctx context.Context) (err error) {
			removed, err = in.rows.remove(ctx, company, database.FirstID(now.Add(-in.settings.Keep)), sweepBatch)

			return err
		})
		if err != nil || removed > 0 {
			return removed, err
		}
	}

	return 0, nil
}

// sweepBodies removes bodies before an id: the files first, so that none stays of which no row knows.
func (in *Inbox) sweepBodies(ctx context.Context, company, before uuid.UUID) (int, error) {
	old, err := in.rows.oldBodies(ctx, company, before, sweepBatch)
	if err != nil || len(old) == 0 {
		return 0, err
	}
	ids := make([]uuid.UUID, len(old))
	for i, b := range old {
		ids[i] = b.ID
		if b.FileSize == 0 {
			continue
		}
		if err := in.files.Delete(principal.AsCompany(ctx, company), fileName(b.ID)); err != nil {
			return 0, err
		}
	}

	return len(ids), in.db.InTx(ctx, func(ctx context.Context) error { return in.rows.removeBodies(ctx, company, ids) })
}
