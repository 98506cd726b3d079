package routeengine_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// vendor is a routing engine or a geocoder in this process. It counts its calls.
type vendor struct {
	url   string
	calls atomic.Int64
}

func newVendor(t *testing.T, answer http.HandlerFunc) *vendor {
	t.Helper()
	v := &vendor{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v.calls.Add(1)
		w.Header().Set("Content-Type", "application/json")
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	v.url = server.URL

	return v
}

// inside lets the service call vendors on this machine.
func inside(pairs ...string) moduletest.Option {
	return moduletest.Set(append(pairs, "outbound.allow_http=true", "outbound.allow_networks=127.0.0.0/8", "outbound.breaker_failures=0", "outbound.retries=0")...)
}

const osrmRoute = `{"code": "Ok", "routes": [{"distance": 2108240.6, "duration": 69300, "geometry": "_p~iF~ps|U"}], "waypoints": []}`

func TestProvider_MeasuresInTheBackground(t *testing.T) {
	t.Parallel()
	osrm := newVendor(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/route/v1/driving/-96.") { // longitude first
			w.WriteHeader(http.StatusBadRequest)
		}
		_, _ = fmt.Fprint(w, osrmRoute)
	})
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		way := stops(zip("75201"), zip("33101"))
		first := a.Call(t, a.Owner.Token, http.MethodPost, routes, way).OK(t)
		require.Equal(t, "estimated", first.Get("accuracy").String(), "no request waits for a vendor")
		require.True(t, first.Get("refreshing").Bool())
		a.Eventually(t, func() bool {
			return a.Call(t, a.Owner.Token, http.MethodPost, routes, way).OK(t).Get("accuracy").String() == "measured"
		}, "the job measures the route")
		got := a.Call(t, a.Owner.Token, http.MethodPost, routes, way).OK(t)
		require.InDelta(t, 1310, got.Get("miles").Float(), 1e-9)
		require.Equal(t, int64(1155), got.Get("minutes").Int())
		require.Equal(t, "osrm", got.Get("legs.0.provider").String())
		require.Equal(t, "_p~iF~ps|U", got.Get("legs.0.polyline").String())
		require.False(t, got.Get("refreshing").Bool())

		a.Call(t, a.Owner.Token, http.MethodPost, corrections, object{"from_zip": "75201", "to_zip": "33101", "miles": 1320}).OK(t)
		require.InDelta(t, 1320, a.Call(t, a.Owner.Token, http.MethodPost, routes, way).OK(t).Get("miles").Float(), 1e-9, "a person knows best")
	}, inside("modules.route_engine.provider=osrm", "modules.route_engine.url="+osrm.url))
	require.LessOrEqual(t, osrm.calls.Load(), int64(2), "one call for each service")
}

func TestProvider_ThatFailsLeavesTheEstimateAndIsLeftAlone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		provider    string
		answer      http.HandlerFunc
		code, words string
	}{
		"OSRM finds no route": {"osrm", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprint(w, `{"code": "NoRoute", "message": "Impossible route"}`)
		}, "no_route", "finds no route"},
		"Valhalla finds no route": {"valhalla", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprint(w, `{"error_code": 442, "error": "No path could be found for input", "status_code": 400}`)
		}, "no_route", "finds no route"},
		"a page of maintenance": {"osrm", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, "<html>Back soon</html>")
		}, "provider_failed", "not JSON"},
		"half an answer": {"osrm", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprint(w, `{"code": "Ok", "routes": [{"distance": 21`)
		}, "provider_failed", ""},
		"an answer without a distance": {"valhalla", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprint(w, `{"trip": {"status": 0, "summary": {"time": 12}}}`)
		}, "provider_failed", "incomplete"},
		"a negative distance": {"osrm", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprint(w, `{"code": "Ok", "routes": [{"distance": -5, "duration": 5}]}`)
		}, "provider_failed", "incomplete"},
		"too many requests": {"osrm", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusTooManyRequests)
		}, "provider_failed", "too many requests"},
		"a secret in a refusal": {"osrm", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = fmt.Fprint(w, `{"message": "key k3y is not valid"}`)
		}, "provider_failed", "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := newVendor(t, test.answer)
			moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
				t.Helper()
				way := stops(zip("75201"), zip("33101"))
				a.Call(t, a.Owner.Token, http.MethodPost, routes, way).OK(t)
				a.Eventually(t, func() bool {
					return a.Call(t, a.Owner.Token, http.MethodPost, routes, way).OK(t).Get("warnings.#").Int() > 0
				}, "the failure is known")
				got := a.Call(t, a.Owner.Token, http.MethodPost, routes, way).OK(t)
				require.Equal(t, test.code, got.Get("warnings.0.code").String())
				require.Contains(t, got.Get("warnings.0.message").String(), test.words)
				require.NotContains(t, string(got.Body), "k3y")
				require.NotContains(t, string(got.Body), v.url)
				require.Equal(t, "estimated", got.Get("accuracy").String())
				require.False(t, got.Get("refreshing").Bool(), "it is not asked again at once")
			}, inside("modules.route_engine.provider="+test.provider, "modules.route_engine.url="+v.url))
			require.LessOrEqual(t, v.calls.Load(), int64(2))
		})
	}
}

func TestValhalla_IsAskedForATruck(t *testing.T) {
	t.Parallel()
	valhalla := newVendor(t, func(w http.ResponseWriter, r *http.Request) {
		body := make([]byte, 2048)
		n, _ := r.Body.Read(body) //nolint:errcheck // the end of a body is an error too
		if !strings.Contains(string(body[:n]), `"costing":"truck"`) {
			w.WriteHeader(http.StatusBadRequest)
		}
		_, _ = fmt.Fprint(w, `{"trip": {"status": 0, "units": "kilometers", "summary": {"length": 2108.2406, "time": 72000}, "legs": [{"shape": "abc"}]}}`)
	})
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		way := stops(zip("75201"), zip("33101"))
		a.Eventually(t, func() bool {
			return a.Call(t, a.Owner.Token, http.MethodPost, routes, way).OK(t).Get("accuracy").String() == "measured"
		}, "the job measures the route")
		require.InDelta(t, 1310, a.Call(t, a.Owner.Token, http.MethodPost, routes, way).OK(t).Get("miles").Float(), 1e-9, "kilometers are converted")
	}, inside("modules.route_engine.provider=valhalla", "modules.route_engine.url="+valhalla.url))
}

func TestNominatim_FindsAddressesInTheBackground(t *testing.T) {
	t.Parallel()
	nominatim := newVendor(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Query().Get("q"), "Nowhere") {
			_, _ = fmt.Fprint(w, `[]`)

			return
		}
		_, _ = fmt.Fprint(w, `[{"lat": "32.77630", "lon": "-96.79690", "display_name": "City Hall, 1500 Marilla St, Dallas", "address": {"postcode": "75201"}}]`)
	})
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		hall := object{"address": "1500 Marilla St, Dallas, TX"}
		first := a.Call(t, a.Owner.Token, http.MethodPost, area+"/places/search", hall).OK(t)
		require.Equal(t, "city", first.Get("data.0.kind").String(), "the city until the geocoder has answered")
		require.True(t, first.Get("refreshing").Bool())
		a.Eventually(t, func() bool {
			return a.Call(t, a.Owner.Token, http.MethodPost, area+"/places/search", hall).OK(t).Get("data.0.kind").String() == "address"
		}, "the job finds the address")
		found := a.Call(t, a.Owner.Token, http.MethodPost, area+"/places/search", hall).OK(t)
		require.InDelta(t, 32.7763, found.Get("data.0.lat").Float(), 1e-9)
		require.Equal(t, "nominatim", found.Get("data.0.source").String())
		require.Equal(t, "America/Chicago", found.Get("data.0.time_zone").String())

		nowhere := object{"address": "12 Nowhere Lane"}
		a.Eventually(t, func() bool {
			got := a.Call(t, a.Owner.Token, http.MethodPost, area+"/places/search", nowhere)

			return got.Status == http.StatusUnprocessableEntity
		}, "an address that nobody knows is refused once the geocoder has answered")
	}, inside("modules.route_engine.geocoder=nominatim", "modules.route_engine.geocoder_url="+nominatim.url))
}
