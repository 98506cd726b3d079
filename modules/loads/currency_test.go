package loads_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSums_AreOfOneCurrency(t *testing.T) {
	t.Parallel()
	eachWatched(t, func(t *testing.T, o office) {
		for _, currency := range []string{"USD", "CAD"} {
			body := o.sold(car("1000.00", "900.00"))
			body["currency"], body["instructions_private"] = currency, currency
			o.made(t, body)
		}
		o.made(t, object{"customer_uuid": o.customer, "stops": stops(), "vehicles": []object{{"make": "Honda", "model": "Civic"}}, "currency": "MXN"})
		groups := "/collections/api/v1/collections/loads.load/groups"
		refused := o.call(t, http.MethodGet, groups+"?group_by=state&sum=miles,tariff", nil).Refused(t, http.StatusUnprocessableEntity, "list.mixed_currencies")
		require.Equal(t, `["CAD","USD"]`, refused.Get("details.currencies").Raw)
		require.Equal(t, "The amounts are in several currencies: CAD, USD. Add currency to group_by, or choose one of them with filter[currency].", refused.Get("errors.sum.0").String())
		by := o.get(t, groups+"?group_by=currency&sum=tariff")
		require.Equal(t, `["CAD","MXN","USD"]`, by.Get("data.#.keys.currency").Raw)
		require.Equal(t, `["1000.00",null,"1000.00"]`, by.Get("data.#.sums.tariff").Raw)
		require.Equal(t, int64(2), o.get(t, groups+"?group_by=state,currency&sum=tariff&filter[currency][in]=USD,CAD").Get("meta.groups").Int())
		require.Equal(t, "1000.00", o.get(t, groups+"?group_by=state&sum=tariff&filter[currency]=CAD").Get("data.0.sums.tariff").String())
		require.Equal(t, int64(3), o.get(t, groups+"?group_by=state").Get("data.0.count").Int(), "what has no amounts is counted over all")
		require.Equal(t, `["CAD","MXN","USD"]`, o.get(t, loadsPath+"?sort=currency,-tariff&fields=currency").Get("data.#.currency").Raw)
	})
}
