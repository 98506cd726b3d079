package jobs

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"

	"github.com/dispatchd/dispatchd/platform/database"
)

// cancelPeriod is how long jobs have to return once they were cancelled, where the caller of Stop
// allows it.
const cancelPeriod = 5 * time.Second

// running is what Stop ends.
type running struct {
	client stopper // nil while no jobs run
	leave  func()  // ends the presence of the process
}

// stopper is a client that runs jobs, whatever its transactions are.
type stopper interface {
	Stop(ctx context.Context) error
	StopAndCancel(ctx context.Context) error
}

// Open lets jobs be enqueued; the database is open. It does no I/O.
func (q *Queue) Open(context.Context) error {
	config := q.config()
	config.FetchCooldown = notifyPause
	client, err := river.NewClient(q.joining(), config)
	if err != nil {
		return fmt.Errorf("jobs: %w", err)
	}
	q.inserter.use(client)

	return nil
}

// Close ends what Open began.
func (q *Queue) Close(context.Context) error {
	q.inserter.use(nil)

	return nil
}

// Start begins to run jobs, those of the schedules among them, on tables that are up to date. It may
// be called again after Stop.
//
// Jobs that were left run before it returns, and enqueue others: nothing that enqueueing waits for is held meanwhile. On
// SQLite they would keep the one writer, for which the rest of the start waits.
func (q *Queue) Start(ctx context.Context) error {
	q.life.Lock()
	defer q.life.Unlock()
	if q.running.client != nil {
		return errors.New("jobs: started twice")
	}
	q.stopping.Store(false)
	config := q.config()
	config.FetchPollInterval, config.FetchCooldown = q.settings.Poll, fetchPause
	config.Queues = map[string]river.QueueConfig{
		river.QueueDefault: {MaxWorkers: q.settings.workers()}, queueOutside: {MaxWorkers: q.settings.OutsideWorkers},
	}
	schedules, err := q.schedules()
	if err != nil {
		return err
	}
	config.PeriodicJobs = schedules
	config.ID = newOwner()
	leave, err := q.presence.attend(ctx, config.ID)
	if err != nil {
		return err
	}
	var client stopper
	if q.db.Dialect() == database.Postgres {
		client, err = startOn(ctx, riverpgxv5.New(q.db.Pool()), config)
	} else {
		client, err = startOn(ctx, riversqlite.New(q.db.SQL()), config)
	}
	if err != nil {
		leave()

		return fmt.Errorf("jobs: %w", err)
	}
	q.running = running{client, leave}

	return nil
}

// Stop takes no more jobs, waits for those that run as long as jobs.drain says, cancels what is
// left then, and waits for that. Cancelled jobs are tried again later.
func (q *Queue) Stop(ctx context.Context) error {
	q.life.Lock()
	was := q.running
	q.running = running{}
	q.life.Unlock()
	if was.client == nil {
		return nil
	}
	defer was.leave()
	q.stopping.Store(true)
	drain, cancel := context.WithTimeout(ctx, q.settings.DrainPeriod)
	defer cancel()
	if err := was.client.Stop(drain); err == nil {
		return nil
	}
	q.log.WarnContext(ctx, "cancelling the jobs that still run")
	last, cancel := context.WithTimeout(ctx, cancelPeriod)
	defer cancel()
	if err := was.client.StopAndCancel(last); err != nil {
		return fmt.Errorf("jobs: some did not stop: %w", err)
	}

	return nil
}

// StopTimeout is how long Stop may take.
func (s Settings) StopTimeout() time.Duration { return s.DrainPeriod + cancelPeriod }

// startOn starts a client. ctx ends with the start of the service, its values are of no use later.
func startOn[TTx any](ctx context.Context, driver riverdriver.Driver[TTx], config *river.Config) (stopper, error) {
	client, err := river.NewClient(driver, config)
	if err != nil {
		return nil, err
	}
	if err := client.Start(context.WithoutCancel(ctx)); err != nil {
		return nil, err
	}

	return client, nil
}

// joining is the driver that enqueues in transactions of database/sql, on both databases. It has no
// pool on PostgreSQL, where workers use pgx itself: only that can wait for notifications.
func (q *Queue) joining() riverdriver.Driver[*sql.Tx] {
	if q.db.Dialect() == database.Postgres {
		return riverdatabasesql.New(nil)
	}

	return riversqlite.New(q.db.SQL())
}

func (q *Queue) config() *river.Config {
	return &river.Config{
		Workers: q.workers, MaxAttempts: q.settings.Attempts,
		JobTimeout: q.settings.Timeout, RescueStuckJobsAfter: q.settings.Rescue,
		CompletedJobRetentionPeriod: q.settings.Keep, CancelledJobRetentionPeriod: q.settings.KeepFailed,
		DiscardedJobRetentionPeriod: q.settings.KeepFailed,
		RetryPolicy:                 backoff{first: q.settings.RetryDelay, clock: q.clock},
		Logger:                      riverLogger(q.log, &q.stopping),
		// Notifications on SQLite are rows that River polls for every 50 ms; jobs.poll looks for the jobs themselves.
		PollOnly: q.db.Dialect() == database.SQLite,
	}
}
