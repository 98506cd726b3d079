package jobs_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/jobs"
)

// Jobs that were left run while the rest of the service starts, and enqueue others. On SQLite they have the one writer
// meanwhile, for which the start waits.
func TestStart_LetsTransactionsEnqueueForWhichItWaits(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, url string) {
		b := newBench(t, url, quick())
		require.NoError(t, jobs.Add(b.Queue, "test", func(context.Context, call) error { return nil }))
		require.NoError(t, b.Open(t.Context()))
		begun, enqueued := make(chan error, 1), make(chan error, 1)
		go func() {
			enqueued <- b.db.InTx(t.Context(), func(ctx context.Context) error {
				if err := b.Enqueue(ctx, call{-1}, jobs.Unique()); err != nil { // from here on, it has the writer
					return err
				}
				go func() { begun <- b.Start(context.WithoutCancel(t.Context())) }()
				for n := range 300 {
					if err := b.Enqueue(ctx, call{n}, jobs.Unique()); err != nil {
						return err
					}
				}

				return nil
			})
		}()
		for _, done := range []chan error{enqueued, begun} {
			select {
			case err := <-done:
				require.NoError(t, err)
			case <-time.After(patience):
				require.Fail(t, "they wait for each other")
			}
		}
		require.NoError(t, b.Stop(t.Context()))
	})
}
