package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/field"
)

func TestAllowedDays_AreThoseOfTheWindows(t *testing.T) {
	t.Parallel()
	planned := loadsapi.Standing{Pickup: loadsapi.Window{From: "2026-12-02", To: "2026-12-06"}, Delivery: loadsapi.Window{From: "2026-12-04", To: "2026-12-12"}}
	past := loadsapi.Standing{Pickup: loadsapi.Window{From: "2026-11-01"}, Delivery: loadsapi.Window{To: "2026-12-12"}}
	for name, one := range map[string]struct {
		load         loadsapi.Standing
		now, current store.Dates
		required     bool
		want         []string
	}{
		"within the windows":            {load: planned, now: store.Dates{Pickup: "2026-12-02", Delivery: "2026-12-12"}},
		"a day too early":               {load: planned, now: store.Dates{Pickup: "2026-12-01"}, want: []string{"pickup_date"}},
		"a day too late":                {load: planned, now: store.Dates{Pickup: "2026-12-07", Delivery: "2026-12-13"}, want: []string{"delivery_date", "pickup_date"}},
		"outside, but agreed already":   {load: planned, now: store.Dates{Pickup: "2026-12-07"}, current: store.Dates{Pickup: "2026-12-07"}},
		"to be named later":             {load: planned},
		"to be named now":               {load: planned, required: true, want: []string{"delivery_date", "pickup_date"}},
		"delivery before the pickup":    {load: planned, now: store.Dates{Pickup: "2026-12-06", Delivery: "2026-12-05"}, want: []string{"delivery_date"}},
		"yesterday without a window":    {now: store.Dates{Pickup: "2026-11-29"}},
		"two days ago without a window": {now: store.Dates{Pickup: "2026-11-28"}, want: []string{"pickup_date"}},
		"a window that began":           {load: past, now: store.Dates{Pickup: "2026-11-20", Delivery: "2026-12-01"}},
		"a window without a beginning":  {load: past, now: store.Dates{Pickup: "2026-11-20", Delivery: "2026-11-25"}, want: []string{"delivery_date"}},
	} {
		allowed, err := store.AllowedDaysOf(one.load, "2026-11-30")
		require.NoError(t, err)
		wrong := []string{}
		for field := range allowed.Check(one.now, one.current, one.required).Fields {
			wrong = append(wrong, field)
		}
		require.ElementsMatch(t, one.want, wrong, name)
	}
}

func TestWarnings_NameDaysThatTheLoadOrAPromiseSpeaksAgainst(t *testing.T) {
	t.Parallel()
	load := loadsapi.Standing{AvailableFrom: "2026-12-03", PromisedBy: "2026-12-05"}
	for day, want := range map[field.Date][]string{
		"": nil, "2026-12-02": {"dispatches.before_available"}, "2026-12-03": nil, "2026-12-05": nil, "2026-12-06": {"dispatches.after_promise"},
	} {
		codes := []string{}
		for _, w := range store.WarningsOf(load, day) {
			require.Equal(t, "pickup_date", w.Field)
			codes = append(codes, w.Code)
		}
		require.ElementsMatch(t, want, codes, day)
	}
	require.Empty(t, store.WarningsOf(loadsapi.Standing{}, "2020-01-01"), "nothing is known of the load")
	load.Unsigned = []string{"vehicles"}
	all := store.OfferingWarnings(load, "2026-12-04")
	require.Len(t, all, 1)
	require.Equal(t, []any{"loads.change_order_unsigned", []string{"vehicles"}}, []any{all[0].Code, all[0].Fields})
}
