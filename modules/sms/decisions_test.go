package sms

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/delivery"
	"github.com/dispatchd/dispatchd/modules/sms/internal/settings"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/web"
)

func anyVersion() web.IfMatch { return web.IfMatch{} }

func TestLifecycle_IsSound(t *testing.T) {
	t.Parallel()
	require.NoError(t, store.Lifecycle.Validate())
}

func TestQuietUntil_IsTheEndInEveryZoneOfTheRecipient(t *testing.T) {
	t.Parallel()
	zone := func(name string) *time.Location {
		z, err := time.LoadLocation(name)
		require.NoError(t, err)

		return z
	}
	east, west := zone("America/New_York"), zone("America/Los_Angeles")
	at := func(hour int) time.Time { return time.Date(2026, 6, 1, hour, 0, 0, 0, time.UTC) }
	tests := map[string]struct {
		now      time.Time
		from, to string
		zones    []*time.Location
		want     time.Time
	}{
		"off":                 {at(4), "", "", []*time.Location{east}, time.Time{}},
		"by day":              {at(16), "21:00", "08:00", []*time.Location{east}, time.Time{}},
		"at night":            {at(4), "21:00", "08:00", []*time.Location{east}, at(12)},
		"before midnight":     {at(2), "21:00", "08:00", []*time.Location{east}, at(12)},
		"day here, night out": {at(13), "21:00", "08:00", []*time.Location{east, west}, at(15)},
		"night in both":       {at(5), "21:00", "08:00", []*time.Location{east, west}, at(15)},
		"within the day":      {at(17), "12:00", "14:00", []*time.Location{east}, at(18)},
		"at the very end":     {at(12), "21:00", "08:00", []*time.Location{east}, time.Time{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, delivery.QuietUntil(test.now, test.from, test.to, test.zones))
		})
	}
}

func TestTurn_NeverGivesMoreThanTheRateAndTheBurst(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		burst := rapid.IntRange(1, 20).Draw(t, "burst")
		now, next := time.Unix(1000, 0), time.Time{}
		var slots []time.Time
		for range rapid.IntRange(1, 100).Draw(t, "messages") {
			now = now.Add(time.Duration(rapid.IntRange(0, 3000).Draw(t, "pause")) * time.Millisecond)
			var slot time.Time
			slot, next = delivery.ReserveSlot(next, now, time.Second, burst)
			if slot.Before(now) {
				slot = now
			}
			slots = append(slots, slot)
		}
		for i := range slots {
			j := i
			for j < len(slots) && slots[j].Sub(slots[i]) < time.Second {
				j++
			}
			require.LessOrEqual(t, j-i, burst+1)
		}
	})
}

func TestSettings_ReportEveryMistake(t *testing.T) {
	t.Parallel()
	require.NoError(t, settings.Defaults().Validate())
	require.Error(t, settings.Settings{}.Validate())
}
