package vendors_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/routeengine/internal/distance"
	"github.com/dispatchd/dispatchd/modules/routeengine/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/outbound"
	"github.com/dispatchd/dispatchd/platform/outbound/vendortest"
)

var (
	dallas = distance.Point{Lat: 32.7904, Lng: -96.8044}
	miami  = distance.Point{Lat: 25.7791, Lng: -80.1978}
)

// server answers as a vendor does, and keeps the last request.
type server struct {
	faults vendortest.Faults
	body   string

	path, query, sent string
}

func serve(t *testing.T, body string) (*server, string) {
	t.Helper()
	s := &server{body: body}
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, _ := io.ReadAll(r.Body) //nolint:errcheck // a request of the test
		s.path, s.query, s.sent = r.URL.Path, r.URL.Query().Encode(), string(sent)
		s.faults.Answer(w, r, func() vendortest.Reply { return vendortest.Reply{Status: http.StatusOK, Body: []byte(s.body)} })
	}))
	t.Cleanup(h.Close)

	return s, h.URL
}

func network(t *testing.T) *outbound.Network {
	t.Helper()
	s := outbound.Defaults()
	s.AllowHTTP, s.AllowNetworks, s.BreakerFailures, s.Retries = true, []string{"127.0.0.0/8"}, 0, 0
	s.HeaderTimeout, s.Timeout = 200*time.Millisecond, 200*time.Millisecond
	n, err := outbound.New(s, clock.System{})
	require.NoError(t, err)
	t.Cleanup(n.Stop)

	return n
}

const (
	osrmAnswer = `{"code": "Ok", "routes": [{"distance": 2109000.4, "duration": 71220.5, "geometry": "_p~iF", "legs": [{"distance": 2109000.4, "duration": 71220.5, "summary": ""}]}],
		"waypoints": [{"name": "", "location": [-96.8, 32.79]}, {"name": "", "location": [-80.2, 25.78]}]}`
	valhallaAnswer = `{"trip": {"status": 0, "status_message": "Found route", "units": "miles", "summary": {"length": 1310.5, "time": 80000.1}, "legs": [{"shape": "abc", "summary": {}}]}}`
	nominatimFound = `[{"place_id": 1, "osm_type": "way", "osm_id": 2, "lat": "32.7763", "lon": "-96.7969", "display_name": "1500, Marilla Street, Dallas, Texas, 75201, United States",
		"address": {"house_number": "1500", "postcode": "75201"}}]`
)

func TestOSRM_MeasuresAWay(t *testing.T) {
	t.Parallel()
	s, url := serve(t, osrmAnswer)
	router, err := vendors.NewOSRM(network(t), url+"/osrm")
	require.NoError(t, err)
	way, err := router.Route(t.Context(), dallas, miami, vendors.CarHauler)
	require.NoError(t, err)
	require.InDelta(t, 1310.5, way.Miles, 0.1)
	require.InDelta(t, 1187.0, way.Minutes, 0.1)
	require.Equal(t, "_p~iF", way.Polyline)
	require.Equal(t, "/osrm/route/v1/driving/-96.804400,32.790400;-80.197800,25.779100", s.path, "the longitude comes first")
	require.Equal(t, "alternatives=false&geometries=polyline6&overview=simplified&steps=false", s.query)
}

func TestValhalla_MeasuresAWayOfATruck(t *testing.T) {
	t.Parallel()
	s, url := serve(t, valhallaAnswer)
	router, err := vendors.NewValhalla(network(t), url)
	require.NoError(t, err)
	way, err := router.Route(t.Context(), dallas, miami, vendors.CarHauler)
	require.NoError(t, err)
	require.InDelta(t, 1310.5, way.Miles, 0.01)
	require.InDelta(t, 1333.3, way.Minutes, 0.1)
	require.Equal(t, "abc", way.Polyline)
	var sent map[string]any
	require.NoError(t, json.Unmarshal([]byte(s.sent), &sent))
	require.Equal(t, "truck", sent["costing"])
	require.Equal(t, "miles", sent["units"])
	require.InDelta(t, 4.11, sent["costing_options"].(map[string]any)["truck"].(map[string]any)["height"], 1e-9)

	_, err = router.Route(t.Context(), dallas, miami, vendors.Car)
	require.NoError(t, err)
	require.Contains(t, s.sent, `"costing":"auto"`)
	s.body = strings.Replace(valhallaAnswer, `"miles"`, `"kilometers"`, 1)
	way, err = router.Route(t.Context(), dallas, miami, vendors.Car)
	require.NoError(t, err)
	require.InDelta(t, 814.3, way.Miles, 0.1)
}

func TestNominatim_FindsAddresses(t *testing.T) {
	t.Parallel()
	s, url := serve(t, nominatimFound)
	geocoder, err := vendors.NewNominatim(network(t), url)
	require.NoError(t, err)
	found, err := geocoder.Find(t.Context(), "1500 Marilla St, Dallas")
	require.NoError(t, err)
	require.Equal(t, []vendors.Address{{
		Name: "1500, Marilla Street, Dallas, Texas, 75201, United States", ZIP: "75201", Point: distance.Point{Lat: 32.7763, Lng: -96.7969},
	}}, found)
	require.Equal(t, "/search", s.path)
	require.Equal(t, "addressdetails=1&countrycodes=us%2Cca%2Cmx&format=jsonv2&limit=5&q=1500+Marilla+St%2C+Dallas", s.query)
	s.body = `[]`
	found, err = geocoder.Find(t.Context(), "nowhere")
	require.NoError(t, err)
	require.Empty(t, found)
}

// ask calls each vendor, one of which an answer is for.
func ask(t *testing.T, vendor, url string) error {
	t.Helper()
	n := network(t)
	switch vendor {
	case "osrm":
		router, err := vendors.NewOSRM(n, url)
		require.NoError(t, err)
		_, err = router.Route(t.Context(), dallas, miami, vendors.CarHauler)

		return err
	case "valhalla":
		router, err := vendors.NewValhalla(n, url)
		require.NoError(t, err)
		_, err = router.Route(t.Context(), dallas, miami, vendors.CarHauler)

		return err
	}
	geocoder, err := vendors.NewNominatim(n, url)
	require.NoError(t, err)
	_, err = geocoder.Find(t.Context(), "1500 Marilla St, Dallas")

	return err
}

func TestVendors_KnowAWayThatDoesNotExist(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ vendor, body string }{
		{"osrm", `{"code": "NoRoute", "message": "Impossible route between points"}`},
		{"osrm", `{"code": "NoSegment"}`},
		{"valhalla", `{"error_code": 442, "error": "No path could be found for input", "status_code": 400, "status": "Bad Request"}`},
		{"valhalla", `{"error_code": 171, "error": "No suitable edges near location"}`},
		{"valhalla", `{"error_code": 170}`},
	} {
		s, url := serve(t, "")
		s.faults.Fail(vendortest.Fault{Status: http.StatusBadRequest, Body: c.body})
		require.ErrorIs(t, ask(t, c.vendor, url), vendors.ErrNoRoute, c.body)
	}
}

// Whatever a vendor answers is a way, or a failure whose text has nothing of the answer and not where the vendor is.
func TestVendors_SurviveBadAnswers(t *testing.T) {
	t.Parallel()
	faults := map[string]vendortest.Fault{
		"received too many requests": {Status: http.StatusTooManyRequests, Body: "slow down", Header: map[string]string{"Retry-After": "60"}},
		"refused":                    {Status: http.StatusBadRequest, Body: `{"code": "InvalidQuery", "error_code": 154, "message": "topsecret"}`},
		"not JSON":                   {Status: http.StatusOK, Body: "<html>topsecret</html>"},
		"502":                        {Status: http.StatusBadGateway, Body: "<html>topsecret</html>"},
		"broken":                     {Cuts: true},
		"timeout":                    {Hangs: time.Second},
		"unknown":                    {Drops: true},
	}
	for _, vendor := range []string{"osrm", "valhalla", "nominatim"} {
		for want, fault := range faults {
			s, url := serve(t, "{}")
			s.faults.Fail(fault)
			err := ask(t, vendor, url)
			require.ErrorContains(t, err, want, vendor)
			require.NotContains(t, err.Error(), "topsecret")
			require.NotContains(t, err.Error(), strings.TrimPrefix(url, "http://"))
		}
	}
	for _, c := range []struct{ vendor, body string }{
		{"osrm", `{}`},
		{"osrm", `{"code": "Ok", "routes": []}`},
		{"osrm", `{"code": "Ok", "routes": [{"distance": 5}]}`},
		{"osrm", `{"code": "Ok", "routes": [{"distance": -5, "duration": 1}]}`},
		{"valhalla", `{}`},
		{"valhalla", `{"trip": {"summary": {"length": 3}}}`},
		{"valhalla", strings.Replace(valhallaAnswer, `"status": 0`, `"status": 1`, 1)},
		{"nominatim", `[{"lat": "x", "lon": "1"}]`},
		{"nominatim", `[{"lat": "91", "lon": "1"}]`},
		{"nominatim", `[{"lat": "NaN", "lon": "1"}]`},
		{"nominatim", `[{}]`},
	} {
		_, url := serve(t, c.body)
		require.ErrorContains(t, ask(t, c.vendor, url), "incomplete", c.body)
	}
}
