package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// lowest is the priority of Background; 1 is the highest and the default.
const lowest = 4

// Queue is the registry of the jobs of all areas, and where they are enqueued. It may be used from
// several goroutines once it is open.
type Queue struct {
	db       *database.DB
	settings Settings
	clock    clock.Clock
	log      *slog.Logger
	seen     *observation

	workers  *river.Workers
	kinds    map[string]ofKind
	periodic []schedule

	inserter *inserter
	attempts *attempts
	presence *presence

	life     sync.Mutex // of Start and Stop
	running  running
	stopping atomic.Bool
}

// queueOutside has the jobs that wait for somebody outside.
const queueOutside = "outside"

// ofKind is what is known of a kind: whose it is, and which of River's queues its jobs are in.
type ofKind struct{ area, queue string }

// New returns an empty queue; it does no I/O.
func New(s Settings, db *database.DB, clk clock.Clock, log *slog.Logger) *Queue {
	q := &Queue{
		db: db, settings: s, clock: clk, log: log, seen: &observation{}, workers: river.NewWorkers(), kinds: map[string]ofKind{},
		inserter: newInserter(s.Attempts, db, clk), presence: newPresence(s, db, clk, log),
	}
	q.attempts = &attempts{log: log, seen: q.seen, fence: q.presence.fence, held: q.presence.held}

	return q
}

// Job is a job for EnqueueMany.
type Job struct {
	Args    Args
	Options []Option
}

var errOutside = errors.New("jobs: enqueue needs a transaction: use InTx")

// Enqueue adds a job to the transaction in ctx; it runs some time after the commit. The company of
// the principal in ctx owns the job. An error is a mistake in the program or a database that is away:
// a kind nobody works on, no transaction.
func (q *Queue) Enqueue(ctx context.Context, args Args, options ...Option) error {
	return q.EnqueueMany(ctx, Job{Args: args, Options: options})
}

// EnqueueMany adds jobs to the transaction in ctx, all by one statement on PostgreSQL.
func (q *Queue) EnqueueMany(ctx context.Context, jobs ...Job) error {
	if len(jobs) == 0 {
		return nil
	}
	if !database.InTransaction(ctx) {
		return errOutside
	}
	ctx, done := q.seen.enqueueing(ctx, jobs)
	params, err := q.params(ctx, jobs)
	if err != nil {
		return done(err)
	}

	return done(q.inserter.insert(ctx, params))
}

func (q *Queue) params(ctx context.Context, jobs []Job) ([]river.InsertManyParams, error) {
	who, _ := principal.From(ctx)
	meta, err := json.Marshal(metadata{Request: telemetry.RequestID(ctx), Trace: telemetry.TraceParent(ctx)})
	if err != nil {
		return nil, err
	}
	all := make([]river.InsertManyParams, 0, len(jobs))
	for _, job := range jobs {
		kind := job.Args.Kind()
		of, known := q.kinds[kind]
		if !known {
			return nil, fmt.Errorf("jobs: nobody works on %q: is jobs.On in the manifest?", kind)
		}
		sealed, err := encodeJob(who.Company, job.Args)
		if err != nil {
			return nil, err
		}
		options := &river.InsertOpts{Metadata: meta, Queue: of.queue}
		for _, option := range job.Options {
			option(options)
		}
		all = append(all, river.InsertManyParams{Args: sealed, InsertOpts: options})
	}

	return all, nil
}

// unfinished are the states of jobs that wait or run.
var unfinished = []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable,
	rivertype.JobStateRunning, rivertype.JobStateScheduled,
}
