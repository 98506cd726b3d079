package main

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
)

// noop is a job that says as much as a delivery of the product.
type noop struct {
	Company uuid.UUID `json:"company"`
	Event   uuid.UUID `json:"event"`
	Name    string    `json:"name"`
	Handler string    `json:"handler"`
	Payload thing     `json:"payload"`
}

// Kind implements river.JobArgs.
func (noop) Kind() string { return "bench.noop" }

type noopWorker struct {
	river.WorkerDefaults[noop]

	worked atomic.Int64
}

// Work implements river.Worker.
func (w *noopWorker) Work(context.Context, *river.Job[noop]) error {
	w.worked.Add(1)

	return nil
}

// plainRiver is River by itself, on the same tables but in a queue of its own: the ceiling of
// deliveries.
type plainRiver[TTx any] struct {
	client  *river.Client[TTx]
	worker  *noopWorker
	inTx    func(ctx context.Context, work func(TTx) error) error
	release func() error
}

// riverDeliverer is a plainRiver on either database.
type riverDeliverer interface {
	deliverer
	close() error
}

const ceilingQueue = "ceiling"

// newPlainRiver has River look for jobs as often, and work on as many, as the product does by default.
func newPlainRiver[TTx any](driver riverdriver.Driver[TTx], inTx func(context.Context, func(TTx) error) error, closing func() error) (*plainRiver[TTx], error) {
	p := &plainRiver[TTx]{worker: &noopWorker{}, inTx: inTx, release: closing}
	workers := river.NewWorkers()
	if err := river.AddWorkerSafely(workers, p.worker); err != nil {
		return nil, err
	}
	var err error
	p.client, err = river.NewClient(driver, &river.Config{
		Workers: workers, Logger: slog.New(slog.DiscardHandler),
		FetchPollInterval: 200 * time.Millisecond, FetchCooldown: 5 * time.Millisecond,
		Queues: map[string]river.QueueConfig{ceilingQueue: {MaxWorkers: max(16, 8*runtime.GOMAXPROCS(0))}},
	})

	return p, err
}

func (p *plainRiver[TTx]) start(ctx context.Context) error {
	return p.client.Start(context.WithoutCancel(ctx))
}
func (p *plainRiver[TTx]) stop(ctx context.Context) error { return p.client.Stop(ctx) }
func (p *plainRiver[TTx]) arrived() int64                 { return p.worker.worked.Load() }
func (p *plainRiver[TTx]) close() error                   { return p.release() }

func (p *plainRiver[TTx]) publish(ctx context.Context, listeners int) error {
	jobs := make([]river.InsertManyParams, listeners)
	for i := range jobs {
		jobs[i] = river.InsertManyParams{InsertOpts: &river.InsertOpts{Queue: ceilingQueue}, Args: noop{
			Company: uuid.New(), Event: uuid.New(), Name: "crowd.five.told", Handler: "crowd/second",
			Payload: thing{ID: uuid.New(), Module: uuid.New(), VIN: filledVIN(1), Price: "12345.67"},
		}}
	}

	return p.inTx(ctx, func(tx TTx) error {
		_, err := p.client.InsertManyFastTx(ctx, tx, jobs)

		return err
	})
}

// river uses the pool of the service.
func (*postgres) river(s *eventService) (riverDeliverer, error) {
	inTx := func(ctx context.Context, work func(pgx.Tx) error) error {
		return pgx.BeginFunc(ctx, s.DB.Pool(), work)
	}

	return newPlainRiver(riverpgxv5.New(s.DB.Pool()), inTx, func() error { return nil })
}

// river uses one connection, as River asks for on SQLite.
func (s *sqlite) river(*eventService) (riverDeliverer, error) {
	db, err := s.open(eventsFile)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	inTx := func(ctx context.Context, work func(*sql.Tx) error) error {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		if err := work(tx); err != nil {
			return errors.Join(err, tx.Rollback())
		}

		return tx.Commit()
	}

	return newPlainRiver(riversqlite.New(db), inTx, db.Close)
}
