package shippers

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/resource"
)

func TestVisit_FollowsHoursClosuresNoticeAndClocks(t *testing.T) {
	t.Parallel()
	chicago, err := time.LoadLocation("America/Chicago")
	require.NoError(t, err)
	weekdays := []opened{
		{"mon", "08:00", "12:00"},
		{"mon", "13:00", "17:00"},
		{"tue", "08:00", "17:00"},
		{"fri", "20:00", "24:00"},
		{"sat", "00:00", "04:00"},
		{"sun", "01:30", "03:30"},
	}
	for name, c := range map[string]struct {
		at, appointment string
		notice          int64
		closed          []closure
		inactive        bool
		open            bool
		next            [2]string
	}{
		"inside":                  {at: "2026-12-07T09:00:00-06:00", open: true, next: [2]string{"2026-12-07T09:00:00-06:00", "2026-12-07T12:00:00-06:00"}},
		"the end is not part":     {at: "2026-12-07T12:00:00-06:00", next: [2]string{"2026-12-07T13:00:00-06:00", "2026-12-07T17:00:00-06:00"}},
		"over midnight is one":    {at: "2026-12-12T01:00:00-06:00", open: true, next: [2]string{"2026-12-12T01:00:00-06:00", "2026-12-12T04:00:00-06:00"}},
		"from UTC":                {at: "2026-12-07T14:30:00Z", open: true, next: [2]string{"2026-12-07T08:30:00-06:00", "2026-12-07T12:00:00-06:00"}},
		"notice skips":            {at: "2026-12-07T09:00:00-06:00", appointment: "required", notice: 6, open: true, next: [2]string{"2026-12-07T15:00:00-06:00", "2026-12-07T17:00:00-06:00"}},
		"notice of a walk-in":     {at: "2026-12-07T09:00:00-06:00", appointment: "none", notice: 6, open: true, next: [2]string{"2026-12-07T09:00:00-06:00", "2026-12-07T12:00:00-06:00"}},
		"closed for a holiday":    {at: "2026-12-07T09:00:00-06:00", closed: []closure{{From: "2026-12-07"}}, next: [2]string{"2026-12-08T08:00:00-06:00", "2026-12-08T17:00:00-06:00"}},
		"closed for days":         {at: "2026-12-07T09:00:00-06:00", closed: []closure{{From: "2026-12-05", To: "2026-12-11"}}, next: [2]string{"2026-12-12T00:00:00-06:00", "2026-12-12T04:00:00-06:00"}},
		"closed for good":         {at: "2026-12-07T09:00:00-06:00", closed: []closure{{From: "2026-12-01", To: "2027-12-11"}}},
		"inactive":                {at: "2026-12-07T09:00:00-06:00", inactive: true},
		"clocks are put forward":  {at: "2026-03-08T01:00:00-06:00", next: [2]string{"2026-03-08T01:30:00-06:00", "2026-03-08T03:30:00-05:00"}},
		"clocks are put back":     {at: "2026-11-01T01:45:00-05:00", open: true, next: [2]string{"2026-11-01T01:45:00-05:00", "2026-11-01T03:30:00-06:00"}},
		"the second time of 1:45": {at: "2026-11-01T01:45:00-06:00", open: true, next: [2]string{"2026-11-01T01:45:00-06:00", "2026-11-01T03:30:00-06:00"}},
	} {
		l := location{Appointment: c.appointment, Notice: &c.notice, Active: !c.inactive, TimeZone: chicago.String()}
		l.Hours, l.Closures = resource.JSON[[]opened]{V: weekdays}, resource.JSON[[]closure]{V: c.closed}
		at, err := time.Parse(time.RFC3339, c.at)
		require.NoError(t, err)
		v := l.visited(chicago, at)
		require.Equal(t, c.open, v.Open, name)
		var next [2]string
		if v.Next != nil {
			next = [2]string{v.Next.From.In(chicago).Format(time.RFC3339), v.Next.To.In(chicago).Format(time.RFC3339)}
		}
		require.Equal(t, c.next, next, name)
	}
}

func TestTerms_DecideCreditAndCarriers(t *testing.T) {
	t.Parallel()
	limited := credit{limit: "1000.00"}
	for _, c := range []struct {
		of               credit
		owed, amount, in string
		want             decision
	}{
		{credit{}, "99999999", "1", "", granted},
		{credit{hold: true}, "0", "1", "", held},
		{limited, "", "1000", "", granted},
		{limited, "999.99", "0.01", "", granted},
		{limited, "999.99", "0.02", "", overLimit},
		{limited, "0", "1", "CAD", unknownFor},
		{limited, "0", "much", "", unknownFor},
	} {
		require.Equal(t, c.want, c.of.decide(c.owed, c.amount, c.in), "%+v", c)
	}
	a, b := uuid.New(), uuid.New()
	list := func(ids ...uuid.UUID) resource.JSON[[]uuid.UUID] { return resource.JSON[[]uuid.UUID]{V: ids} }
	require.True(t, shipper{}.mayHaul(a))
	require.False(t, shipper{Denied: list(a)}.mayHaul(a))
	require.False(t, shipper{Allowed: list(b)}.mayHaul(a))
	require.True(t, shipper{Allowed: list(a)}.mayHaul(a))
}
