package jobs_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// newSQLite is a queue whose jobs say when they have run.
func newSQLite(b *testing.B, poll time.Duration) (*database.DB, *jobs.Queue, *atomic.Int64) {
	b.Helper()
	log := slog.New(slog.DiscardHandler)
	settings := database.Defaults()
	settings.URL = config.Secret("sqlite:" + filepath.Join(b.TempDir(), "x.db"))
	db, err := database.New(settings, "", log)
	require.NoError(b, err)
	require.NoError(b, db.Start(b.Context()))
	b.Cleanup(func() { require.NoError(b, db.Stop(context.WithoutCancel(b.Context()))) })
	require.NoError(b, jobs.MigrateUp(b.Context(), db, log))
	_, err = db.SQL().ExecContext(b.Context(), "CREATE TABLE things (id integer PRIMARY KEY, n int)")
	require.NoError(b, err)

	s, ran := jobs.Defaults(), &atomic.Int64{}
	if poll > 0 {
		s.Poll = poll
	}
	q := jobs.New(s, db, clock.System{}, log)
	require.NoError(b, jobs.Add(q, "test", func(context.Context, hello) error {
		ran.Add(1)

		return nil
	}))
	require.NoError(b, q.Open(b.Context()))

	return db, q, ran
}

// BenchmarkInTx_WhileIdleWorkersPoll tells what looking for jobs costs those who write to SQLite.
func BenchmarkInTx_WhileIdleWorkersPoll(b *testing.B) {
	for _, poll := range []time.Duration{0, time.Second, 200 * time.Millisecond, 50 * time.Millisecond, 10 * time.Millisecond} {
		for name, writers := range map[string]int{"1 writer": 1, "32 writers": 16} {
			b.Run(poll.String()+"/"+name, func(b *testing.B) {
				db, q, _ := newSQLite(b, poll)
				if poll > 0 {
					require.NoError(b, q.Start(b.Context()))
					defer func() { require.NoError(b, q.Stop(context.WithoutCancel(b.Context()))) }()
				}
				insert := func(ctx context.Context) error {
					return db.Raw(ctx, "benchmark").Exec("INSERT INTO things (n) VALUES (1)").Error
				}
				b.ResetTimer()
				if writers == 1 {
					for b.Loop() {
						require.NoError(b, db.InTx(b.Context(), insert))
					}

					return
				}
				b.SetParallelism(writers)
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						require.NoError(b, db.InTx(b.Context(), insert))
					}
				})
			})
		}
	}
}

// BenchmarkEnqueue tells what a job adds to a transaction, and how fast jobs go through.
func BenchmarkEnqueue(b *testing.B) {
	for _, perTx := range []int{0, 1, 5} {
		b.Run("per transaction/"+strconv.Itoa(perTx), func(b *testing.B) {
			db, q, _ := newSQLite(b, 0)
			batch := make([]jobs.Job, perTx)
			for i := range batch {
				batch[i] = jobs.Job{Args: hello{To: "you"}}
			}
			b.SetParallelism(16)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					require.NoError(b, db.InTx(b.Context(), func(ctx context.Context) error {
						if err := db.Raw(ctx, "benchmark").Exec("INSERT INTO things (n) VALUES (1)").Error; err != nil {
							return err
						}

						return q.EnqueueMany(ctx, batch...)
					}))
				}
			})
		})
	}
}

// BenchmarkWork tells how many jobs a process gets through.
func BenchmarkWork(b *testing.B) {
	for _, poll := range []time.Duration{200 * time.Millisecond, 50 * time.Millisecond, 10 * time.Millisecond} {
		b.Run(poll.String(), func(b *testing.B) {
			db, q, ran := newSQLite(b, poll)
			require.NoError(b, db.InTx(b.Context(), func(ctx context.Context) error {
				for range b.N {
					if err := q.Enqueue(ctx, hello{}); err != nil {
						return err
					}
				}

				return nil
			}))
			b.ResetTimer()
			require.NoError(b, q.Start(b.Context()))
			require.Eventually(b, func() bool { return ran.Load() == int64(b.N) }, time.Minute, time.Millisecond)
			b.StopTimer()
			require.NoError(b, q.Stop(b.Context()))
		})
	}
}

// BenchmarkLatency_WhileOthersWrite tells how long a job waits while writers keep SQLite busy.
func BenchmarkLatency_WhileOthersWrite(b *testing.B) {
	for _, writers := range []int{0, 32} {
		b.Run(strconv.Itoa(writers)+" writers", func(b *testing.B) {
			db, q, ran := newSQLite(b, 200*time.Millisecond)
			require.NoError(b, q.Start(b.Context()))
			stop := make(chan struct{})
			var all sync.WaitGroup
			for range writers {
				all.Go(func() {
					for {
						select {
						case <-stop:
							return
						default:
						}
						err := db.InTx(b.Context(), func(ctx context.Context) error {
							return db.Raw(ctx, "benchmark").Exec("INSERT INTO things (n) VALUES (1)").Error
						})
						if err != nil {
							b.Error(err)
						}
					}
				})
			}
			var longest time.Duration
			now := clock.System{}.Now
			for b.Loop() {
				before, start := ran.Load(), now()
				require.NoError(b, db.InTx(b.Context(), func(ctx context.Context) error { return q.Enqueue(ctx, hello{}) }))
				require.Eventually(b, func() bool { return ran.Load() > before }, time.Minute, time.Millisecond)
				longest = max(longest, now().Sub(start))
			}
			close(stop)
			all.Wait()
			b.ReportMetric(float64(longest.Milliseconds()), "ms-longest")
			require.NoError(b, q.Stop(context.WithoutCancel(b.Context())))
		})
	}
}
