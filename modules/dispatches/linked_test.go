package dispatches_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLoads_EmbedTheirDispatchAndDispatchesAreFoundByCarsAndCities(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		haul := d.carrier(t, "Haul", 300)
		given, free := idOf(d.ready(t)), idOf(d.ready(t))
		at := d.post(t, base+"/dispatches", object{"load_uuid": given, "carrier_pay": d.payOf(t, given), "carrier_uuid": haul, "pickup_date": day(3), "delivery_date": day(6)}).OK(t).Header.Get("Location")
		d.call(t, http.MethodPatch, at, object{"driver_name": "Dee Driver"}).OK(t)

		list := d.get(t, loadsPath+"?expand=dispatch&sort=created_at")
		require.Equal(t, idOf(at), list.Get(`data.#(uuid=="`+given+`").expanded.dispatch.uuid`).String(), list.Raw)
		values := list.Get(`data.#(uuid=="` + given + `").expanded.dispatch.values`)
		require.Equal(t, "Dee Driver", values.Get("driver_name").String())
		require.Equal(t, "none", values.Get("overdue").String())
		require.Equal(t, values.Get("revision").Int(), values.Get("accepted_revision").Int())
		require.True(t, values.Get("eta_delivery").Exists())
		require.False(t, list.Get(`data.#(uuid=="`+free+`").expanded.dispatch`).Exists())
		require.Equal(t, idOf(at), d.get(t, loadsPath+"/"+given+"?expand=dispatch").Get("expanded.dispatch.uuid").String())

		for _, q := range []string{secretVIN, "Miami", "Haul"} {
			require.Equal(t, int64(1), d.get(t, base+"/dispatches?q="+q).Get("data.#").Int(), q)
		}
		require.Zero(t, d.get(t, base+"/dispatches?q=Seattle").Get("data.#").Int())
	})
}
