package routeengine_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/routeengine"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const area = "/route_engine/api/v1"

func modules() []module.Module { return []module.Module{routeengine.Module} }

func TestZIPs_AreCompletedAndRead(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		get := func(path string) moduletest.Response { return a.Call(t, a.Owner.Token, http.MethodGet, area+path, nil) }
		require.Equal(t, "33101", get("/zips?q=331&limit=2").OK(t).Get("data.0.zip").String())
		require.Len(t, get("/zips?q=331&limit=2").OK(t).Get("data").Array(), 2)
		require.Equal(t, `["city-fl-miami"]`, get("/zips?q=miami,%20f").OK(t).Get("data.#.id").Raw)
		require.Equal(t, "[]", get("/zips?q=zzzz").OK(t).Get("data").Raw)
		require.Equal(t, "America/Denver", get("/zips/79901-1234").OK(t).Get("time_zone").String())
		get("/zips?q=33101-12345").Refused(t, http.StatusUnprocessableEntity, "route_engine.invalid_zip")
		military := get("/zips/09012").OK(t)
		require.Equal(t, "military", military.Get("kind").String())
		require.Equal(t, "null", military.Get("lat").Raw)
		get("/zips/2108").Refused(t, http.StatusUnprocessableEntity, "route_engine.invalid_zip")
		require.Equal(t, `["00501","00544","00601"]`, get("/zips/00001").Refused(t, http.StatusNotFound, "route_engine.place_not_found").Get("details.nearest").Raw)
		for _, id := range []string{"zip-75201", "city-mo-saint-louis", "point-32.78000,-96.80000", "zip-09012"} {
			require.Equal(t, id, get("/places/"+id).OK(t).Get("id").String())
		}
		for _, id := range []string{"zip-2108", "city-xx-dallas", "point-0,0", "point-NaN,1", "point-91,0", "osm-1", "zip-75201-1234", "-"} {
			get("/places/"+id).Refused(t, http.StatusNotFound, "route_engine.place_not_found")
		}
	})
}

func TestSearch_FindsPlacesInEveryWay(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		search := func(body string) moduletest.Response {
			return a.Call(t, a.Owner.Token, http.MethodPost, area+"/places/search", body)
		}
		for body, id := range map[string]string{
			`{"zip": "75201"}`: "zip-75201", `{"place_id": "city-tx-dallas"}`: "city-tx-dallas", `{"city": "St. Louis", "state": "missouri"}`: "city-mo-saint-louis",
			`{"address": "1500 Marilla St, Dallas, TX 75201-1234, USA"}`: "zip-75201", `{"address": "1500 Marilla St, Dallas, Texas"}`: "city-tx-dallas",
			`{"lat": 32.78, "lng": -96.8}`: "point-32.78000,-96.80000", `{"city": "Yreka"}`: "city-ca-yreka", `{"lat": 49.28, "lng": -123.12}`: "point-49.28000,-123.12000",
		} {
			require.Equal(t, id, search(body).OK(t).Get("data.0.id").String(), body)
		}
		require.Greater(t, len(search(`{"city": "Springfield"}`).OK(t).Get("data").Array()), 10)
		for body, field := range map[string]string{
			`{"zip": "2108"}`: "zip", `{"zip": "00001"}`: "zip", `{"city": "Dalllas", "state": "TX"}`: "city", `{"city": "Dallas", "state": "ZZ"}`: "state",
			`{"address": "1500 Marilla St"}`: "address", `{"lat": 0, "lng": 0}`: "lat", `{"state": "TX", "zip": "75201"}`: "state", `{"place_id": "x"}`: "place_id",
		} {
			refused := search(body).Refused(t, http.StatusUnprocessableEntity, "route_engine.unknown_place")
			require.NotEmpty(t, refused.Get("errors."+field).Array(), body)
		}
		require.Equal(t, `["address","city","lat","lng","place_id","zip"]`,
			search(`{}`).Refused(t, http.StatusUnprocessableEntity, "route_engine.unknown_place").Get("errors.@keys").Raw)
		search(`{"zip": "75201", "city": "Dallas"}`).Refused(t, http.StatusUnprocessableEntity, "route_engine.unknown_place")
		require.Equal(t, "Dallas, TX", search(`{"city": "Dalllas", "state": "TX"}`).Refused(t, http.StatusUnprocessableEntity, "route_engine.unknown_place").Get("details.nearest.0").String())
	})
}

func TestRoutes_AreEstimatedAndWarn(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		route := func(stops string) moduletest.Response {
			return a.Call(t, a.Owner.Token, http.MethodPost, area+"/routes", `{"stops": [`+stops+`]}`)
		}
		one := route(`{"zip": "75201"}, {"city": "Atlanta", "state": "GA"}, {"zip": "33101"}`).OK(t)
		require.InDelta(t, 1440, one.Get("miles").Float(), 110)
		require.InDelta(t, one.Get("miles").Float(), one.Get("legs.0.miles").Float()+one.Get("legs.1.miles").Float(), 0.051)
		require.Equal(t, "estimated", one.Get("accuracy").String())
		require.InDelta(t, 0.08, one.Get("error_band").Float(), 1e-9)
		require.False(t, one.Get("refreshing").Bool())
		require.Equal(t, `{"from":3,"to":6}`, one.Get("transit_days").Raw)
		require.Equal(t, "ferry", route(`{"zip": "02108"}, {"zip": "02554"}`).OK(t).Get("warnings.0.code").String())
		require.Equal(t, "border", route(`{"zip": "98101"}, {"lat": 49.28, "lng": -123.12}`).OK(t).Get("warnings.0.code").String())
		require.Equal(t, "border", route(`{"zip": "98101"}, {"zip": "98281"}`).OK(t).Get("warnings.0.code").String())
		require.Zero(t, route(`{"zip": "75201"}, {"zip": "75201"}`).OK(t).Get("miles").Float())
		for _, stops := range []string{
			`{"zip": "90001"}, {"zip": "96801"}`, `{"zip": "98101"}, {"zip": "99501"}`, `{"zip": "33101"}, {"zip": "00901"}`, `{"zip": "96801"}, {"zip": "96720"}`,
		} {
			refused := route(stops).Refused(t, http.StatusUnprocessableEntity, "route_engine.no_road")
			require.Len(t, refused.Get("details.between").Array(), 2)
			require.NotEmpty(t, refused.Get(`errors.stops\.1`).Array())
		}
		wrong := route(`{"zip": "09012"}, {"zip": "00001"}, {"city": "Springfield"}, {}`).Refused(t, http.StatusUnprocessableEntity, "route_engine.unknown_place")
		require.Contains(t, wrong.Get(`errors.stops\.0.0`).String(), "military")
		require.Contains(t, wrong.Get(`errors.stops\.1\.zip.0`).String(), "00001")
		require.Contains(t, wrong.Get(`errors.stops\.2\.state.0`).String(), "cities are called so")
		require.NotEmpty(t, wrong.Get(`errors.stops\.3`).Array())
		a.Call(t, a.Owner.Token, http.MethodPost, area+"/routes", `{"stops": [{"zip": "75201"}]}`).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
	})
}

func TestLanes_HaveTheirZones(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		lane := func(body string) moduletest.Response {
			return a.Call(t, a.Owner.Token, http.MethodPost, area+"/lanes", body).OK(t)
		}
		one := lane(`{"origin": {"zip": "75201"}, "destination": {"zip": "33101"}}`)
		require.Equal(t, "752-331", one.Get("lane").String())
		require.Equal(t, "Dallas, TX", one.Get("origin.zone.name").String())
		require.InDelta(t, 1110, one.Get("straight_miles").Float(), 0.5)
		require.Greater(t, one.Get("route.miles").Float(), 1110.0)
		island := lane(`{"origin": {"zip": "90001"}, "destination": {"zip": "96801"}}`)
		require.Equal(t, "null", island.Get("route").Raw)
		require.Equal(t, "no_road", island.Get("warnings.0.code").String())
		require.Equal(t, "null", lane(`{"origin": {"zip": "98101"}, "destination": {"lat": 49.28, "lng": -123.12}}`).Get("lane").Raw)
	})
}

func TestCorrections_AreUsedByTheCompanyAlone(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		correct := func(body string) moduletest.Response {
			return a.Call(t, a.Owner.Token, http.MethodPost, area+"/corrections", body)
		}
		leg := func(token, from, to string) moduletest.Response {
			return a.Call(t, token, http.MethodPost, area+"/routes", `{"stops": [{"zip": "`+from+`"}, {"zip": "`+to+`"}]}`).OK(t)
		}
		before, nearBefore := leg(a.Owner.Token, "33101", "75201").Get("miles").Float(), leg(a.Owner.Token, "75215", "33130").Get("miles").Float()
		made := correct(`{"from_zip": "75201-1234", "to_zip": "33101", "miles": 1400, "note": "Odometer"}`).OK(t)
		require.Equal(t, "33101-75201", made.Get("lane").String())
		require.InDelta(t, before, made.Get("estimated_miles").Float(), 0.6)

		exact := leg(a.Owner.Token, "33101", "75201")
		require.InDelta(t, 1400, exact.Get("miles").Float(), 1e-9)
		require.Equal(t, "measured correction", exact.Get("accuracy").String()+" "+exact.Get("legs.0.provider").String())
		require.Equal(t, "null", exact.Get("error_band").Raw)
		near := leg(a.Owner.Token, "75215", "33130")
		require.InDelta(t, nearBefore*1400/before, near.Get("miles").Float(), 10)
		require.Equal(t, int64(1), near.Get("legs.0.corrections").Int())
		require.Equal(t, "estimated", near.Get("accuracy").String())
		require.InDelta(t, before, leg(a.NewCompany(t).Token, "33101", "75201").Get("miles").Float(), 1e-9, "another company knows nothing of it")

		correct(`{"from_zip": "33101", "to_zip": "75201", "miles": 1300}`).OK(t)
		require.InDelta(t, 1300, leg(a.Owner.Token, "33101", "75201").Get("miles").Float(), 1e-9, "the newest counts")
		require.Equal(t, int64(1), leg(a.Owner.Token, "75215", "33130").Get("legs.0.corrections").Int())
		for body, field := range map[string]string{
			`{"from_zip": "75201", "to_zip": "33102", "miles": 900}`: "miles", `{"from_zip": "75201", "to_zip": "33102", "miles": 9000}`: "miles",
			`{"from_zip": "90001", "to_zip": "96801", "miles": 2500}`: "to_zip", `{"from_zip": "75201", "to_zip": "75201", "miles": 1}`: "to_zip",
			`{"from_zip": "09012", "to_zip": "75201", "miles": 1}`: "from_zip", `{"from_zip": "2108", "to_zip": "75201", "miles": 1}`: "from_zip",
		} {
			refused := correct(body).Refused(t, http.StatusUnprocessableEntity, "route_engine.invalid_correction")
			require.NotEmpty(t, refused.Get("errors."+field).Array(), body)
		}
	})
}
