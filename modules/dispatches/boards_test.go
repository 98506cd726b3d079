package dispatches_test

import (
	"maps"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBoards_SayWhatALaneCosts(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		const prices, comparables = base + "/pricing_intelligence/prices", base + "/pricing_intelligence/comparables"
		lane := func(more object) object {
			body := object{"origin": "75201", "destination": "33101"}
			maps.Copy(body, more)

			return body
		}
		d.post(t, prices, lane(nil)).Refused(t, http.StatusConflict, "dispatches.no_board")
		d.call(t, http.MethodPatch, base+"/settings", object{"sandbox_carriers": true}).OK(t)
		one := d.post(t, prices, lane(nil)).OK(t)
		miles := one.Get("miles").Int()
		require.InDelta(t, float64(miles)*0.75, one.Get("data.0.mid").Float(), 0.01)
		require.Equal(t, []string{"sandbox", "0.75", "6", ""}, []string{one.Get("data.0.board").String(), one.Get("data.0.per_mile").String(), one.Get("data.0.n").Raw, one.Get("data.0.why").String()})
		require.Less(t, one.Get("data.0.low").Float(), one.Get("data.0.mid").Float())
		require.Less(t, one.Get("data.0.mid").Float(), one.Get("data.0.high").Float())
		two := d.post(t, prices, lane(object{"vehicles": 2, "inoperable": true, "transport_type": "enclosed"})).OK(t)
		require.InDelta(t, one.Get("data.0.mid").Float()*3+150, two.Get("data.0.mid").Float(), 0.03)

		like := d.post(t, comparables, lane(nil)).OK(t).Get("data.0.comparables")
		require.Equal(t, []string{"Dallas", "Miami", "false", "true"}, []string{
			like.Get("0.origin_city").String(), like.Get("0.destination_city").String(), like.Get("0.dispatched").Raw, like.Get("1.dispatched").Raw,
		})
		require.Len(t, like.Array(), 6)

		for zip, why := range map[string]string{"59001": "", "59002": "too many requests: the board asks to wait", "59003": "the board did not answer in time"} {
			none := d.post(t, prices, lane(object{"destination": zip})).OK(t).Get("data.0")
			require.Equal(t, []string{"null", why}, []string{none.Get("mid").Raw, none.Get("why").String()}, zip)
			require.JSONEq(t, "[]", d.post(t, comparables, lane(object{"destination": zip})).OK(t).Get("data.0.comparables").Raw, zip)
		}
		d.post(t, prices, lane(object{"destination": "00000"})).Refused(t, http.StatusUnprocessableEntity, "route_engine.unknown_place")
		d.Call(t, d.NewCompany(t).Token, http.MethodPost, prices, lane(nil)).Refused(t, http.StatusConflict, "dispatches.no_board")
		d.Call(t, d.Token(t, d.Owner, "dispatches:read"), http.MethodPost, prices, lane(nil)).Refused(t, http.StatusForbidden, "web.scope_missing")
	})
}
