package tasks

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSeries_KeepsTheTimeOfDayOfItsZone(t *testing.T) {
	t.Parallel()
	chicago, err := time.LoadLocation("America/Chicago")
	require.NoError(t, err)
	for rule, want := range map[string][3]string{
		// rule: the first one, the moment, the next one
		"FREQ=DAILY":                          {"2026-03-07T09:00:00-06:00", "2026-03-07T09:00:00-06:00", "2026-03-08T09:00:00-05:00"},
		"FREQ=MONTHLY;BYMONTHDAY=31":          {"2026-01-31T12:00:00-06:00", "2026-01-31T12:00:00-06:00", "2026-03-31T12:00:00-05:00"},
		"FREQ=DAILY;INTERVAL=1":               {"2026-03-07T02:30:00-06:00", "2026-03-07T02:30:00-06:00", "2026-03-08T03:30:00-05:00"}, // there is no 2:30
		"FREQ=DAILY;WKST=MO":                  {"2026-03-07T02:30:00-06:00", "2026-03-08T03:30:00-05:00", "2026-03-09T02:30:00-05:00"}, // the day after
		"FREQ=DAILY;WKST=TU":                  {"2026-10-31T01:30:00-05:00", "2026-10-31T01:30:00-05:00", "2026-11-01T01:30:00-05:00"}, // the first of two
		"FREQ=DAILY;WKST=WE":                  {"2026-10-31T01:30:00-05:00", "2026-11-01T01:30:00-05:00", "2026-11-02T01:30:00-06:00"},
		"FREQ=MONTHLY;BYMONTHDAY=-1":          {"2026-01-31T12:00:00-06:00", "2026-01-31T12:00:00-06:00", "2026-02-28T12:00:00-06:00"},
		"FREQ=MONTHLY;BYDAY=-1FR":             {"2026-01-30T12:00:00-06:00", "2026-02-10T12:00:00-06:00", "2026-02-27T12:00:00-06:00"},
		"FREQ=WEEKLY;INTERVAL=2":              {"2026-01-05T12:00:00-06:00", "2026-01-13T12:00:00-06:00", "2026-01-19T12:00:00-06:00"},
		"FREQ=DAILY;UNTIL=20260106":           {"2026-01-05T12:00:00-06:00", "2026-01-05T12:00:00-06:00", "2026-01-06T12:00:00-06:00"},
		"FREQ=DAILY;UNTIL=20260106;WKST=SU":   {"2026-01-05T12:00:00-06:00", "2026-01-06T12:00:00-06:00", ""},
		"FREQ=DAILY;COUNT=3":                  {"2026-01-05T12:00:00-06:00", "2026-01-07T12:00:00-06:00", ""},
		"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29": {"2024-02-29T12:00:00-06:00", "2024-02-29T12:00:00-06:00", "2028-02-29T12:00:00-06:00"},
	} {
		option, err := parseRecurrence(rule, chicago)
		require.NoError(t, err, rule)
		from, moment := at(t, want[0]).In(chicago), at(t, want[1])
		next, err := nextOccurrence(option, from, moment)
		require.NoError(t, err, rule)
		if want[2] == "" {
			require.True(t, next.IsZero(), "%s: %s", rule, next)
		} else {
			require.True(t, at(t, want[2]).Equal(next), "%s: %s", rule, next.In(chicago))
		}
	}
}

func TestRecurrence_IsOneByRFC5545(t *testing.T) {
	t.Parallel()
	due := at(t, "2026-01-05T12:00:00Z")
	for _, wrong := range []string{
		"FREQ=WEEKLY;BYDAY=1MO", "FREQ=DAILY;BYDAY=-1FR", "FREQ=WEEKLY;BYDAY=MO,+2TU", "FREQ=WEEKLY;BYMONTHDAY=15", "FREQ=MONTHLY;BYSETPOS=1",
		"FREQ=DAILY;COUNT=0", "FREQ=DAILY;INTERVAL=0", "FREQ=DAILY;FREQ=WEEKLY", "FREQ=DAILY;COUNT=3;UNTIL=20260301", "RRULE:FREQ=DAILY;byday=MO;BYDAY=TU",
	} {
		_, err := normalizeRecurrence(wrong, due, time.UTC)
		require.ErrorAs(t, err, new(ruleError), wrong)
	}
	made, err := normalizeRecurrence("freq=daily;interval=2;count=10", due, time.UTC)
	require.NoError(t, err)
	require.Equal(t, "FREQ=DAILY;INTERVAL=2;COUNT=10", made)
}

func at(t *testing.T, text string) time.Time {
	t.Helper()
	parsed, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)

	return parsed
}
