package calendar_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/calendar"
)

func TestLocal_ReadsTimesThatOccurTwiceOrNever(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, wall, want string }{
		{"America/Chicago", "2026-03-08 01:59:59", "2026-03-08T07:59:59Z"},
		{"America/Chicago", "2026-03-08 02:00:00", "2026-03-08T08:00:00Z"},
		{"America/Chicago", "2026-03-08 02:30:00", "2026-03-08T08:30:00Z"},
		{"America/Chicago", "2026-03-08 03:00:00", "2026-03-08T08:00:00Z"},
		{"America/Chicago", "2026-03-08 10:00:00", "2026-03-08T15:00:00Z"},
		{"America/Chicago", "2026-11-01 00:30:00", "2026-11-01T05:30:00Z"},
		{"America/Chicago", "2026-11-01 01:30:00", "2026-11-01T06:30:00Z"},
		{"America/Chicago", "2026-11-01 02:00:00", "2026-11-01T08:00:00Z"},
		{"Europe/Berlin", "2026-03-29 02:30:00", "2026-03-29T01:30:00Z"},
		{"Europe/Berlin", "2026-10-25 02:30:00", "2026-10-25T00:30:00Z"},
		{"Asia/Kolkata", "2026-03-08 02:30:00", "2026-03-07T21:00:00Z"},
		{"UTC", "2026-03-08 02:30:00", "2026-03-08T02:30:00Z"},
	} {
		zone, err := time.LoadLocation(c.zone)
		require.NoError(t, err)
		w, err := time.Parse(time.DateTime, c.wall)
		require.NoError(t, err)
		got := calendar.Local(w.Year(), w.Month(), w.Day(), w.Hour(), w.Minute(), w.Second(), zone)
		require.Equal(t, c.want, got.UTC().Format(time.RFC3339), "%s in %s", c.wall, c.zone)
	}
}
