package calendar_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/calendar"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// atlas is the one time zone of all companies.
type atlas struct {
	name  string
	asked int
}

func (a *atlas) TimeZone(context.Context, uuid.UUID) (string, error) {
	a.asked++

	return a.name, nil
}

func TestNow_IsInTheZoneOfTheCompanyThatIsRememberedForAMinute(t *testing.T) {
	t.Parallel()
	clk, zones := clock.NewFake(time.Date(2026, 12, 31, 23, 30, 0, 0, time.UTC)), &atlas{name: "Europe/Berlin"}
	c, err := calendar.New(clk, zones)
	require.NoError(t, err)
	ctx := principal.AsCompany(t.Context(), uuid.New())

	now, err := c.Now(ctx)
	require.NoError(t, err)
	require.Equal(t, "2027-01-01 00:30:00", now.Format(time.DateTime))

	zones.name = "America/Chicago"
	now, err = c.Now(ctx)
	require.NoError(t, err)
	require.Equal(t, "2027-01-01 00:30:00", now.Format(time.DateTime))
	require.Equal(t, 1, zones.asked)

	clk.Advance(time.Minute)
	now, err = c.Now(ctx)
	require.NoError(t, err)
	require.Equal(t, "2026-12-31 17:31:00", now.Format(time.DateTime))

	zones.name = "Nowhere"
	_, err = c.Now(principal.AsCompany(t.Context(), uuid.New()))
	require.ErrorContains(t, err, "Nowhere")
}

func TestNow_IsUTCWithoutACompany(t *testing.T) {
	t.Parallel()
	zones := &atlas{name: "Europe/Berlin"}
	c, err := calendar.New(clock.NewFake(time.Date(2026, 12, 31, 23, 30, 0, 0, time.UTC)), zones)
	require.NoError(t, err)
	now, err := c.Now(t.Context())
	require.NoError(t, err)
	require.Equal(t, "2026-12-31T23:30:00Z", now.Format(time.RFC3339))
	require.Zero(t, zones.asked)
}

func TestOf_IsAnErrorWithoutACalendar(t *testing.T) {
	t.Parallel()
	_, err := calendar.Of(t.Context())
	require.Error(t, err)
	c, err := calendar.New(clock.System{}, &atlas{})
	require.NoError(t, err)
	found, err := calendar.Of(calendar.With(t.Context(), c))
	require.NoError(t, err)
	require.Same(t, c, found)
}

func TestAt_CountsFromThePresent(t *testing.T) {
	t.Parallel()
	chicago, err := time.LoadLocation("America/Chicago")
	require.NoError(t, err)
	now := time.Date(2026, 8, 31, 15, 4, 5, 6000, chicago) // a Monday
	for text, want := range map[string]string{
		"now":                     "2026-08-31 15:04:05",
		"now-2h":                  "2026-08-31 13:04:05",
		"now+90min":               "2026-08-31 16:34:05",
		"now 90min":               "2026-08-31 16:34:05",
		"today":                   "2026-08-31 00:00:00",
		"today-7d":                "2026-08-24 00:00:00",
		"today+2w":                "2026-09-14 00:00:00",
		"today+1mo":               "2026-09-30 00:00:00",
		"today+6mo":               "2027-02-28 00:00:00",
		"today-2mo":               "2026-06-30 00:00:00",
		"today+1y":                "2027-08-31 00:00:00",
		"start_of_week":           "2026-08-31 00:00:00",
		"start_of_week-1w":        "2026-08-24 00:00:00",
		"start_of_month":          "2026-08-01 00:00:00",
		"start_of_month+1mo-1d":   "2026-08-31 00:00:00",
		"start_of_quarter":        "2026-07-01 00:00:00",
		"start_of_quarter-3mo":    "2026-04-01 00:00:00",
		"start_of_year":           "2026-01-01 00:00:00",
		"start_of_year+1y-1d+12h": "2026-12-31 12:00:00",
	} {
		m, ok := calendar.Parse(text)
		require.True(t, ok, text)
		at, ok := m.At(now)
		require.True(t, ok, text)
		require.Equal(t, want, at.Format(time.DateTime), text)
	}
}

func TestAt_BeginsWeeksOnMonday(t *testing.T) {
	t.Parallel()
	m, ok := calendar.Parse("start_of_week")
	require.True(t, ok)
	for day := range 7 {
		at, ok := m.At(time.Date(2026, 8, 31+day, 23, 0, 0, 0, time.UTC))
		require.True(t, ok)
		require.Equal(t, "2026-08-31", at.Format(time.DateOnly))
	}
}

func TestAt_GoesByDaysOfTheCalendarWhereClocksChange(t *testing.T) {
	t.Parallel()
	chicago, err := time.LoadLocation("America/Chicago")
	require.NoError(t, err)
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, chicago) // a day of 25 hours
	for text, want := range map[string]string{
		"today":     "2026-11-01T05:00:00Z",
		"today+1d":  "2026-11-02T06:00:00Z",
		"today+24h": "2026-11-02T05:00:00Z",
	} {
		m, ok := calendar.Parse(text)
		require.True(t, ok)
		at, ok := m.At(now)
		require.True(t, ok)
		require.Equal(t, want, at.UTC().Format(time.RFC3339), text)
	}
}

func TestAt_EndsWithTheYears(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"today-9999y", "today+99999mo", "today+99999w+99999w+99999y"} {
		m, ok := calendar.Parse(text)
		require.True(t, ok, text)
		_, ok = m.At(time.Date(2026, 8, 31, 15, 4, 5, 0, time.UTC))
		require.False(t, ok, text)
	}
}

func TestParse_RefusesWhatIsNoWord(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "yesterday", "Today", "today-", "today-7", "today-7m", "today-7days", "today--7d", "today - 7d", "today-123456d", "-7d",
		"start_of_day", "now-1d-1d-1d-1d", "now\n", "today-7D", "start_of_",
	} {
		_, ok := calendar.Parse(text)
		require.False(t, ok, text)
	}
}

func TestString_IsTheOneForm(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"today 07d": "today+7d", "now-1d+02h": "now-1d+2h", "start_of_year": "start_of_year"} {
		m, ok := calendar.Parse(text)
		require.True(t, ok)
		require.Equal(t, want, m.String())
	}
}

func TestWholeDay_IsFalseForATimeOfTheDay(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"now": false, "now-1d": false, "today": true, "today-2h": false, "start_of_month+1mo-1d": true, "today+5min": false} {
		m, ok := calendar.Parse(text)
		require.True(t, ok)
		require.Equal(t, want, m.WholeDay(), text)
	}
}
