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

// notifyPostgres tells those who wait for jobs, as River's client does.
const notifyPostgres = `SELECT pg_notify(concat(current_schema(), '.river_insert'), json_build_object('queue', CAST(? AS text))::text)`

// insertJobs are River's statements for jobs that are neither Unique nor At (JobInsertFastNoReturning of riversqlite v0.51.2,
// JobInsertFastManyNoReturning of riverdatabasesql v0.51.2), without what is for those. A test compares the rows of both.
func insertJobs(on database.Dialect) database.Rows {
	document := database.Value{SQL: "jsonb(?)", Types: []string{"jsonb"}}
	now, tags := "datetime('now', 'subsec')", "jsonb('[]')"
	if on == database.Postgres {
		document.SQL, now, tags = "CAST(? AS jsonb)", "now()", "'{}'"
	}
	plain := database.PlainValues("text", "smallint", "smallint", "text")

	return database.NewRows(`INSERT INTO river_job
		(args, kind, max_attempts, priority, queue, metadata, created_at, scheduled_at, state, tags)`, slices.Concat(
		[]database.Value{document}, plain, []database.Value{document, {SQL: now}, {SQL: now}, {SQL: "'available'"}, {SQL: tags}},
	), "")
}

// arePlain reports whether every job is one for these statements.
func arePlain(params []river.InsertManyParams) bool {
	return !slices.ContainsFunc(params, func(p river.InsertManyParams) bool {
		return !p.InsertOpts.ScheduledAt.IsZero() || p.InsertOpts.UniqueOpts.ByArgs
	})
}

// insertPlain adds jobs to the transaction in ctx. River's driver has SQLite parse its statement anew for
// each job, which takes several times as long as running it; here the statement stays prepared. On
// PostgreSQL the jobs go with the other statements of the transaction whose answer nobody waits for: a
// transaction of such alone is one message.
func (in *inserter) insertPlain(ctx context.Context, params []river.InsertManyParams) error {
	rows := make([][]any, len(params))
	for i, p := range params {
		args, ok := p.Args.(outgoing)
		if !ok {
			return fmt.Errorf("jobs: %T is not sealed", p.Args)
		}
		rows[i] = []any{
			string(args.encoded), args.kind, int64(cmp.Or(p.InsertOpts.MaxAttempts, in.attempts)),
			int64(cmp.Or(p.InsertOpts.Priority, river.PriorityDefault)), p.InsertOpts.Queue, string(p.InsertOpts.Metadata),
		}
	}
	err := in.db.PipelineRows(ctx, "River's table, whose rows carry their company within", in.rows, rows, enqueueError)
	if err != nil {
		return enqueueError(err)
	}
	if in.db.Dialect() != database.Postgres {
		return nil
	}
	var told []string
	for _, p := range params {
		queue := p.InsertOpts.Queue
		if slices.Contains(told, queue) || !in.notified[queue].due(in.clock.Now()) {
			continue
		}
		told = append(told, queue)
		if err := in.db.Pipeline(ctx, "a notification is no row", notifyPostgres, []any{queue}, enqueueError); err != nil {
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
