package trips_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/audit"
	"github.com/dispatchd/dispatchd/modules/collections"
)

func TestPay_IsAbsentWithoutTheScopeForMargins(t *testing.T) {
	t.Parallel()
	eachOf(t, append(areas(), audit.Module, collections.Module), func(t *testing.T, y yard) {
		one := y.load(t, "75201", "33101", object{"year": 2015, "make": "Ford", "model": "Fusion", "type": "sedan", "tariff": "1111.11", "carrier_pay": "777.77"})
		path := y.trip(t, object{"truck_uuid": y.truck(t, 3), "driver_uuid": y.driver, "pay_basis": "flat", "pay_rate": "333.34"}, one)
		y.call(t, http.MethodPatch, path, object{"starts_from": "76102"}).OK(t)
		id, collection := path[strings.LastIndex(path, "/")+1:], "/collections/api/v1/collections/trips.trip"
		clerk := y.Token(t, y.Owner, "trips:read", "trips:write", "collections:read", "collections:write", "audit:read", "loads:read")
		for _, from := range []string{
			path, base + "/trips", base + "/trips?fields=number,pay_amount,vehicles", collection + "/items/" + id + "/history", collection + "/items/" + id + "/history/1",
			"/audit/api/v1/entries?per_page=100",
		} {
			seen := string(y.Call(t, clerk, http.MethodGet, from, nil).OK(t).Body)
			for _, secret := range []string{"777.77", "333.34"} {
				require.NotContains(t, seen, secret, from)
			}
		}
		require.Equal(t, "333.34", y.get(t, path).Get("pay_amount").String())
		for _, query := range []string{base + "/trips?sort=pay_amount", collection + "/groups?group_by=state&sum=pay_amount"} {
			refused := y.Call(t, clerk, http.MethodGet, query, nil).Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")
			require.Contains(t, string(refused.Body), "requires the scope loads:margins", query)
		}
		changed := y.Call(t, clerk, http.MethodPost, collection+"/bulk", object{"items": []object{{"do": "update", "uuid": id, "payload": object{"starts_from": "76103"}}}}).OK(t)
		require.NotContains(t, string(changed.Body), "333.34", "results of a bulk request")
		y.Call(t, clerk, http.MethodPatch, path, object{"pay_rate": "1.00"}).Refused(t, http.StatusForbidden, "web.scope_missing")
	})
}
