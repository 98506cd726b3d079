package clock_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/clock"
)

func TestNow_IsUTCAtThePrecisionOfTheDatabases(t *testing.T) {
	t.Parallel()
	odd := time.Date(2026, 1, 2, 3, 4, 5, 123456789, time.FixedZone("CET", 3600))
	fake := clock.NewFake(odd)
	for _, c := range []clock.Clock{clock.System{}, fake} {
		now := c.Now()
		require.Equal(t, time.UTC, now.Location())
		require.Zero(t, now.Nanosecond()%1000)
	}
	require.WithinDuration(t, odd, fake.Now(), time.Microsecond)
}

func TestFake_MovesOnlyWhenItIsMoved(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	fake := clock.NewFake(start)
	require.Equal(t, start, fake.Now())
	fake.Advance(time.Hour)
	require.Equal(t, start.Add(time.Hour), fake.Now())
}
