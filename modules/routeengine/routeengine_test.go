package routeengine_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/routeengine"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

type object = map[string]any

const (
	area        = "/route_engine/api/v1"
	routes      = area + "/routes"
	corrections = area + "/corrections"
)

func modules() []module.Module { return []module.Module{routeengine.Module} }

// stops is the body of a request for a route.
func stops(all ...object) object { return object{"stops": all} }

func zip(code string) object { return object{"zip": code} }

func TestPlaces_AreFoundByZIPCityAddressAndID(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		call := func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		}
		require.Equal(t, "75201", call(http.MethodGet, area+"/zips?q=75201&limit=1", nil).OK(t).Get("data.0.zip").String())
		require.Equal(t, "Miami, FL", call(http.MethodGet, area+"/zips?q=miami,%20f", nil).OK(t).Get("data.0.name").String())
		call(http.MethodGet, area+"/zips?q=x,", nil).Refused(t, http.StatusUnprocessableEntity, "route_engine.invalid_query")

		dallas := call(http.MethodGet, area+"/zips/75201-4321", nil).OK(t)
		require.Equal(t, "America/Chicago", dallas.Get("time_zone").String())
		require.Equal(t, "mainland", dallas.Get("access").String())
		require.Equal(t, dallas.Get("lat").Float(), call(http.MethodGet, area+"/places/"+dallas.Get("id").String(), nil).OK(t).Get("lat").Float())
		call(http.MethodGet, area+"/zips/7520", nil).Refused(t, http.StatusUnprocessableEntity, "route_engine.invalid_zip")
		call(http.MethodGet, area+"/zips/99999", nil).Refused(t, http.StatusNotFound, "route_engine.place_not_found")
		call(http.MethodGet, area+"/places/zip-99999", nil).Refused(t, http.StatusNotFound, "route_engine.place_not_found")

		for name, at := range map[string]object{
			"city":    {"city": "st. louis", "state": "Missouri"},
			"address": {"address": "1 Memorial Dr, Saint Louis, MO, USA"},
			"id":      {"place_id": "city-mo-saint-louis"},
		} {
			require.Equal(t, "Saint Louis, MO", call(http.MethodPost, area+"/places/search", at).OK(t).Get("data.0.name").String(), name)
		}
		require.Greater(t, len(call(http.MethodPost, area+"/places/search", object{"city": "Springfield"}).OK(t).Get("data").Array()), 10)
		wrong := call(http.MethodPost, area+"/places/search", object{"city": "Dalas", "state": "TX"}).Refused(t, http.StatusUnprocessableEntity, "route_engine.unknown_place")
		require.Contains(t, wrong.Get("details.nearest").String()+string(wrong.Body), "Dallas, TX")
	})
}

func TestRoutes_AreEstimatedWithoutANetwork(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		route := a.Call(t, a.Owner.Token, http.MethodPost, routes, stops(zip("75201"), object{"city": "Atlanta", "state": "GA"}, zip("33101"))).OK(t)
		require.Equal(t, "estimated", route.Get("accuracy").String())
		require.InDelta(t, 0.08, route.Get("error_band").Float(), 1e-9)
		require.InDelta(t, 780+660, route.Get("miles").Float(), 120)
		require.Len(t, route.Get("legs").Array(), 2)
		sum := 0.0
		for _, leg := range route.Get("legs").Array() {
			require.Greater(t, leg.Get("miles").Float(), leg.Get("straight_miles").Float())
			sum += leg.Get("miles").Float()
		}
		require.InDelta(t, sum, route.Get("miles").Float(), 0.051)
		require.False(t, route.Get("refreshing").Bool())

		for code, way := range map[string]object{
			"ferry":  stops(zip("98101"), object{"city": "Nantucket", "state": "MA"}),
			"border": stops(zip("98101"), object{"city": "Point Roberts", "state": "WA"}),
		} {
			found := a.Call(t, a.Owner.Token, http.MethodPost, routes, way).OK(t)
			require.Equal(t, code, found.Get("warnings.0.code").String())
		}
		lane := a.Call(t, a.Owner.Token, http.MethodPost, area+"/lanes", object{"origin": zip("75201"), "destination": zip("33101")}).OK(t)
		require.Equal(t, "752-331", lane.Get("lane").String())
		require.Equal(t, "Dallas, TX", lane.Get("origin.zone.name").String())
		require.InDelta(t, 1110, lane.Get("straight_miles").Float(), 1)
		overSea := a.Call(t, a.Owner.Token, http.MethodPost, area+"/lanes", object{"origin": zip("75201"), "destination": zip("96813")}).OK(t)
		require.Equal(t, "null", overSea.Get("route").Raw)
		require.Equal(t, "no_road", overSea.Get("warnings.0.code").String())
	})
}

func TestRoutes_SayWhichStopIsWrong(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		for name, test := range map[string]struct {
			second      object
			code, field string
		}{
			"over the sea":       {zip("96813"), "route_engine.no_road", "stops.1"},
			"Alaska":             {zip("99501"), "route_engine.no_road", "stops.1"},
			"Puerto Rico":        {zip("00901"), "route_engine.no_road", "stops.1"},
			"military":           {zip("09003"), "route_engine.unknown_place", "stops.1"},
			"not in use":         {zip("99999"), "route_engine.unknown_place", "stops.1.zip"},
			"four digits":        {zip("7520"), "route_engine.unknown_place", "stops.1.zip"},
			"which Springfield":  {object{"city": "Springfield"}, "route_engine.unknown_place", "stops.1.state"},
			"no such state":      {object{"city": "Dallas", "state": "XX"}, "route_engine.unknown_place", "stops.1.state"},
			"two ways":           {object{"zip": "75201", "city": "Dallas", "state": "TX"}, "route_engine.unknown_place", "stops.1"},
			"nothing":            {object{}, "route_engine.unknown_place", "stops.1"},
			"half a point":       {object{"lat": 32.8}, "route_engine.unknown_place", "stops.1"},
			"a point at sea":     {object{"lat": 30, "lng": -60}, "route_engine.unknown_place", "stops.1.lat"},
			"a point in Germany": {object{"lat": 52.5, "lng": 13.4}, "route_engine.unknown_place", "stops.1.lat"},
		} {
			refused := a.Call(t, a.Owner.Token, http.MethodPost, routes, stops(zip("75201"), test.second)).Refused(t, http.StatusUnprocessableEntity, test.code)
			require.Contains(t, refused.Get("errors").Map(), test.field, name)
		}
		a.Call(t, a.Owner.Token, http.MethodPost, routes, stops(zip("75201"))).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
	})
}

func TestCorrections_AreExactOnTheirLaneAndBelongToTheirCompany(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		way := stops(zip("75201"), zip("33101"))
		estimate := a.Call(t, a.Owner.Token, http.MethodPost, routes, way).OK(t).Get("miles").Float()
		nearby := a.Call(t, a.Owner.Token, http.MethodPost, routes, stops(zip("75215"), zip("33130"))).OK(t).Get("miles").Float()
		miles := int(estimate * 1.1)
		made := a.Call(t, a.Owner.Token, http.MethodPost, corrections, object{"from_zip": "33101", "to_zip": "75201-0001", "miles": miles}).OK(t)
		require.Equal(t, "33101-75201", made.Get("lane").String())
		require.InDelta(t, estimate, made.Get("estimated_miles").Float(), 1)

		exact := a.Call(t, a.Owner.Token, http.MethodPost, routes, way).OK(t)
		require.InDelta(t, miles, exact.Get("miles").Float(), 1e-9)
		require.Equal(t, "measured", exact.Get("accuracy").String())
		require.Equal(t, "correction", exact.Get("legs.0.provider").String())
		corrected := a.Call(t, a.Owner.Token, http.MethodPost, routes, stops(zip("75215"), zip("33130"))).OK(t)
		require.Greater(t, corrected.Get("miles").Float(), nearby*1.05)
		require.Equal(t, int64(1), corrected.Get("legs.0.corrections").Int())
		require.Equal(t, "estimated", corrected.Get("accuracy").String())

		other := a.NewCompany(t)
		require.InDelta(t, estimate, a.Call(t, other.Token, http.MethodPost, routes, way).OK(t).Get("miles").Float(), 1e-9)

		a.Call(t, a.Owner.Token, http.MethodPost, corrections, object{"from_zip": "75201", "to_zip": "33101", "miles": miles}).
			Refused(t, http.StatusConflict, "route_engine.correction_taken")
		for name, body := range map[string]object{
			"less than straight": {"from_zip": "75201", "to_zip": "10001", "miles": 900},
			"a typing error":     {"from_zip": "75201", "to_zip": "76101", "miles": 3100},
			"the same place":     {"from_zip": "75201", "to_zip": "75201", "miles": 3},
			"an island":          {"from_zip": "75201", "to_zip": "96813", "miles": 3800},
			"a post office":      {"from_zip": "75201", "to_zip": "09003", "miles": 3800},
		} {
			refused := a.Call(t, a.Owner.Token, http.MethodPost, corrections, body)
			require.Equal(t, http.StatusUnprocessableEntity, refused.Status, "%s: %s", name, refused.Body)
		}
	})
}
