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
	return jobs.AddSweep(q, "idempotency", purgeEvery, purgeArgs{}, k.Purge)
}

// Purge deletes answers that have expired, a batch at most, and returns how many it were.
func (k *Keeper) Purge(ctx context.Context) (int, error) {
	return k.rows.purge(ctx, k.clock.Now(), purgeBatch)
}
