package jsonbody

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSentence_SpeaksOfSeveralAsSeveralAndOfAnEntryByItsNumber(t *testing.T) {
	t.Parallel()

	for name, want := range map[string]string{
		"stops": "The stops are required.", "load.pickup_dates": "The pickup dates are required.",
		"load.stops.0": "Entry 1 of the stops is required.", "load.stops.11.pickup_city": "The pickup city is required.",
		"status": "The status is required.", "address": "The address is required.", "basis": "The basis is required.",
	} {
		require.Equal(t, want, Sentence(name, "is required."))
	}
}
