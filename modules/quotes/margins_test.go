package quotes_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/audit"
	"github.com/dispatchd/dispatchd/modules/collections"
	"github.com/dispatchd/dispatchd/modules/history"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestPrices_AreAbsentWithoutTheirScope(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, append(areas(), audit.Module, collections.Module, history.Module), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		d := desk{a}
		load := d.request(t, "2003 Honda Accord")
		d.call(t, http.MethodPut, loadsPath+"/"+load.Get("uuid").String()+"/price", object{"tariff": "1111.11", "carrier_pay": "777.77"}).OK(t)
		q := d.draft(t, load, object{"message": "Soon"})
		at, id, collection := path(q), q.Get("uuid").String(), "/collections/api/v1/collections/quotes.quote"
		d.call(t, http.MethodPatch, at, object{"message": "Very soon"}).OK(t)
		clerk := d.Token(t, d.Owner, "quotes:read", "quotes:write", "collections:read", "collections:write", "audit:read", "history:read", "loads:read")
		for _, from := range []string{
			at, quotesPath, quotesPath + "?fields=number,tariff,lines", quotesPath + "?q=1111.11", "/collections/api/v1/search?q=Accord", collection + "/items/" + id + "/history",
			collection + "/items/" + id + "/history/1", "/audit/api/v1/entries?per_page=100", "/history/api/v1/entries?item_type=quotes.quote&item_uuid=" + id,
		} {
			seen := string(d.Call(t, clerk, http.MethodGet, from, nil).OK(t).Body)
			for _, secret := range []string{"1111.11", "777.77", "333.34"} {
				require.NotContains(t, seen, secret, from)
			}
		}
		require.Contains(t, string(d.call(t, http.MethodGet, quotesPath, nil).OK(t).Body), "1111.11")
		for _, query := range []string{quotesPath + "?sort=tariff", quotesPath + "?filter[carrier_pay][gt]=1", collection + "/groups?group_by=state&sum=tariff"} {
			refused := d.Call(t, clerk, http.MethodGet, query, nil).Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")
			require.Contains(t, string(refused.Body), "requires the scope loads:margins", query)
		}
		changed := d.Call(t, clerk, http.MethodPost, collection+"/bulk", object{"items": []object{{"do": "update", "uuid": id, "payload": object{"message": "Now"}}}}).OK(t)
		require.NotContains(t, string(changed.Body), "1111.11", "results of a bulk request")
		guess := d.Call(t, clerk, http.MethodPost, at+"/accept", object{"option": "standard", "name": "Ann", "tariff": "1.00"})
		require.GreaterOrEqual(t, guess.Status, 400)
		require.NotContains(t, string(guess.Body), "1111.11")
	})
}
