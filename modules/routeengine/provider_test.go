package routeengine_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/outbound/vendortest"
)

// vendor speaks as OSRM and Nominatim do. Places north of 48 have no route; those south of 26 fail.
type vendor struct{ faults vendortest.Faults }

func serve(t *testing.T, v *vendor) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v.faults.Answer(w, r, func() vendortest.Reply {
			switch {
			case r.URL.Path == "/search":
				return vendortest.Reply{Status: http.StatusOK, Body: []byte(`[{"lat": "32.77630", "lon": "-96.79690", "display_name": "1500, Marilla Street, Dallas"}]`)}
			case strings.Contains(r.URL.Path, ",48."):
				return vendortest.Reply{Status: http.StatusBadRequest, Body: []byte(`{"code": "NoRoute"}`)}
			case strings.Contains(r.URL.Path, ",25."):
				return vendortest.Reply{Status: http.StatusServiceUnavailable, Body: []byte(`<html></html>`)}
			}

			return vendortest.Reply{Status: http.StatusOK, Body: []byte(`{"code": "Ok", "routes": [{"distance": 1609344, "duration": 60000, "geometry": "abc"}]}`)}
		})
	}))
	t.Cleanup(server.Close)

	return server.URL
}

func provided(url string, more ...string) moduletest.Option {
	return moduletest.Set(append([]string{
		"modules.route_engine.provider=osrm", "modules.route_engine.url=" + url, "modules.route_engine.geocoder=nominatim", "modules.route_engine.geocoder_url=" + url,
		"outbound.allow_http=true", "outbound.allow_networks=127.0.0.0/8", "outbound.breaker_failures=0", "outbound.retries=0",
	}, more...)...)
}

func TestRoutes_AreMeasuredInTheBackground(t *testing.T) {
	t.Parallel()
	v := &vendor{}
	url := serve(t, v)
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		route := func(token, from, to string) moduletest.Response {
			return a.Call(t, token, http.MethodPost, area+"/routes", fmt.Sprintf(`{"stops": [{"zip": %q}, {"zip": %q}]}`, from, to)).OK(t)
		}
		first := route(a.Owner.Token, "75201", "30303")
		require.Equal(t, "estimated true", first.Get("accuracy").String()+" "+first.Get("refreshing").String())
		a.Eventually(t, func() bool { return route(a.Owner.Token, "75201", "30303").Get("accuracy").String() == "measured" }, "the provider has measured it")
		got := route(a.Owner.Token, "75201", "30303")
		require.InDelta(t, 1000, got.Get("miles").Float(), 1e-9)
		require.Equal(t, int64(1000), got.Get("minutes").Int())
		require.Equal(t, "osrm abc", got.Get("legs.0.provider").String()+" "+got.Get("legs.0.polyline").String())
		require.NotEmpty(t, got.Get("legs.0.measured_at").String())
		require.False(t, got.Get("refreshing").Bool(), "nobody is asked again")
		require.Equal(t, "null", got.Get("error_band").Raw)
		require.Equal(t, "estimated", route(a.NewCompany(t).Token, "75201", "30303").Get("accuracy").String(), "another company's is its own")

		route(a.Owner.Token, "75201", "98225")
		a.Eventually(t, func() bool {
			return route(a.Owner.Token, "75201", "98225").Get("warnings.0.code").String() == "no_route"
		}, "the provider has no route")
		route(a.Owner.Token, "75201", "33101")
		a.Eventually(t, func() bool {
			return route(a.Owner.Token, "75201", "33101").Get("warnings.0.code").String() == "provider_failed"
		}, "the provider has failed")
		failed := route(a.Owner.Token, "75201", "33101")
		require.Equal(t, "estimated false", failed.Get("accuracy").String()+" "+failed.Get("refreshing").String(), "it is left alone for a while")
		require.NotContains(t, failed.Get("warnings.0.message").String(), "127.0.0.1")

		// What somebody knows is worth more than what the provider says.
		a.Call(t, a.Owner.Token, http.MethodPost, area+"/corrections", `{"from_zip": "30303", "to_zip": "75201", "miles": 790}`).OK(t)
		require.Equal(t, "correction 790", route(a.Owner.Token, "75201", "30303").Get("legs.0.provider").String()+" "+route(a.Owner.Token, "75201", "30303").Get("miles").String())
	}, provided(url))
}

func TestSearch_AsksTheGeocoderInTheBackground(t *testing.T) {
	t.Parallel()
	v := &vendor{}
	url := serve(t, v)
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		search := func(address string) moduletest.Response {
			return a.Call(t, a.Owner.Token, http.MethodPost, area+"/places/search", fmt.Sprintf(`{"address": %q}`, address)).OK(t)
		}
		first := search("1500 Marilla St, Dallas, TX 75201")
		require.Equal(t, "zip-75201 true", first.Get("data.0.id").String()+" "+first.Get("refreshing").String())
		require.Equal(t, "[]", search("Dallas city hall").Get("data").Raw, "there is nothing to find without the geocoder")
		a.Eventually(t, func() bool {
			return search("1500 marilla st.  Dallas TX 75201").Get("data.0.kind").String() == "address"
		}, "the geocoder has answered")
		got := search("1500 Marilla St, Dallas, TX 75201")
		require.Equal(t, "point-32.77630,-96.79690", got.Get("data.0.id").String())
		require.Equal(t, "nominatim America/Chicago", got.Get("data.0.source").String()+" "+got.Get("data.0.time_zone").String())
		a.Call(t, a.Owner.Token, http.MethodGet, area+"/places/point-32.77630,-96.79690", nil).OK(t)
	}, provided(url))
}
