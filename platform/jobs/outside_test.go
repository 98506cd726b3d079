package jobs_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/jobs"
)

// call is a job that waits for somebody outside.
type call struct {
	Number int `json:"number"`
}

func (call) Kind() string { return "test.call" }

func TestOutside_WhoIsSlowToAnswerHoldsUpNothingElse(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, url string) {
		s := quick()
		s.Workers, s.OutsideWorkers = 1, 3
		b := newBench(t, url, s)
		calling, answer := make(chan int, 10), make(chan struct{})
		require.NoError(t, jobs.Add(b.Queue, "test", func(ctx context.Context, c call) error {
			calling <- c.Number
			select {
			case <-answer:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}, jobs.Outside()))
		require.NoError(t, b.Open(t.Context()))
		b.start(t)

		require.NoError(t, b.db.InTx(t.Context(), func(ctx context.Context) error {
			return b.EnqueueMany(ctx, jobs.Job{Args: call{1}}, jobs.Job{Args: call{2}}, jobs.Job{Args: call{3}}, jobs.Job{Args: call{4}})
		}))
		for range 3 {
			select {
			case <-calling:
			case <-time.After(patience):
				require.Fail(t, "fewer calls at once than there are places")
			}
		}
		b.enqueue(t, t.Context(), "meanwhile")
		require.Equal(t, "meanwhile", b.next(t).to)
		require.Empty(t, calling, "no more calls at once than there are places")
		close(answer)
		select {
		case <-calling:
		case <-time.After(patience):
			require.Fail(t, "the last call was not made")
		}
	})
}
