package walks_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// A truck breaks down on the way: a second carrier takes over where the car waits. The first is paid for its part, the second for the load.
func TestBreakdown_GoesOnWithASecondCarrier(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		load := o.load(t, object{
			"customer_uuid": o.contact(t, "Ann Lee", nil), "available_from": day(1),
			"stops": []object{
				{"kind": "pickup", "venue": object{"postal_code": "75201", "line1": "1 Main St"}, "contacts": []object{{"name": "Ann Lee"}}},
				{"kind": "delivery", "venue": object{"postal_code": "33101", "line1": "2 Palm St"}, "contacts": []object{{"name": "Cy Ray"}}},
			},
			"vehicles": []object{{"vin": "1HGCM82633A004352", "tariff": "1100.00", "carrier_pay": "900.00"}},
		})
		o.post(t, load+"/payment_plan/propose", object{"template": "full_pay"})
		o.ready(t, load)
		o.pay(t, load, "customer", "broker", "Card")
		first, second := o.carrier(t, "Hauler"), o.carrier(t, "Tow On")
		link := linkOf(o.offer(t, load, nil, first)[0])
		o.accept(t, link, nil).OK(t)
		broken, vehicle := o.dispatchOf(t, load), o.get(t, load).Get("vehicles.0.uuid").String()
		driving, bill := o.driver(t, load), o.billOf(t, load, vehicle)
		o.inspect(t, driving, vehicle, "pickup", object{"odometer": 100})
		o.sign(t, driving, bill, "pickup", "Ann Lee")
		follow := o.post(t, load+"/shares", object{}).Get("url").String()

		o.post(t, broken+"/abandon", object{"reason": "breakdown", "note": "The axle broke", "place": object{
			"name": "Big Sky Towing", "postal_code": "39401", "contact_name": "Ray", "phone": "601 555 0143",
		}})
		l := o.get(t, load)
		require.Equal(t, []string{"ready", "transfer", "Hattiesburg", "waiting"}, values(l, "state", "stops.1.kind", "stops.1.venue.city", "vehicles.0.custody"))
		o.try(t, http.MethodPut, broken+"/end_pay", object{"amount": "400.00", "paid": true}).OK(t)
		require.Contains(t, o.page(t, follow), "Hattiesburg")
		o.Eventually(t, func() bool { return o.by(t, driving, "", nil).Status == http.StatusNotFound }, "the first driver has nothing to sign any more")
		o.by(t, link, "/collected", object{"amount": "1.00"}).Refused(t, http.StatusConflict, "dispatches.no_load")

		taking := linkOf(o.offer(t, load, object{"amount": "650.00"}, second)[0])
		require.Contains(t, o.page(t, taking), "Hattiesburg")
		o.accept(t, taking, nil).OK(t)
		l = o.get(t, load)
		require.Equal(t, []string{"1100.00", "650.00", "450.00", `["1100.00","650.00"]`}, values(l, "tariff", "carrier_pay", "broker_fee", "payment_plan.#.amount"))
		next := o.billOf(t, load, vehicle)
		require.NotEqual(t, bill, next)
		require.Equal(t, "transferred", o.get(t, bill).Get("state").String())
		require.Equal(t, []string{"Big Sky Towing", "Tow On"}, values(o.get(t, next), "consignor.name", "carrier.name"))
		onward := o.driver(t, load)
		o.inspect(t, onward, vehicle, "pickup", object{"odometer": 101})
		o.sign(t, onward, next, "pickup", "Ray")
		require.Contains(t, o.page(t, follow), "<dt>Carrier</dt><dd>Tow On</dd>")
		o.inspect(t, onward, vehicle, "delivery", object{"odometer": 102})
		o.sign(t, onward, next, "delivery", "Cy Ray")
		require.Equal(t, []string{"delivered", "0.00", "650.00"}, values(o.get(t, load), "state", "customer_balance", "carrier_balance"))
		o.pay(t, load, "broker", "carrier", "ACH")
		o.done(t, load)
		record := o.get(t, load+"/transaction_record")
		require.Equal(t, "Hauler", record.Get("originating_carrier.name").String())
		require.JSONEq(t, `["Tow On"]`, record.Get("further_carriers.#.name").Raw)
		require.Len(t, record.Get("bill_of_lading_numbers").Array(), 2)
		paper := o.paper(t, load+"/transaction_record/pdf")
		for _, want := range []string{"Hauler", "Tow On", "450.00 USD", "650.00 USD", "1100.00 USD"} {
			require.Contains(t, paper, want)
		}
		require.Equal(t, []string{"400.00", "part"}, values(o.get(t, broken), "end_pay", "end_pay_kind"))
		requireClosed(t, o, next)
	})
}

// requireClosed waits until a bill of lading is printed as it was signed.
func requireClosed(t *testing.T, o office, bill string) {
	t.Helper()
	var b gjson.Result
	o.Eventually(t, func() bool { b = o.get(t, bill); return b.Get("state").String() == "closed" }, "the bill of lading is printed")
	require.Contains(t, o.paper(t, bill+"/pdf"), b.Get("number").String())
}
