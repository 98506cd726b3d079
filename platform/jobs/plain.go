package jobs

import (
	"cmp"
	"context"
	"fmt"

	"github.com/riverqueue/river"

	"github.com/dispatchd/dispatchd/platform/database"
)

// insertPlain is River's statement for a job that is neither Unique nor At (riversqlite v0.31.0,
// JobInsertFastNoReturning), without what is for those. A test compares the rows of both.
const insertPlain = `INSERT INTO river_job (args, created_at, kind, max_attempts, metadata, priority, queue, scheduled_at, state, tags)
VALUES (cast(? AS blob), datetime('now', 'subsec'), ?, ?, ?, ?, ?, datetime('now', 'subsec'), 'available', '[]')`

// plain reports whether every job is one for insertPlain.
func plain(params []river.InsertManyParams) bool {
	for _, p := range params {
		if o := p.InsertOpts; !o.ScheduledAt.IsZero() || o.UniqueOpts.ByArgs {
			return false
		}
	}

	return true
}

// enqueuePlain adds jobs to the transaction in ctx on SQLite. River's driver has SQLite parse its
// statement anew for each job, which takes several times as long as running it; here the
// statement stays prepared.
func (q *Queue) enqueuePlain(ctx context.Context, params []river.InsertManyParams) error {
	tx := q.db.Raw(ctx, "River's table, whose rows carry their company within")
	for _, p := range params {
		args, ok := p.Args.(outgoing)
		if !ok {
			return fmt.Errorf("jobs: %T is not sealed", p.Args)
		}
		err := tx.Exec(insertPlain, string(args.encoded), args.kind, cmp.Or(p.InsertOpts.MaxAttempts, q.settings.Attempts),
			string(p.InsertOpts.Metadata), cmp.Or(p.InsertOpts.Priority, river.PriorityDefault), river.QueueDefault).Error
		if err != nil {
			return fmt.Errorf("enqueueing jobs: %w", database.Translate(err))
		}
	}

	return nil
}
