package terms_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/field"
)

func TestProrate_RoundsOnceHalfAwayFromZero(t *testing.T) {
	t.Parallel()
	tests := []struct{ units, days, of, want int64 }{
		{9900, 31, 31, 9900},
		{9900, 0, 31, 0},
		{9900, 10, 31, 3194}, // 3193.55
		{1, 1, 2, 1},
		{-1, 1, 2, -1},
		{3, 1, 2, 2},
		{100, 1, 3, 33},
		{-100, 2, 3, -67},
		{1_000_000_000_000_000, 365, 366, 997_267_759_562_842},
		{5, 1, 0, 0},
	}
	for _, test := range tests {
		require.Equal(t, test.want, terms.Prorate(test.units, test.days, test.of), "%+v", test)
	}
}

func TestChange_ChargesByDays(t *testing.T) {
	t.Parallel()
	small, large := terms.Price{Units: 9900, Interval: terms.Month}, terms.Price{Units: 19900, Interval: terms.Month}
	yearly := terms.Price{Units: 199000, Interval: terms.Year}
	june := terms.Running{Price: small, End: "2027-07-01", Days: 30, Paid: []terms.Paid{{Units: 9900, Days: 30, Kept: 1, Total: 1}}}
	tests := []struct {
		name string
		to   terms.Price
		on   field.Date
		how  terms.Proration
		want terms.Changed
	}{
		{"in the middle, on the next invoice", large, "2027-06-16", terms.ProrateNext, terms.Changed{Credit: -4950, Charge: 9950, Left: 15, Of: 30}},
		{"at once", large, "2027-06-16", terms.ProrateNow, terms.Changed{Credit: -4950, Charge: 9950, Left: 15, Of: 30, Bill: true}},
		{"without proration", large, "2027-06-16", terms.ProrateNone, terms.Changed{Left: 15, Of: 30}},
		{"on the first day", large, "2027-06-01", terms.ProrateNext, terms.Changed{Credit: -9900, Charge: 19900, Left: 30, Of: 30}},
		{"on the last day", large, "2027-06-30", terms.ProrateNext, terms.Changed{Credit: -330, Charge: 663, Left: 1, Of: 30}},
		{"after the period", large, "2027-07-02", terms.ProrateNext, terms.Changed{Of: 30}},
		{"to another interval", yearly, "2027-06-16", terms.ProrateNext, terms.Changed{Credit: -4950, Charge: 199000, Left: 15, Of: 30, Restart: true, Bill: true}},
		{"to another interval without credit", yearly, "2027-06-16", terms.ProrateNone, terms.Changed{Charge: 199000, Left: 15, Of: 30, Restart: true, Bill: true}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, terms.Change(june, test.to, test.on, test.how))
		})
	}
	require.True(t, small.Less(large))
	require.True(t, yearly.Less(large), "165.83 a month")
	require.False(t, large.Less(large))
}

func TestChange_CreditsWhatWasPaidAndNotGivenBack(t *testing.T) {
	t.Parallel()
	small, large := terms.Price{Units: 9900, Interval: terms.Month}, terms.Price{Units: 19900, Interval: terms.Month}
	paid := terms.Paid{Units: 9900, Days: 30, Kept: 9900, Total: 9900}
	tests := []struct {
		name string
		paid []terms.Paid
		want int64
	}{
		{"nothing was billed", nil, 0},
		{"all of it was given back", []terms.Paid{{Units: 9900, Days: 30, Total: 9900}}, 0},
		{"a third of it was given back", []terms.Paid{{Units: 9900, Days: 30, Kept: 6600, Total: 9900}}, -3300},
		{"a dearer plan for the last 20 days", []terms.Paid{paid, {Units: -6600, Days: 20, Kept: 1, Total: 1}, {Units: 13267, Days: 20, Kept: 1, Total: 1}}, -9950},
		{"of which the charge was given back", []terms.Paid{paid, {Units: -6600, Days: 20, Total: 6667}, {Units: 13267, Days: 20, Total: 6667}}, -4950},
	}
	for _, test := range tests {
		r := terms.Running{Price: small, End: "2027-07-01", Days: 30, Paid: test.paid}
		require.Equal(t, test.want, terms.Change(r, large, "2027-06-16", terms.ProrateNext).Credit, test.name)
	}
}

func TestChange_ToTheSamePriceCostsNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		price := terms.Price{Units: rapid.Int64Range(0, 1_000_000_000).Draw(t, "units"), Interval: terms.Month}
		anchor := days(t, "anchor")
		end := terms.Month.Next(anchor, anchor)
		r := terms.Running{Price: price, End: end, Days: terms.Days(anchor, end)}
		r.Paid = []terms.Paid{{Units: price.Units, Days: r.Days, Kept: 1, Total: 1}}
		c := terms.Change(r, price, terms.AddDays(anchor, rapid.IntRange(0, 40).Draw(t, "day")), terms.ProrateNow)
		require.Zero(t, c.Credit+c.Charge)
		require.True(t, c.Charge >= 0 && c.Charge <= price.Units)
	})
}
