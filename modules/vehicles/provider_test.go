package vehicles_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/outbound/vendortest"
)

// rare is a VIN of which the data has the make alone; failing is another, about which the vendor fails.
const (
	rare    = "WDD2470031J059461"
	failing = "WDD2470031X059461"
)

// vendor speaks as vPIC's API does.
type vendor struct {
	faults vendortest.Faults
	calls  atomic.Int64
}

func serve(t *testing.T, v *vendor) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v.calls.Add(1)
		patterns := strings.Split(r.FormValue("DATA"), ";")
		v.faults.Answer(w, r, func() vendortest.Reply {
			var all []map[string]string
			for _, p := range patterns {
				if r.URL.Path != "/DecodeVINValuesBatch/" || strings.Contains(p, "1X") || strings.HasSuffix(p, "059461") {
					return vendortest.Reply{Status: http.StatusServiceUnavailable, Body: []byte(`<html></html>`)}
				}
				all = append(all, map[string]string{
					"VIN": p, "Make": "MERCEDES-BENZ", "Model": "A-Class", "ModelYear": "2021", "BodyClass": "Hatchback/Liftback/Notchback",
					"VehicleType": "PASSENGER CAR", "Doors": "5", "DisplacementL": "1.3", "Series": "Not Applicable", "ErrorCode": "0",
				})
			}
			body, err := json.Marshal(map[string]any{"Count": len(all), "Results": all})
			if err != nil {
				return vendortest.Reply{Status: http.StatusInternalServerError}
			}

			return vendortest.Reply{Status: http.StatusOK, Body: body}
		})
	}))
	t.Cleanup(server.Close)

	return server.URL
}

func provided(url string) moduletest.Option {
	return moduletest.Set(
		"modules.vehicles.provider=vpic", "modules.vehicles.url="+url,
		"outbound.allow_http=true", "outbound.allow_networks=127.0.0.0/8", "outbound.breaker_failures=0", "outbound.retries=0",
	)
}

func TestDecode_AddsWhatTheAPIReturned(t *testing.T) {
	t.Parallel()
	v := &vendor{}
	url := serve(t, v)
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		get := func(token, vin string) moduletest.Response {
			return a.Call(t, token, http.MethodGet, base+"/vin/"+vin, nil).OK(t)
		}
		known := get(a.Owner.Token, vin)
		require.Equal(t, "offline false null", known.Get("source").String()+" "+known.Get("refreshing").String()+" "+known.Get("fetched_at").Raw)
		first := get(a.Owner.Token, rare)
		require.Equal(t, "offline true", first.Get("source").String()+" "+first.Get("refreshing").String(), "the request does not wait")
		a.Eventually(t, func() bool { return get(a.Owner.Token, rare).Get("source").String() == "vpic" }, "the API was asked")
		got := get(a.Owner.Token, rare)
		require.Equal(t, "Mercedes-Benz A-Class hatchback", got.Get("make").String()+" "+got.Get("model").String()+" "+got.Get("type").String())
		require.Equal(t, "5 1.3", got.Get("doors").Raw+" "+got.Get("displacement_l").Raw)
		require.Equal(t, "2021 []", got.Get("year").Raw+" "+got.Get("possible_years").Raw, "the VIN tells none")
		require.Empty(t, got.Get("series").String(), "not applicable")
		require.NotEmpty(t, got.Get("fetched_at").String())
		require.False(t, got.Get("refreshing").Bool())
		require.NotContains(t, got.Get("warnings").Raw, "no_details")
		asked := v.calls.Load()
		other := a.Call(t, a.Owner.Token, http.MethodPost, base+"/decode", object{"vins": []string{"WDD2470051J059462", vin}}).OK(t)
		require.Equal(t, "vpic", other.Get("data.0.source").String(), "another vehicle of the pattern")
		require.Equal(t, asked, v.calls.Load())
		require.Equal(t, "offline", get(a.NewCompany(t).Token, rare).Get("source").String(), "answers are those of a company")

		get(a.Owner.Token, failing)
		a.Eventually(t, func() bool { return !get(a.Owner.Token, failing).Get("refreshing").Bool() }, "the API failed, and is left alone for a while")
		require.Equal(t, "offline", get(a.Owner.Token, failing).Get("source").String())
	}, provided(url))
}

func TestBook_IsCompletedByTheAPI(t *testing.T) {
	t.Parallel()
	url := serve(t, &vendor{})
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		made := a.Call(t, a.Owner.Token, http.MethodPost, book, object{"vin": rare, "color": "Red"}).OK(t)
		require.Empty(t, made.Get("model").String())
		own := a.Call(t, a.Owner.Token, http.MethodPost, book, object{"vin": "WDD2470051J059462", "make": "Kit car"}).OK(t)
		read := func(of moduletest.Response, query string) moduletest.Response {
			return a.Call(t, a.Owner.Token, http.MethodGet, book+"/"+of.Get("uuid").String()+query, nil).OK(t)
		}
		a.Eventually(t, func() bool { return read(made, "").Get("model").String() == "A-Class" }, "the vehicle is completed")
		got := read(made, "?expand=vin.decoded")
		require.Equal(t, "Red car", got.Get("color").String()+" "+got.Get("type").String(), "what was set before stays")
		require.Equal(t, "vpic", got.Get("expanded.vin.decoded.source").String())
		require.Equal(t, 1, strings.Count(strings.Join(a.EventNames(t, a.Owner), " "), "vehicles.vehicle.decoded"))
		require.Contains(t, a.Audited(t, a.Owner), "vehicles.vehicle.decoded")
		require.Equal(t, "Kit car ", read(own, "").Get("make").String()+" "+read(own, "").Get("model").String(), "of another make")
	}, provided(url))
}

func TestExpand_HasTheAPIAsked(t *testing.T) {
	t.Parallel()
	url := serve(t, &vendor{})
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		a.Call(t, a.Owner.Token, http.MethodPost, book, object{"vin": rare}).OK(t)
		a.Eventually(t, func() bool {
			listed := a.Call(t, a.Owner.Token, http.MethodGet, book+"?expand=vin.decoded", nil).OK(t)

			return listed.Get("data.0.expanded.vin.decoded.model").String() == "A-Class"
		}, "the list shows what the API returned")
	}, provided(url))
}
