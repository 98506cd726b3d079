package ratelimit_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/ratelimit"
)

func TestShares_GiveNobodyMoreThanAShare(t *testing.T) {
	t.Parallel()
	s := ratelimit.NewShares[string](3)
	require.True(t, s.TryAcquire("one", 2))
	require.False(t, s.TryAcquire("one", 2))
	require.True(t, s.TryAcquire("other", 3))
	require.True(t, s.TryAcquire("one", 1))
	ended, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	require.ErrorIs(t, s.Acquire(ended, "one", 1), context.DeadlineExceeded)
	s.Release("one", 3)
	require.NoError(t, s.Acquire(ended, "one", 3), "what is there is not waited for")
	s.Release("one", 3)
	s.Release("other", 3)
}

func TestShares_HoldUnderAFlood(t *testing.T) {
	t.Parallel()
	const most = 4
	s := ratelimit.NewShares[int](most)
	var held [3]atomic.Int64
	var all sync.WaitGroup
	for n := range 300 {
		all.Go(func() {
			key := n % len(held)
			if s.Acquire(t.Context(), key, 1) != nil {
				return
			}
			defer s.Release(key, 1)
			defer held[key].Add(-1)
			require.LessOrEqual(t, held[key].Add(1), int64(most))
		})
	}
	all.Wait()
	for key := range held {
		require.True(t, s.TryAcquire(key, most), "all was given back")
	}
}
