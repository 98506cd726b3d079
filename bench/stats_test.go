package main

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPercentile_TakesTheNearestRank(t *testing.T) {
	t.Parallel()
	values := []time.Duration{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for _, c := range []struct {
		p    float64
		want time.Duration
	}{{0, 1}, {0.1, 1}, {0.5, 5}, {0.51, 6}, {0.99, 10}, {1, 10}} {
		require.Equal(t, c.want, percentile(values, c.p), "p %v", c.p)
	}
	require.Zero(t, percentile(nil, 0.5))
	require.Equal(t, time.Duration(7), percentile([]time.Duration{7}, 0.99))
}

func TestMedian_IsTheMiddleOrTheMeanOfTwo(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 3, median([]float64{9, 1, 3}), 0)
	require.InDelta(t, 2.5, median([]float64{4, 1, 3, 2}), 0)
	require.True(t, math.IsNaN(median(nil)))
	require.Equal(t, 20*time.Millisecond, medianDuration([]time.Duration{90e6, 20e6, 10e6}))
}

func TestMedian_LeavesTheValuesInOrder(t *testing.T) {
	t.Parallel()
	values := []float64{3, 1, 2}
	median(values)
	require.Equal(t, []float64{3, 1, 2}, values)
}

func TestRatios_DivideWithinTheRound(t *testing.T) {
	t.Parallel()
	require.Equal(t, []float64{0.5, 0.25}, ratios([]float64{50, 10}, []float64{100, 40}))
}
