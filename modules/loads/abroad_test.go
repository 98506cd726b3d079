package loads_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStop_InCanadaOrMexicoHasItsTimeZoneAndMiles(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		body := func(from, to object) object {
			made := o.sold(car("500.00", "400.00"))
			made["stops"] = []object{{"kind": "pickup", "venue": from, "window": object{"from": "2026-12-01T08:00"}}, {"kind": "delivery", "venue": to}}

			return made
		}
		row := o.post(t, loadsPath, body(object{"postal_code": "m5v3l9"}, object{"postal_code": "10001"})).OK(t)
		require.Equal(t, []string{"CA", "ON", "Toronto", "M5V 3L9", "America/Toronto", "2026-12-01T13:00:00Z"}, []string{
			row.Get("stops.0.venue.country").String(), row.Get("stops.0.venue.state").String(), row.Get("stops.0.venue.city").String(), row.Get("stops.0.venue.postal_code").String(),
			row.Get("stops.0.venue.time_zone").String(), row.Get("stops.0.window.from_at").String(),
		})
		require.InDelta(t, 420, row.Get("miles").Float(), 80)

		row = o.post(t, loadsPath, body(object{"city": "Toronto", "state": "ON"}, object{"city": "Vancouver", "state": "BC"})).OK(t)
		require.Equal(t, []string{"CA", "America/Toronto", "America/Vancouver"}, []string{
			row.Get("stops.0.venue.country").String(), row.Get("stops.0.venue.time_zone").String(), row.Get("stops.1.venue.time_zone").String(),
		})
		require.InDelta(t, 2700, row.Get("miles").Float(), 400)

		row = o.post(t, loadsPath, body(object{"city": "Monterrey", "state": "NLE"}, object{"city": "Tijuana", "state": "BC", "country": "MX"})).OK(t)
		require.Equal(t, []string{"MX", "America/Monterrey", "BCN", "America/Tijuana"}, []string{
			row.Get("stops.0.venue.country").String(), row.Get("stops.0.venue.time_zone").String(), row.Get("stops.1.venue.state").String(),
			row.Get("stops.1.venue.time_zone").String(),
		})
		require.Empty(t, row.Get("miles").String())

		for _, wrong := range []object{
			{"city": "Toronto", "state": "ON", "country": "US"},
			{"postal_code": "M5V 3L9", "country": "US"},
			{"postal_code": "M5V 3L9", "state": "BC"},
			{"postal_code": "M5V 3O9", "country": "CA"},
			{"city": "Dallas", "state": "TX", "country": "CA"},
			{"city": "Monterrey", "state": "XX", "country": "MX"},
		} {
			o.post(t, loadsPath, body(wrong, object{"postal_code": "10001"})).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		}
	})
}

func TestStop_TakesTheNameOfAState(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		made := o.sold(car("500.00", "400.00"))
		made["stops"] = []object{{"kind": "pickup", "venue": object{"city": "Dallas", "state": "Texas"}}, {"kind": "delivery", "venue": object{"city": "Toronto", "state": "ontario"}}}
		row := o.post(t, loadsPath, made).OK(t)
		require.Equal(t, `["TX","ON"]`, row.Get("stops.#.venue.state").Raw)
		require.Equal(t, `["US","CA"]`, row.Get("stops.#.venue.country").Raw)
		made["stops"] = []object{{"kind": "pickup", "venue": object{"city": "Dallas", "state": "Texass"}}, {"kind": "delivery", "venue": object{"postal_code": "33101"}}}
		wrong := o.post(t, loadsPath, made).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		require.Equal(t, "The state must be its code, such as TX.", wrong.Get(`errors.stops\.0\.venue\.state.0`).String())
	})
}
