package jobs

import (
	"context"
	"database/sql"
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
	gate     *gate
	seen     *observation

	workers  *river.Workers
	kinds    map[string]ofKind
	periodic []schedule

	mu     sync.RWMutex
	insert *river.Client[*sql.Tx] // nil while closed

	inserts database.Rows // of what needs no client

	life   sync.Mutex // of Start and Stop
	worker stopper    // nil while no jobs run
	leave  func()     // ends what attend began

	fence *fence
	held  *ledger

	notified map[string]*pauses // by queue
	stopping atomic.Bool
}

// queueOutside has the jobs that wait for somebody outside.
const queueOutside = "outside"

// ofKind is what is known of a kind: whose it is, and which of River's queues its jobs are in.
type ofKind struct{ area, queue string }

// New returns an empty queue; it does no I/O.
func New(s Settings, db *database.DB, clk clock.Clock, log *slog.Logger) *Queue {
	return &Queue{
		db: db, settings: s, clock: clk, log: log, gate: &gate{}, seen: &observation{}, fence: newFence(), held: newLedger(),
		inserts: insertJobs(db.Dialect()), workers: river.NewWorkers(), kinds: map[string]ofKind{},
		notified: map[string]*pauses{river.QueueDefault: {}, queueOutside: {}},
	}
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
	if arePlain(params) {
		return done(q.enqueuePlain(ctx, params))
	}

	return done(q.enqueueByRiver(ctx, params))
}

func (q *Queue) enqueueByRiver(ctx context.Context, params []river.InsertManyParams) error {
	client, err := q.client()
	if err != nil {
		return err
	}
	if q.db.Dialect() == database.SQLite {
		// A statement that is interrupted there takes the whole transaction with it.
		ctx = context.WithoutCancel(ctx)
	}
	tx, err := q.db.SQLTx(ctx)
	if err == nil {
		_, err = client.InsertManyFastTx(ctx, tx, params)
	}
	if err != nil {
		return fmt.Errorf("enqueueing jobs: %w", database.Translate(err))
	}

	return nil
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

func (q *Queue) client() (*river.Client[*sql.Tx], error) {
	q.mu.RLock()
	defer q.mu.RUnlock()
	if q.insert == nil {
		return nil, errors.New("jobs: the queue is not open")
	}

	return q.insert, nil
}

// unfinished are the states of jobs that wait or run.
var unfinished = []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable,
	rivertype.JobStateRunning, rivertype.JobStateScheduled,
}
