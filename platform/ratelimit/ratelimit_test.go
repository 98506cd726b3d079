package ratelimit_test

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/ratelimit"
)

func perMinute(quota int) (*ratelimit.Limiter, *clock.Fake) {
	clk := clock.NewFake(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))

	return ratelimit.New(ratelimit.Policy{Name: "login", Quota: quota, Window: time.Minute}, clk), clk
}

func TestTake_AllowsTheQuotaAtOnceAndThenWhatRefills(t *testing.T) {
	t.Parallel()
	l, clk := perMinute(6)
	for left := 5; left >= 0; left-- {
		r := l.Take(t.Context(), "a")
		require.True(t, r.Allowed)
		require.Equal(t, left, r.Remaining)
	}

	r := l.Take(t.Context(), "a")
	require.Equal(t, ratelimit.Result{Reset: time.Minute, RetryAfter: 10 * time.Second}, r)
	clk.Advance(9 * time.Second)
	require.False(t, l.Take(t.Context(), "a").Allowed)
	clk.Advance(time.Second)
	require.True(t, l.Take(t.Context(), "a").Allowed)
	require.False(t, l.Take(t.Context(), "a").Allowed)
	clk.Advance(time.Hour)
	require.Equal(t, 5, l.Take(t.Context(), "a").Remaining, "not more than the quota")
}

func TestTake_CountsEachKeyByItself(t *testing.T) {
	t.Parallel()
	l, _ := perMinute(1)

	require.True(t, l.Take(t.Context(), "a").Allowed)
	require.False(t, l.Take(t.Context(), "a").Allowed)
	require.True(t, l.Take(t.Context(), "b").Allowed)
}

func TestTake_ForgetsWhoWasQuietForLongest(t *testing.T) {
	t.Parallel()
	l, _ := perMinute(1)
	require.True(t, l.Take(t.Context(), "quiet").Allowed)
	for i := range 99_999 {
		l.Take(t.Context(), strconv.Itoa(i))
	}
	require.False(t, l.Take(t.Context(), "0").Allowed, "as many are remembered")
	l.Take(t.Context(), "one more")

	require.True(t, l.Take(t.Context(), "quiet").Allowed)
}

func TestTake_GivesNoMoreThanTheQuotaToManyAtOnce(t *testing.T) {
	t.Parallel()
	l, _ := perMinute(10)
	var allowed atomic.Int64
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			if l.Take(t.Context(), "a").Allowed {
				allowed.Add(1)
			}
		})
	}
	all.Wait()

	require.EqualValues(t, 10, allowed.Load())
}

func TestHeaders_AreThoseOfTheDraft(t *testing.T) {
	t.Parallel()
	l, _ := perMinute(6)
	policy, state := l.Headers(l.Take(t.Context(), "a"))

	require.Equal(t, `"login";q=6;w=60`, policy)
	require.Equal(t, `"login";r=5;t=10`, state)
}

func TestNew_WithoutAQuotaAllowsEverything(t *testing.T) {
	t.Parallel()
	l, _ := perMinute(0)
	require.Nil(t, l)
	for range 100 {
		require.True(t, l.Take(t.Context(), "a").Allowed)
	}
	policy, state := l.Headers(l.Take(t.Context(), "a"))
	require.Empty(t, policy+state)
}

func BenchmarkTake(b *testing.B) {
	l := ratelimit.New(ratelimit.Policy{Name: "token", Quota: 1 << 30, Window: time.Minute}, clock.System{})
	for b.Loop() {
		l.Headers(l.Take(b.Context(), "a"))
	}
}
