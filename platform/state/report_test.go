package state_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/platform/state"
)

var parcelTiers = state.Tiers[string]{
	{States: []string{"made"}},
	{States: []string{"sent", "returned", "delivered"}},
	{States: []string{"deleted"}, Ended: true},
	{States: []string{"refused", "accepted"}, Ended: true, FirstHolds: true},
}

func second(n int) time.Time { return time.Date(2026, 11, 1, 0, 0, n, 0, time.UTC) }

func TestStanding_GreatestDoesNotDependOnTheOrder(t *testing.T) {
	t.Parallel()
	greatest := func(all []state.Standing) (held state.Standing) {
		for _, s := range all {
			if s.Exceeds(held) {
				held = s
			}
		}

		return held
	}
	for name, timed := range map[string]*rapid.Generator[bool]{
		"all with a time": rapid.Just(true), "none with a time": rapid.Just(false), "some with a time": rapid.Bool(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				reports := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) state.Standing {
					to := rapid.SampledFrom([]string{"made", "sent", "returned", "delivered", "deleted", "refused", "accepted", "unheard of"}).Draw(t, "state")
					if !timed.Draw(t, "timed") {
						return parcelTiers.Standing(to, time.Time{}, false)
					}

					return parcelTiers.Standing(to, second(rapid.IntRange(0, 9).Draw(t, "second")), false)
				}), 0, 12).Draw(t, "reports")
				other := append(slices.Clone(reports), reports[:rapid.IntRange(0, len(reports)).Draw(t, "repeated")]...)
				other = rapid.Permutation(other).Draw(t, "other order")
				first, second := greatest(reports), greatest(other)
				if name == "some with a time" { // then only the tier is certain: a thing that has ended has ended in any order
					require.Equal(t, first.Ended, second.Ended)

					return
				}
				if first.Exceeds(second) || second.Exceeds(first) {
					t.Fatalf("%v, and %v in another order", first, second)
				}
			})
		})
	}
}

func TestStanding_DecidesWhichReportHolds(t *testing.T) {
	t.Parallel()
	at := func(to string, n int) state.Standing { return parcelTiers.Standing(to, second(n), false) }
	by := func(to string, n int) state.Standing { return parcelTiers.Standing(to, second(n), true) }
	untimed := func(to string) state.Standing { return parcelTiers.Standing(to, time.Time{}, false) }
	for name, c := range map[string]struct{ holds, yields state.Standing }{
		"any report over none":                                    {untimed("made"), state.Standing{}},
		"a later tier, though its time is earlier":                {at("sent", 1), at("made", 9)},
		"the later of a tier, which may go back":                  {at("sent", 5), at("delivered", 3)},
		"the further one at the same time":                        {at("delivered", 3), at("sent", 3)},
		"without a time it goes on":                               {untimed("delivered"), at("sent", 3)},
		"and not back":                                            {at("delivered", 3), untimed("sent")},
		"a time over none in the same state":                      {at("sent", 3), untimed("sent")},
		"a bound goes on":                                         {by("returned", 1), at("sent", 3)},
		"and not back, however late":                              {at("delivered", 3), by("sent", 9)},
		"the bound of the last state counts, all others are over": {by("delivered", 6), at("sent", 5)},
		"the first end":                                           {at("refused", 3), at("accepted", 4)},
		"an end with a time over one without":                     {at("refused", 3), untimed("accepted")},
		"an end over what was deleted":                            {at("accepted", 1), at("deleted", 9)},
	} {
		require.True(t, c.holds.Exceeds(c.yields), name)
		require.False(t, c.yields.Exceeds(c.holds), name)
	}
	require.True(t, parcelTiers.Standing("unheard of", second(1), false).IsZero())
	require.True(t, at("deleted", 1).Ended)
	require.False(t, at("delivered", 1).Ended)
}

func TestStanding_WithoutATimeKeepsThatOfItsTier(t *testing.T) {
	t.Parallel()
	sent := parcelTiers.Standing("sent", second(3), false)
	require.Equal(t, second(3), parcelTiers.Standing("delivered", time.Time{}, false).Since(sent))
	require.Equal(t, second(5), parcelTiers.Standing("delivered", second(5), false).Since(sent))
	require.True(t, parcelTiers.Standing("accepted", time.Time{}, false).Since(sent).IsZero())
}

func TestReportedTime_IsNoneIfItIsFarAhead(t *testing.T) {
	t.Parallel()
	now := second(0)
	require.Equal(t, now.Add(24*time.Hour), state.ReportedTime(now.Add(24*time.Hour), now))
	require.True(t, state.ReportedTime(now.Add(24*time.Hour+time.Second), now).IsZero())
	require.Equal(t, now.Add(time.Microsecond), state.ReportedTime(now.Add(1999*time.Nanosecond).In(time.FixedZone("", 3600)), now))
}
