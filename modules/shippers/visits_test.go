package shippers_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/contacts"
	"github.com/dispatchd/dispatchd/modules/shippers"
	"github.com/dispatchd/dispatchd/modules/shippers/shippersapi"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
)

func TestOpenings_AreThoseOfTheLocationsZone(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		var locations shippersapi.Locations
		var ships shippersapi.Shippers
		a := moduletest.Boot(t, url, []module.Module{companies.Module, contacts.Module, shippers.Module}, moduletest.With(fx.Populate(&locations, &ships)))
		call := caller(func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		})
		contact, shipper := call.newShipper(t, "Lee Motors")
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

		ctx := principal.With(t.Context(), principal.ForCompany(a.Owner.ID))
		visit, err := locations.Visit(ctx, made.Get("uuid").String(), time.Date(2026, 12, 5, 3, 0, 0, 0, time.UTC))
		require.NoError(t, err)
		require.True(t, visit.Open)
		_, err = locations.Visit(ctx, "x", time.Time{})
		require.Error(t, err)
		call(http.MethodPatch, base+"/shippers/"+shipper, object{"credit_limit": "10.00", "net_days": 7}).OK(t)
		twin := call(http.MethodPost, "/contacts/api/v1/contacts", object{"name": "Lee Motor"}).OK(t).Get("uuid").String()
		_, found, err := ships.Terms(ctx, twin)
		require.NoError(t, err)
		require.False(t, found)
		call(http.MethodPost, "/contacts/api/v1/contacts/merge", object{"into": twin, "from": []string{contact}}).OK(t)
		for _, uuid := range []string{twin, contact} {
			terms, found, err := ships.Terms(ctx, uuid)
			require.NoError(t, err)
			require.True(t, found)
			require.Equal(t, shippersapi.CreditOver, terms.Decide("9.00", "1.01", ""))
			require.EqualValues(t, 7, *terms.NetDays)
		}
	})
}
