package terms_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/field"
)

func TestAdd_KeepsTheAnchorDay(t *testing.T) {
	t.Parallel()
	tests := []struct {
		every  terms.Interval
		anchor field.Date
		starts []field.Date
	}{
		{terms.Month, "2027-01-31", []field.Date{"2027-01-31", "2027-02-28", "2027-03-31", "2027-04-30", "2027-05-31"}},
		{terms.Month, "2028-01-31", []field.Date{"2028-01-31", "2028-02-29", "2028-03-31"}},
		{terms.Month, "2027-11-30", []field.Date{"2027-11-30", "2027-12-30", "2028-01-30", "2028-02-29", "2028-03-30"}},
		{terms.Month, "2027-12-15", []field.Date{"2027-12-15", "2028-01-15"}},
		{terms.Year, "2028-02-29", []field.Date{"2028-02-29", "2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"}},
		{terms.Year, "2027-03-01", []field.Date{"2027-03-01", "2028-03-01"}},
	}
	for _, test := range tests {
		for n, want := range test.starts {
			require.Equal(t, want, test.every.Add(test.anchor, n), "%s, period %d", test.anchor, n)
			if n > 0 {
				require.Equal(t, want, test.every.Next(test.anchor, test.starts[n-1]))
				require.Equal(t, want, test.every.Next(test.anchor, terms.AddDays(want, -1)))
			}
		}
	}
}

func days(t *rapid.T, name string) field.Date {
	return terms.AddDays("2024-01-01", rapid.IntRange(0, 3650).Draw(t, name))
}

func TestNext_DividesTimeWithoutGaps(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		every := rapid.SampledFrom([]terms.Interval{terms.Month, terms.Year}).Draw(t, "interval")
		anchor, day := days(t, "anchor"), days(t, "day")
		end := every.Next(anchor, day)
		require.Greater(t, end, day)
		require.LessOrEqual(t, terms.Days(day, end), int64(31*every.Months()))
		require.Equal(t, end, every.Next(anchor, terms.AddDays(end, -1)))
		again := every.Next(anchor, end)
		length := terms.Days(end, again)
		require.True(t, length >= int64(28*every.Months()) && length <= 366, "a period of %d days", length)
		require.Equal(t, day, terms.AddDays(end, -int(terms.Days(day, end))))
	})
}

func TestBegin_IsTheFirstInstantOfTheDay(t *testing.T) {
	t.Parallel()
	tests := []struct {
		zone string
		day  field.Date
		want string
	}{
		{"America/Chicago", "2027-03-14", "2027-03-14T06:00:00Z"}, // clocks are put forward at 2:00
		{"America/Chicago", "2027-03-15", "2027-03-15T05:00:00Z"},
		{"America/Chicago", "2027-11-07", "2027-11-07T05:00:00Z"}, // and back
		{"America/Chicago", "2027-11-08", "2027-11-08T06:00:00Z"},
		{"America/Havana", "2027-03-14", "2027-03-14T05:00:00Z"}, // forward at midnight: the day begins at 1:00
		{"America/Havana", "2027-11-07", "2027-11-07T04:00:00Z"}, // back from 1:00: midnight occurs twice
		{"Asia/Kolkata", "2027-01-01", "2026-12-31T18:30:00Z"},
	}
	for _, test := range tests {
		zone, err := time.LoadLocation(test.zone)
		require.NoError(t, err)
		begin := terms.Begin(test.day, zone)
		require.Equal(t, test.want, begin.Format(time.RFC3339), "%s in %s", test.day, test.zone)
		require.Equal(t, test.day, terms.DayOf(begin.In(zone)))
		require.Equal(t, terms.AddDays(test.day, -1), terms.DayOf(begin.Add(-time.Second).In(zone)))
	}
}
