package main

import (
	"math"
	"slices"
	"time"
)

// percentile returns the value below or at which the share p (0 to 1) of the sorted values lie, by
// nearest rank; 0 if there are none.
func percentile(sorted []time.Duration, p float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	rank := int(math.Ceil(p * float64(len(sorted))))

	return sorted[min(max(rank, 1), len(sorted))-1]
}

// median returns the middle of the values, the mean of the two middle ones if their number is even,
// and NaN if there are none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}

	return (sorted[middle-1] + sorted[middle]) / 2
}

// medianDuration is median for durations; 0 if there are none.
func medianDuration(values []time.Duration) time.Duration {
	if len(values) == 0 {
		return 0
	}
	numbers := make([]float64, len(values))
	for i, v := range values {
		numbers[i] = float64(v)
	}

	return time.Duration(median(numbers))
}

// ratios divides value by value. Dividing within a round first, and taking the median then, leaves
// out what changed on the machine from round to round.
func ratios(ours, ceiling []float64) []float64 {
	list := make([]float64, 0, len(ours))
	for i := range min(len(ours), len(ceiling)) {
		list = append(list, ours[i]/ceiling[i])
	}

	return list
}
