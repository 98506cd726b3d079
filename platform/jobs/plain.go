package jobs

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/riverqueue/river"

	"github.com/dispatchd/dispatchd/platform/database"
)

// insertSQLite and insertPostgres are River's statements for a job that is neither Unique nor At (JobInsertFastNoReturning of
// riversqlite v0.31.0, JobInsertFastManyNoReturning of riverdatabasesql v0.31.0), without what is for
// those. A test compares the rows of both.
const (
	insertSQLite = `INSERT INTO river_job (args, created_at, kind, max_attempts, metadata, priority, queue, scheduled_at, state, tags)
VALUES (cast(? AS blob), datetime('now', 'subsec'), ?, ?, ?, ?, ?, datetime('now', 'subsec'), 'available', '[]')`
	insertPostgres = `INSERT INTO river_job (args, created_at, kind, max_attempts, metadata, priority, queue, scheduled_at, state, tags)
VALUES (CAST(? AS jsonb), now(), ?, ?, CAST(? AS jsonb), ?, ?, now(), 'available', '{}')`
	// notifyPostgres tells those who wait for jobs, as River's client does.
	notifyPostgres = `SELECT pg_notify(concat(current_schema(), '.river_insert'), json_build_object('queue', CAST(? AS text))::text)`
	// mostTogether is how many jobs are a statement each: River has one for any number.
	mostTogether = 8
)

// arePlain reports whether every job is one for these statements.
func (q *Queue) arePlain(params []river.InsertManyParams) bool {
	if q.db.Dialect() == database.Postgres && len(params) > mostTogether {
		return false
	}
	for _, p := range params {
		if o := p.InsertOpts; !o.ScheduledAt.IsZero() || o.UniqueOpts.ByArgs {
			return false
		}
	}

	return true
}

// enqueuePlain adds jobs to the transaction in ctx. River's driver has SQLite parse its statement anew for
// each job, which takes several times as long as running it; here the statement stays prepared. On
// PostgreSQL the jobs go with the other statements of the transaction whose answer nobody waits for: a
// transaction of such alone is one message.
func (q *Queue) enqueuePlain(ctx context.Context, params []river.InsertManyParams) error {
	insert := insertSQLite
	if q.db.Dialect() == database.Postgres {
		insert = insertPostgres
	}
	for _, p := range params {
		args, ok := p.Args.(outgoing)
		if !ok {
			return fmt.Errorf("jobs: %T is not sealed", p.Args)
		}
		err := q.db.Pipeline(ctx, "River's table, whose rows carry their company within", insert, []any{
			string(args.encoded), args.kind, cmp.Or(p.InsertOpts.MaxAttempts, q.settings.Attempts),
			string(p.InsertOpts.Metadata), cmp.Or(p.InsertOpts.Priority, river.PriorityDefault), p.InsertOpts.Queue,
		}, enqueueError)
		if err != nil {
			return enqueueError(err)
		}
	}
	if q.db.Dialect() != database.Postgres {
		return nil
	}
	var told []string
	for _, p := range params {
		queue := p.InsertOpts.Queue
		if slices.Contains(told, queue) || !q.notified[queue].due(q.clock.Now()) {
			continue
		}
		told = append(told, queue)
		if err := q.db.Pipeline(ctx, "a notification is no row", notifyPostgres, []any{queue}, enqueueError); err != nil {
			return enqueueError(err)
		}
	}

	return nil
}

func enqueueError(err error) error { return fmt.Errorf("enqueueing jobs: %w", database.Translate(err)) }

// pauses says when something is due that is done now and then.
type pauses struct {
	mu   sync.Mutex
	last time.Time
}

// due reports whether there was none for notifyPause.
func (p *pauses) due(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if since := now.Sub(p.last); since >= 0 && since < notifyPause {
		return false
	}
	p.last = now

	return true
}
