package walks_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// The company's own truck carries four loads on one trip, with one link for its driver.
func TestFleet_CarriesFourLoadsOnOneTrip(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		own := o.carrier(t, "Blue Ridge Fleet")
		o.patch(t, "/trips/api/v1/settings", object{"own_carrier_uuid": own})
		driver := o.post(t, "/drivers/api/v1/drivers", object{"name": "Bo Driver", "license_expires": day(200)}).Get("uuid").String()
		o.post(t, "/drivers/api/v1/drivers/"+driver+"/activate", nil)
		truck := o.post(t, "/trucks/api/v1/trucks", object{"unit": "12", "trailer_kind": "wedge", "slots": 4, "inspection_expires": day(100)}).Get("uuid").String()

		customer := o.contact(t, "Ann Lee", nil)
		ways := []struct{ from, to, tariff string }{{"75201", "33101", "700.00"}, {"77002", "30303", "650.50"}, {"76102", "30303", "649.49"}, {"75201", "32801", "700.01"}}
		all := make([]string, len(ways))
		trip := o.post(t, "/trips/api/v1/trips", object{"truck_uuid": truck, "driver_uuid": driver, "starts_from": "76102", "pay_basis": "percent", "pay_rate": "25.00"}).Header.Get("Location")
		for i, way := range ways {
			all[i] = o.load(t, object{
				"customer_uuid": customer, "company_role": "carrier", "available_from": day(1),
				"stops": []object{
					{"kind": "pickup", "venue": object{"postal_code": way.from}, "contacts": []object{{"name": "Ann Lee"}}},
					{"kind": "delivery", "venue": object{"postal_code": way.to}, "contacts": []object{{"name": "Cy Ray"}}},
				},
				"vehicles": []object{{"year": 2015, "make": "Ford", "model": "Fusion", "type": "sedan", "tariff": way.tariff, "carrier_pay": way.tariff}},
			})
			o.post(t, all[i]+"/payment_plan/propose", object{"template": "full_pay"})
			require.Empty(t, line(o.get(t, all[i]), "broker", "carrier"), "the company does not pay itself")
			o.ready(t, all[i])
			o.post(t, trip+"/loads", object{"load_uuid": idOf(all[i])})
		}
		better := o.post(t, trip+"/optimise", nil)
		require.Positive(t, better.Get("saved_miles").Int())
		require.Equal(t, "675.00", better.Get("trip.pay_amount").String(), "a quarter of 2,700.00")
		o.post(t, trip+"/plan", nil)
		o.post(t, trip+"/dispatch", object{})

		links := "/bills_of_lading/api/v1/trips/" + idOf(trip) + "/driver_links"
		var link string
		o.Eventually(t, func() bool {
			link = o.post(t, links, object{}).Get("url").String()

			return o.by(t, link, "", nil).OK(t).Get("bols.#").Int() == 4
		}, "each load has a bill of lading")
		for _, leg := range o.get(t, trip).Get("legs").Array() {
			at := trip + "/legs/" + leg.Get("uuid").String()
			o.post(t, at+"/arrive", object{})
			for _, load := range all {
				l := o.get(t, load)
				stage := map[string]string{l.Get("stops.0.uuid").String(): "pickup", l.Get("stops.1.uuid").String(): "delivery"}
				for _, stop := range append(leg.Get("stop_uuids").Array(), leg.Get("stop_uuid")) {
					if stage[stop.String()] == "" {
						continue
					}
					vehicle := l.Get("vehicles.0.uuid").String()
					o.inspect(t, link, vehicle, stage[stop.String()], nil)
					o.sign(t, link, o.billOf(t, load, vehicle), stage[stop.String()], "Cy Ray")
				}
			}
			o.post(t, at+"/depart", object{})
		}
		require.Equal(t, "completed", o.get(t, trip).Get("state").String())
		for i, load := range all {
			require.Equal(t, "delivered", o.get(t, load).Get("state").String())
			o.pay(t, load, "customer", "broker", "Check")
			l := o.done(t, load)
			require.Equal(t, ways[i].tariff, l.Get("tariff").String())
			require.JSONEq(t, `["`+ways[i].tariff+`"]`, l.Get("payments.#.amount").Raw)
			require.JSONEq(t, `["customer"]`, o.get(t, load+"/transaction_record").Get("freight_charges.payers").Raw)
		}
		o.try(t, http.MethodPost, trip+"/cancel", object{}).Refused(t, http.StatusConflict, "state.not_allowed")
	})
}
