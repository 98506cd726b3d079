package routeengine_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/routeengine"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestPlaces_OfCanadaAreFoundByPostalCodeAndCity(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, []module.Module{routeengine.Module}, func(t *testing.T, a *moduletest.App) {
		search := func(body map[string]any) moduletest.Response {
			return a.Call(t, a.Owner.Token, http.MethodPost, "/route_engine/api/v1/places/search", body)
		}
		for text, want := range map[string][3]string{
			"M5V 3L9": {"Toronto", "ON", "America/Toronto"}, "m5v3l9": {"Toronto", "ON", "America/Toronto"}, "P9N 1A1": {"Kenora", "ON", "America/Winnipeg"},
			"S9V 0A1": {"Lloydminster", "SK", "America/Edmonton"}, "V1G 1A1": {"Dawson Creek", "BC", "America/Dawson_Creek"}, "T2P 1J9": {"Calgary", "AB", "America/Edmonton"},
			"A2V 1A1": {"Labrador City", "NL", "America/Goose_Bay"},
		} {
			found := search(map[string]any{"zip": text}).OK(t).Get("data.0")
			require.Equal(t, want, [3]string{found.Get("city").String(), found.Get("state").String(), found.Get("time_zone").String()}, text)
			require.Equal(t, "CA", found.Get("country").String())
		}
		require.Equal(t, "CA", search(map[string]any{"city": "Toronto", "state": "ON"}).OK(t).Get("data.0.country").String())
		search(map[string]any{"zip": "D5V 3L9"}).Refused(t, http.StatusUnprocessableEntity, "route_engine.unknown_place")
		way := a.Call(t, a.Owner.Token, http.MethodPost, "/route_engine/api/v1/routes", map[string]any{"stops": []map[string]any{{"zip": "M5V 3L9"}, {"city": "Montreal", "state": "QC"}}}).OK(t)
		require.InDelta(t, 335, way.Get("miles").Float(), 50)
		over := a.Call(t, a.Owner.Token, http.MethodPost, "/route_engine/api/v1/routes", map[string]any{"stops": []map[string]any{{"zip": "M5V 3L9"}, {"zip": "48201"}}}).OK(t)
		require.Equal(t, "border", over.Get("warnings.0.code").String())
	})
}
