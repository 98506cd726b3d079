package walks_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// Loads end in every zone of the continent, at what clocks show there, and are paid in their own currencies, which are never summed.
func TestAbroad_EndsInEveryZoneAndCurrency(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		customer, hauler := o.contact(t, "Ann Lee", nil), o.carrier(t, "Hauler")
		ends := []struct {
			venue                    object
			zone, letters, currency  string
			tariff, pay, fee, symbol string
		}{
			{object{"postal_code": "99501"}, "America/Anchorage", "AK[SD]T", "USD", "2000.10", "1700.05", "300.05", "$1,700.05"},
			{object{"postal_code": "96813"}, "Pacific/Honolulu", "HST", "USD", "3000.00", "2500.00", "500.00", "$2,500.00"},
			{object{"postal_code": "85001"}, "America/Phoenix", "MST", "USD", "900.00", "700.00", "200.00", "$700.00"},
			{object{"postal_code": "33101"}, "America/New_York", "E[SD]T", "USD", "1100.00", "900.00", "200.00", "$900.00"},
			{object{"postal_code": "M5V 3L9"}, "America/Toronto", "E[SD]T", "CAD", "1500.00", "1250.75", "249.25", "1,250.75 CAD"},
			{object{"city": "St. John's", "state": "NL", "country": "CA"}, "America/St_Johns", "N[SD]T", "CAD", "2500.00", "2000.00", "500.00", "2,000.00 CAD"},
			{object{"city": "Monterrey", "state": "NLE"}, "America/Monterrey", "CST", "MXN", "18000.00", "15000.00", "3000.00", "15,000.00 MXN"},
		}
		for _, end := range ends {
			end.venue["line1"] = "2 Palm St"
			load := o.load(t, object{
				"customer_uuid": customer, "available_from": day(1), "currency": end.currency,
				"stops": []object{
					{"kind": "pickup", "venue": object{"postal_code": "75201", "name": "Lone Star Auto"}, "window": object{"from": day(2) + "T08:00", "to": day(5) + "T17:00"}},
					{"kind": "delivery", "venue": end.venue, "window": object{"from": day(8) + "T09:00", "to": day(20) + "T16:00"}, "contacts": []object{{"name": "Cy Ray"}}},
				},
				"vehicles": []object{{"year": 2003, "make": "Honda", "model": "Accord", "tariff": end.tariff, "carrier_pay": end.pay}},
			})
			l := o.get(t, load)
			require.Equal(t, []string{end.zone, day(20) + "T16:00", end.fee, end.currency}, values(l, "stops.1.venue.time_zone", "stops.1.window.to", "broker_fee", "currency"), "%s", l.Raw)
			o.post(t, load+"/payment_plan/propose", object{"template": "full_pay"})
			o.ready(t, load)
			link := linkOf(o.offer(t, load, object{"pickup_date": day(3), "delivery_date": day(12)}, hauler)[0])
			require.Contains(t, o.page(t, link), end.symbol)
			o.accept(t, link, nil).OK(t)
			dispatch, vehicle := o.dispatchOf(t, load), l.Get("vehicles.0.uuid").String()
			require.Contains(t, o.paper(t, dispatch+"/rate_confirmation"), "in all "+end.symbol)

			driving, bill := o.driver(t, load), o.billOf(t, load, vehicle)
			for _, at := range []struct{ stage, other string }{{"pickup", "Ann Lee"}, {"delivery", "Cy Ray"}} {
				o.inspect(t, driving, vehicle, at.stage, nil)
				o.sign(t, driving, bill, at.stage, at.other)
			}
			o.Eventually(t, func() bool { return o.get(t, bill).Get("state").String() == "closed" }, "the bill of lading is printed")
			require.Regexp(t, `\d\d:\d\d `+end.letters, o.paper(t, bill+"/pdf"), "the delivery is signed at the time there")
			o.pay(t, load, "customer", "broker", "Wire")
			o.pay(t, load, "broker", "carrier", "Wire")
			o.done(t, load)
		}
		groups := "/collections/api/v1/collections/loads.load/groups?sum=tariff,broker_fee&group_by="
		o.try(t, http.MethodGet, groups+"state", nil).Refused(t, http.StatusUnprocessableEntity, "list.mixed_currencies")
		sums := map[string][]string{}
		for _, group := range o.get(t, groups+"currency").Get("data").Array() {
			sums[group.Get("keys.currency").String()] = values(group, "sums.tariff", "sums.broker_fee")
		}
		require.Equal(t, map[string][]string{"USD": {"7000.10", "1200.05"}, "CAD": {"4000.00", "749.25"}, "MXN": {"18000.00", "3000.00"}}, sums)
	})
}
