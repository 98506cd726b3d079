package jobs_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// tidy is a job that finds out by itself what there is to do.
type tidy struct{}

func (tidy) Kind() string { return "test.tidy" }

func TestTogether_OneRunsAndOneWaitsForAllOfACompany(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, url string) {
		s := quick()
		s.Workers = 8
		b := newBench(t, url, s)
		running, finish := make(chan uuid.UUID, 100), make(chan error)
		require.NoError(t, jobs.Add(b.Queue, "test", func(ctx context.Context, _ tidy) error {
			who, _ := principal.From(ctx)
			running <- who.Company
			select {
			case err := <-finish:
				return err
			case <-ctx.Done():
				return ctx.Err()
			}
		}, jobs.Together()))
		require.NoError(t, b.Open(t.Context()))
		b.start(t)
		one, other := uuid.New(), uuid.New()
		enqueue := func(company uuid.UUID, many int) {
			ctx := principal.With(t.Context(), principal.ForCompany(company))
			require.NoError(t, b.db.InTx(ctx, func(ctx context.Context) error {
				for range many {
					if err := b.Enqueue(ctx, tidy{}); err != nil {
						return err
					}
				}

				return nil
			}))
		}
		begun := func(company uuid.UUID) {
			select {
			case got := <-running:
				require.Equal(t, company, got)
			case <-time.After(patience):
				require.Fail(t, "no job began")
			}
		}
		enqueue(one, 1)
		begun(one)
		enqueue(one, 20)
		require.Eventually(t, func() bool { return b.count(t, "state = 'completed'") == 19 }, patience, 10*time.Millisecond)
		enqueue(other, 1)
		begun(other)
		require.Empty(t, running, "the first company's next job waits")

		finish <- nil
		finish <- context.DeadlineExceeded // one of the three runs fails, whichever it is, and comes again
		finish <- nil
		finish <- nil
		require.Eventually(t, func() bool { return b.count(t, "state = 'completed'") == 22 }, patience, 10*time.Millisecond)
		require.Len(t, running, 2, "that which waited, and that which came again")
	})
}
