package fitness

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/trips/internal/store"
	"github.com/dispatchd/dispatchd/platform/field"
)

func TestLastDay_IsTheLatestOfWindowsETAsAndMiles(t *testing.T) {
	t.Parallel()
	const today = field.Date("2026-12-01")
	eta, left := time.Date(2026, 12, 6, 8, 0, 0, 0, time.UTC), time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		legs []store.Leg
		want field.Date
	}{
		"nothing is known":             {[]store.Leg{{}}, today},
		"the end of a window":          {[]store.Leg{{Due: "2026-12-04"}, {Due: "2026-12-02"}}, "2026-12-04"},
		"an ETA":                       {[]store.Leg{{Due: "2026-12-04", ETA: &eta}}, "2026-12-06"},
		"a day for each 550 miles":     {[]store.Leg{{Miles: new(int64(600))}, {Miles: new(int64(1100))}}, "2026-12-04"},
		"a window that is over":        {[]store.Leg{{Due: "2026-11-20"}}, today},
		"stops that were left are not": {[]store.Leg{{Miles: new(int64(5500)), Due: "2027-01-01", DepartedAt: &left}, {Due: "2026-12-02"}}, "2026-12-02"},
	} {
		var trip store.Trip
		trip.Legs.V = c.legs
		require.Equal(t, c.want, lastDay(trip, today), name)
	}
}

func TestBackwards_WarnsOfOdometersInTheOrderOfTheVisits(t *testing.T) {
	t.Parallel()
	at := func(hour int) *time.Time { return new(time.Date(2026, 12, 1, hour, 0, 0, 0, time.UTC)) }
	var trip store.Trip
	trip.Legs.V = []store.Leg{
		{Place: "Miami, FL", ArrivedAt: at(20), Odometer: 42_000}, {Place: "Dallas, TX", DepartedAt: at(8), Odometer: 41_000}, {Place: "Houston, TX", ArrivedAt: at(12)}, {Place: "Tampa, FL", Odometer: 1},
	}
	require.Empty(t, backwards(trip), "what was not visited or not read does not count")
	trip.Legs.V[2].Odometer = 42_001
	found := backwards(trip)
	require.Len(t, found, 1)
	require.Equal(t, "The odometer shows 42000 mi in Miami, FL, less than the 42001 mi in Houston, TX before. Check the reading.", found[0].Message)
}
