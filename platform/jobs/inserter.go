package jobs

import (
	"context"
	"database/sql"
	"errors"
	"sync"

	"github.com/riverqueue/river"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
)

// inserter adds jobs to River's table, by statements of our own or by River's client.
type inserter struct {
	attempts int // of jobs that do not say how often they are tried
	db       *database.DB
	clock    clock.Clock
	rows     database.Rows      // of what needs no client
	notified map[string]*pauses // by queue

	mu     sync.RWMutex
	client *river.Client[*sql.Tx] // nil while closed
}

func newInserter(attempts int, db *database.DB, clk clock.Clock) *inserter {
	return &inserter{
		attempts: attempts, db: db, clock: clk, rows: insertJobs(db.Dialect()),
		notified: map[string]*pauses{river.QueueDefault: {}, queueOutside: {}},
	}
}

// use has jobs inserted by a client from then on; nil closes the inserter.
func (in *inserter) use(client *river.Client[*sql.Tx]) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.client = client
}

// insert adds jobs to the transaction in ctx.
func (in *inserter) insert(ctx context.Context, params []river.InsertManyParams) error {
	if arePlain(params) {
		return in.insertPlain(ctx, params)
	}

	return in.insertByRiver(ctx, params)
}

func (in *inserter) insertByRiver(ctx context.Context, params []river.InsertManyParams) error {
	in.mu.RLock()
	client := in.client
	in.mu.RUnlock()
	if client == nil {
		return errors.New("jobs: the queue is not open")
	}
	if in.db.Dialect() == database.SQLite {
		// A statement that is interrupted there takes the whole transaction with it.
		ctx = context.WithoutCancel(ctx)
	}
	tx, err := in.db.SQLTx(ctx)
	if err == nil {
		_, err = client.InsertManyFastTx(ctx, tx, params)
	}
	if err != nil {
		return enqueueError(err)
	}

	return nil
}
