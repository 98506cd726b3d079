package idempotency

import (
	"context"
	"time"

	"github.com/dispatchd/dispatchd/platform/jobs"
)

const (
	// purgeEvery is how often expired answers are deleted, purgeBatch how many in one transaction.
	purgeEvery = 10 * time.Minute
	purgeBatch = 500
)

// purgeArgs are the arguments of the job that deletes expired answers.
type purgeArgs struct{}

// Kind implements jobs.Args.
func (purgeArgs) Kind() string { return "idempotency.purge" }

// Schedule has the queue delete what has expired. It is called before the queue starts.
func (k *Keeper) Schedule(q *jobs.Queue) error {
	err := jobs.Add(q, "idempotency", func(ctx context.Context, _ purgeArgs) error {
		_, err := k.Purge(ctx)

		return err
	})
	if err != nil {
		return err
	}

	return jobs.AddEvery(q, purgeEvery, purgeArgs{})
}

// Purge deletes what has expired, and returns how many answers it were.
func (k *Keeper) Purge(ctx context.Context) (int, error) {
	total := 0
	for {
		deleted, err := k.rows.purge(ctx, k.clock.Now(), purgeBatch)
		total += deleted
		if err != nil || deleted < purgeBatch {
			return total, err
		}
	}
}
