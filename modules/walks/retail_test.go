package walks_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// A customer calls, takes the dearer option, pays the deposit by card, and the carrier in cash; the carrier has haggled.
func TestRetail_IsPaidByDepositAndInCash(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		o.patch(t, "/loads/api/v1/settings", object{"required_for_ready": []string{"signature", "deposit"}})
		asked := o.post(t, "/loads/api/v1/quick_loads", object{
			"from": "75201", "to": "Miami, FL 33101", "vehicles": []string{"2003 Honda Accord"}, "tariff": "1100.00", "carrier_pay": "900.00", "available_from": day(1),
			"customer": object{"name": "José Peña", "phone": "214 555 0143", "email": "jose@example.com"},
		})
		load := loads + "/" + asked.Get("load.uuid").String()
		vehicle := asked.Get("load.vehicles.0.uuid").String()
		o.patch(t, load+"/vehicles/"+vehicle, object{"vin": "1HGCM82633A004352"})
		for n, who := range []string{"José Peña", "Ann Lee"} {
			o.patch(t, load+"/stops/"+asked.Get("load.stops").Array()[n].Get("uuid").String(), object{"contacts": []object{{"name": who, "phones": []string{"214 555 0143"}}}})
		}

		quote := o.post(t, "/quotes/api/v1/quotes", object{"load_uuid": idOf(load), "plan_template": "deposit_cod", "options": []object{
			{"key": "standard"}, {"key": "priority", "surcharge": "150.00", "pickup_within_days": 3},
		}})
		sent := o.post(t, "/quotes/api/v1/quotes/"+quote.Get("uuid").String()+"/send", object{"tariff": quote.Get("tariff").String()})
		offered := sent.Get("share.url").String()
		require.Contains(t, o.page(t, offered), "$1,250.00")
		o.by(t, offered, "/accept", object{"quote_uuid": quote.Get("uuid").String(), "option": "priority", "name": "José Peña", "accepted": true}).OK(t)
		l := o.get(t, load)
		require.Equal(t, []string{"booked", "1250.00", "900.00", "350.00", "signed", day(4), `["350.00","900.00"]`},
			values(l, "state", "tariff", "carrier_pay", "broker_fee", "signature", "pickup_promised_by", "payment_plan.#.amount"))

		deposit := o.post(t, load+"/pay_links", object{"line_uuid": line(l, "customer", "broker")})
		require.Equal(t, "350.00", deposit.Get("amount").String())
		o.by(t, deposit.Get("url").String(), "", object{"token": "tok_ok"}).OK(t)
		o.Eventually(t, func() bool { return o.get(t, load).Get("state").String() == "ready" }, "the deposit is all that was missing")

		hauler := o.carrier(t, "Hauler")
		asking := o.offer(t, load, object{"pickup_date": day(3), "delivery_date": day(6)}, o.carrier(t, "Slow"), hauler)
		link := linkOf(asking[1])
		require.NotContains(t, o.page(t, link), "1HGCM82633A004352")
		o.by(t, link, "/counter", object{"shown": 1, "amount": "950.00", "note": "Fuel"}).OK(t)
		o.post(t, offerPath(asking[1])+"/accept", object{"shown": 2})
		require.Equal(t, "superseded", o.get(t, offerPath(asking[0])).Get("state").String())
		l = o.get(t, load)
		require.Equal(t, []string{"dispatched", "1250.00", "950.00", "300.00", hauler}, values(l, "state", "tariff", "carrier_pay", "broker_fee", "carrier_uuid"))
		require.JSONEq(t, `["350.00", "900.00", "50.00"]`, l.Get("payment_plan.#.amount").Raw, "what the customer has agreed to pay stays")
		dispatch := o.dispatchOf(t, load)
		confirmation := o.paper(t, dispatch+"/rate_confirmation")
		for _, want := range []string{"Carrier pay in all $950.00", "The customer pays the carrier $900.00", "The broker pays the carrier $50.00", "Load " + l.Get("number").String(), "12 Broker Way", "1HGCM82633A004352"} {
			require.Contains(t, confirmation, want)
		}

		o.by(t, link, "/update", object{"crew": object{"driver_name": "Bo Driver", "driver_phone": "214 555 0199", "truck": "Unit 12"}}).OK(t)
		driving := o.driver(t, load)
		require.Contains(t, o.page(t, driving), "$900.00", "what the driver collects")
		bill := o.billOf(t, load, vehicle)
		o.inspect(t, driving, vehicle, "pickup", object{"vin_scanned": "1HGCM82633A004352", "odometer": 41200})
		o.sign(t, driving, bill, "pickup", "José Peña")
		require.Equal(t, "picked_up", o.get(t, load).Get("state").String())
		followed := o.page(t, o.post(t, load+"/shares", object{}).Get("url").String())
		require.Contains(t, followed, "<dt>Carrier</dt><dd>Hauler</dd>")
		require.Contains(t, followed, "<dt>Driver</dt><dd>Bo</dd>")
		o.inspect(t, driving, vehicle, "delivery", object{"odometer": 42511})
		o.sign(t, driving, bill, "delivery", "Ann Lee")
		require.Equal(t, []string{"delivered", "900.00", "950.00"}, values(o.get(t, load), "state", "customer_balance", "carrier_balance"))
		o.by(t, link, "/collected", object{"amount": "900.00"}).OK(t)
		require.Equal(t, []string{"0.00", "50.00"}, values(o.get(t, load), "customer_balance", "carrier_balance"))
		o.pay(t, load, "broker", "carrier", "ACH 7001")
		l = o.done(t, load)
		require.JSONEq(t, `["350.00", "900.00", "50.00"]`, l.Get("payments.#.amount").Raw)

		o.Eventually(t, func() bool { return o.get(t, bill).Get("state").String() == "closed" }, "the bill of lading is printed")
		require.Contains(t, o.paper(t, bill+"/pdf"), "José Peña", "as he writes it")
		signature := o.get(t, load+"/signatures").Get("data.0.uuid").String()
		require.Contains(t, o.paper(t, load+"/signatures/"+signature+"/pdf"), "José Peña")
		o.try(t, http.MethodPost, load+"/cancel", object{"reason": "customer"}).Refused(t, http.StatusConflict, "state.not_allowed")
	})
}
