package jobs_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/telemetry"
)

const patience = 15 * time.Second

// hello is a job that tells its worker something.
type hello struct {
	To string `json:"to"`
}

func (hello) Kind() string { return "test.hello" }

// run is what a worker saw.
type run struct {
	to, request string
	company     uuid.UUID
	attempt     jobs.Attempt
}

// bench is a queue with one worker, which tells what it did.
type bench struct {
	*jobs.Queue

	db   *database.DB
	runs chan run
	work func(ctx context.Context, args hello) error
}

func quick() jobs.Settings {
	s := jobs.Defaults()
	s.Poll, s.RetryDelay = 10*time.Millisecond, 10*time.Millisecond

	return s
}

func newBench(t *testing.T, url string, s jobs.Settings) *bench {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	settings := database.Defaults()
	settings.URL = config.Secret(url)
	db, err := database.New(settings, "", log)
	require.NoError(t, err)
	require.NoError(t, db.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, db.Stop(context.WithoutCancel(t.Context()))) })
	require.NoError(t, jobs.MigrateUp(t.Context(), db, log))

	b := &bench{Queue: jobs.New(s, db, clock.System{}, log), db: db, runs: make(chan run, 1000)}
	require.NoError(t, jobs.Add(b.Queue, "test", func(ctx context.Context, args hello) error {
		attempt, _ := jobs.Current(ctx)
		who, _ := principal.From(ctx)
		b.runs <- run{to: args.To, company: who.Company, request: telemetry.RequestID(ctx), attempt: attempt}
		if b.work == nil {
			return nil
		}

		return b.work(ctx, args)
	}))
	require.NoError(t, b.Open(t.Context()))

	return b
}

// start runs jobs until the test ends.
func (b *bench) start(t *testing.T) {
	t.Helper()
	require.NoError(t, b.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, b.Stop(context.WithoutCancel(t.Context()))) })
}

func (b *bench) enqueue(t *testing.T, ctx context.Context, to string, options ...jobs.Option) {
	t.Helper()
	require.NoError(t, b.db.InTx(ctx, func(ctx context.Context) error {
		return b.Enqueue(ctx, hello{To: to}, options...)
	}))
}

func (b *bench) next(t *testing.T) run {
	t.Helper()
	select {
	case r := <-b.runs:
		return r
	case <-time.After(patience):
		require.Fail(t, "no job ran")

		return run{}
	}
}

func (b *bench) count(t *testing.T, where string) int {
	t.Helper()
	var n int
	require.NoError(t, b.db.Raw(t.Context(), "test").Raw("SELECT count(*) FROM river_job WHERE "+where).Scan(&n).Error)

	return n
}

func each(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	databasetest.Each(t, test)
}

func TestEnqueue_RunsAfterTheCommitAsTheCompanyThatEnqueued(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, url string) {
		b := newBench(t, url, quick())
		b.start(t)
		company := uuid.New()
		ctx := telemetry.WithRequestID(principal.With(t.Context(), principal.Principal{
			Kind: principal.User, Company: company, User: uuid.New(),
		}), "req-1")
		b.enqueue(t, ctx, "a")
		got := b.next(t)
		require.Equal(t, "a", got.to)
		require.Equal(t, company, got.company)
		require.Equal(t, "req-1", got.request)
		require.Equal(t, 1, got.attempt.Number)
		require.NotZero(t, got.attempt.Job)
		require.WithinDuration(t, clock.System{}.Now(), got.attempt.EnqueuedAt, time.Minute)

		b.enqueue(t, t.Context(), "nobody")
		require.Equal(t, uuid.Nil, b.next(t).company)
		require.Eventually(t, func() bool { return b.count(t, "state = 'completed'") == 2 }, patience, 10*time.Millisecond)
	})
}

func TestEnqueue_IsUndoneWithItsTransaction(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, url string) {
		b := newBench(t, url, quick())
		boom := errors.New("boom")
		require.ErrorIs(t, b.db.InTx(t.Context(), func(ctx context.Context) error {
			require.NoError(t, b.Enqueue(ctx, hello{}))

			return boom
		}), boom)
		require.NoError(t, b.db.InTx(t.Context(), func(ctx context.Context) error {
			require.ErrorIs(t, b.db.Savepoint(ctx, func(ctx context.Context) error {
				require.NoError(t, b.Enqueue(ctx, hello{}))

				return boom
			}), boom)

			return b.Enqueue(ctx, hello{To: "kept"})
		}))
		require.Equal(t, 1, b.count(t, "true"))
		require.ErrorContains(t, b.Enqueue(t.Context(), hello{}), "use InTx")
	})
}

type unknown struct{}

func (unknown) Kind() string { return "test.unknown" }

func TestEnqueue_RefusesWhatNobodyWorksOn(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, url string) {
		b := newBench(t, url, quick())
		require.ErrorContains(t, b.db.InTx(t.Context(), func(ctx context.Context) error {
			return b.Enqueue(ctx, unknown{})
		}), `nobody works on "test.unknown"`)
	})
}

func TestEnqueue_UniqueIsPerCompanyAndArguments(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, url string) {
		b := newBench(t, url, quick())
		one := principal.With(t.Context(), principal.ForCompany(uuid.New()))
		two := principal.With(t.Context(), principal.ForCompany(uuid.New()))
		for range 2 {
			b.enqueue(t, one, "a", jobs.Unique())
			b.enqueue(t, one, "b", jobs.Unique())
			b.enqueue(t, two, "a", jobs.Unique())
		}
		require.Equal(t, 3, b.count(t, "true"))
		b.start(t)
		for range 3 {
			b.next(t)
		}
		require.Eventually(t, func() bool { return b.count(t, "state = 'completed'") == 3 }, patience, 10*time.Millisecond)
		b.enqueue(t, one, "a", jobs.Unique())
		require.Equal(t, "a", b.next(t).to, "one that has ended is no hindrance")
	})
}

func TestEnqueue_OrdersByTimeAndThenByPriority(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, url string) {
		s := quick()
		s.Workers = 1
		b := newBench(t, url, s)
		b.enqueue(t, t.Context(), "tomorrow", jobs.At(clock.System{}.Now().Add(24*time.Hour)))
		b.enqueue(t, t.Context(), "second", jobs.Background())
		b.enqueue(t, t.Context(), "first")
		b.start(t)
		require.Equal(t, "first", b.next(t).to)
		require.Equal(t, "second", b.next(t).to)
		require.Equal(t, 1, b.count(t, "state = 'scheduled'"))
	})
}

func TestWork_IsTriedAgainUntilItSucceedsOrHasUsedUpItsAttempts(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, url string) {
		b := newBench(t, url, quick())
		b.work = func(ctx context.Context, args hello) error {
			attempt, _ := jobs.Current(ctx)
			switch {
			case args.To == "panics" && attempt.Number == 1:
				panic("boom")
			case args.To == "hopeless":
				return jobs.Permanent(errors.New("boom"))
			case args.To == "later" && attempt.EnqueuedAt.Add(50*time.Millisecond).After(clock.System{}.Now()):
				return jobs.Later(50 * time.Millisecond)
			case args.To == "fails" && !attempt.Last:
				return errors.New("boom")
			case args.To == "never":
				return errors.New("boom")
			}

			return nil
		}
		b.start(t)
		for _, to := range []string{"panics", "hopeless", "later"} {
			b.enqueue(t, t.Context(), to)
		}
		b.enqueue(t, t.Context(), "fails", jobs.Attempts(3))
		b.enqueue(t, t.Context(), "never", jobs.Attempts(2))
		require.Eventually(t, func() bool {
			return b.count(t, "state = 'completed'") == 3 && b.count(t, "state = 'cancelled'") == 1 && b.count(t, "state = 'discarded'") == 1
		}, 2*patience, 10*time.Millisecond)
		attempts := map[string]int{}
		for len(b.runs) > 0 {
			attempts[b.next(t).to]++
		}
		require.Equal(t, 2, attempts["panics"])
		require.Equal(t, 1, attempts["hopeless"])
		require.Equal(t, 3, attempts["fails"])
		require.Equal(t, 2, attempts["never"])
	})
}

func TestStop_WaitsForJobsThatRunAndTakesNoMore(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, url string) {
		one := quick()
		one.Workers = 1 // so that "b" waits for "a" in any case
		b := newBench(t, url, one)
		release, ended := make(chan struct{}), make(chan error, 1)
		b.work = func(ctx context.Context, _ hello) error {
			<-release

			return ctx.Err()
		}
		require.NoError(t, b.Start(t.Context()))
		b.enqueue(t, t.Context(), "a")
		b.next(t)
		go func() { ended <- b.Stop(context.WithoutCancel(t.Context())) }()
		b.enqueue(t, t.Context(), "b")
		select {
		case err := <-ended:
			require.NoError(t, err)
			require.Fail(t, "a job was running")
		case <-time.After(100 * time.Millisecond):
		}
		close(release)
		require.NoError(t, <-ended)
		require.Equal(t, 1, b.count(t, "state = 'completed'"))
		require.Equal(t, 1, b.count(t, "state = 'available'"))

		b.start(t)
		require.Equal(t, "b", b.next(t).to, "started again, it goes on")
	})
}

func TestStop_CancelsWhatOutlastsTheDrain(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, url string) {
		s := quick()
		s.DrainPeriod = 50 * time.Millisecond
		b := newBench(t, url, s)
		b.work = func(ctx context.Context, _ hello) error {
			<-ctx.Done()

			return ctx.Err()
		}
		require.NoError(t, b.Start(t.Context()))
		b.enqueue(t, t.Context(), "a")
		b.next(t)
		require.NoError(t, b.Stop(t.Context()))
		require.Equal(t, 1, b.count(t, "state <> 'running' AND state <> 'completed'"), "it is tried again")
	})
}

func TestMigrateUp_RunsInSeveralProcessesAtOnceAndAgain(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, url string) {
		var all sync.WaitGroup
		for range 3 {
			settings := database.Defaults()
			settings.URL = config.Secret(url)
			db, err := database.New(settings, "", slog.New(slog.DiscardHandler))
			require.NoError(t, err)
			require.NoError(t, db.Start(t.Context()))
			all.Go(func() {
				err := jobs.MigrateUp(t.Context(), db, slog.New(slog.DiscardHandler))
				if err := errors.Join(err, db.Stop(context.WithoutCancel(t.Context()))); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	})
}

func TestEnqueue_WritesTheRowThatRiverWrites(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, url string) {
		b := newBench(t, url, quick())
		job := jobs.Job{Args: hello{To: "é"}, Options: []jobs.Option{jobs.Background(), jobs.Attempts(7)}}
		ctx := telemetry.WithRequestID(principal.With(t.Context(), principal.ForCompany(uuid.New())), "req-1")
		require.NoError(t, b.db.InTx(ctx, func(ctx context.Context) error {
			return errors.Join(b.EnqueueByRiver(ctx, job), b.EnqueueMany(ctx, job))
		}))
		require.Equal(t, 2, b.count(t, "state = 'available' AND created_at = scheduled_at AND length(CAST(scheduled_at AS text)) >= 19"))
		columns := "args, attempt, attempted_at, attempted_by, errors, finalized_at, kind, max_attempts, metadata, priority, queue, state, tags, unique_key, unique_states"
		if b.db.Dialect() == database.SQLite {
			for column := range strings.SplitSeq(columns+", created_at, scheduled_at", ", ") {
				columns += ", typeof(" + column + ")"
			}
		}
		var different int
		require.NoError(t, b.db.Raw(t.Context(), "test").
			Raw("SELECT count(*) FROM (SELECT DISTINCT "+columns+" FROM river_job) x").Scan(&different).Error)
		require.Equal(t, 1, different)
	})
}
