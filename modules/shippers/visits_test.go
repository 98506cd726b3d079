package shippers_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/contacts"
	"github.com/dispatchd/dispatchd/modules/shippers"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestOpenings_AreThoseOfTheLocationsZone(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		a := moduletest.Boot(t, url, []module.Module{companies.Module, contacts.Module, shippers.Module})
		call := caller(func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		})
		_, shipper := call.newShipper(t, "Lee Motors")
		body := object{
			"shipper_uuid": shipper, "name": "Lot 4", "time_zone": "America/Chicago", "appointment": "required", "notice_hours": 24,
			"hours":    []object{{"day": "mon", "from": "08:00", "to": "17:00"}, {"day": "fri", "from": "20:00", "to": "24:00"}},
			"closures": []object{{"from": "2026-12-07", "to": "2026-12-08", "reason": "Inventory"}},
		}
		for path, wrong := range map[string]object{
			"closures.0.from": {"from": "2026-02-30"}, "closures.0.to": {"from": "2026-12-08", "to": "2026-12-07"},
		} {
			bad := object{"shipper_uuid": shipper, "name": "x", "time_zone": "UTC", "closures": []object{wrong}}
			refused := call(http.MethodPost, base+"/locations", bad)
			require.Equal(t, http.StatusUnprocessableEntity, refused.Status)
			require.Contains(t, string(refused.Body), path)
		}
		made := call(http.MethodPost, base+"/locations", body).OK(t)
		at := made.Header.Get("Location") + "/openings?"
		seen := call(http.MethodGet, at+"from=2026-12-03T14:00:00Z&days=14", nil).OK(t)
		require.Equal(t, `["2026-12-04T20:00:00-06:00","2026-12-11T20:00:00-06:00","2026-12-14T08:00:00-06:00"]`, seen.Get("data.#.from").Raw)
		require.Equal(t, "2026-12-05T00:00:00-06:00", seen.Get("data.0.to").String())
		require.Equal(t, "false", seen.Get("open").Raw)
		require.Equal(t, "2026-12-11T20:00:00-06:00", call(http.MethodGet, at+"from=2026-12-05T00:00:00Z", nil).OK(t).Get("next.from").String())
		require.EqualValues(t, 24, seen.Get("notice_hours").Int())
		call(http.MethodGet, at, nil).OK(t)
		for _, bad := range []string{"days=0", "days=32", "days=x", "from=tomorrow", "from=0001-02-01T00:00:00Z", "until=x"} {
			require.Equal(t, http.StatusUnprocessableEntity, call(http.MethodGet, at+bad, nil).Status, bad)
		}
		bare := call(http.MethodPost, base+"/locations", object{"shipper_uuid": shipper, "name": "Lot 5", "time_zone": "UTC"}).OK(t)
		unknown := call(http.MethodGet, bare.Header.Get("Location")+"/openings", nil).OK(t)
		require.Equal(t, []string{"null", "null", "[]", "false"}, []string{unknown.Get("open").Raw, unknown.Get("next").Raw, unknown.Get("data").Raw, unknown.Get("hours_known").Raw})
		a.Call(t, a.NewCompany(t).Token, http.MethodGet, strings.TrimSuffix(at, "?"), nil).Refused(t, http.StatusNotFound, "shippers.location_not_found")
	})
}
