package walks_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// An auction releases a car for a gate pass, and asks for storage when the driver is there: the carrier gets it, and the customer pays.
func TestAuction_ReleasesForAGatePassAndAsksForStorage(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		buyer := o.contact(t, "Ann Lee", nil)
		load := o.load(t, object{
			"customer_uuid": buyer, "available_from": day(1),
			"stops": []object{
				{
					"kind": "pickup", "buyer_number": "B-4411", "window": object{"from": day(2) + "T08:00", "to": day(5) + "T16:30"}, "notes": "Office behind lane 7",
					"venue":    object{"postal_code": "75201", "name": "Lone Star Auction", "type": "auction", "line1": "1 Main St", "hours": "Mon-Fri 8-16:30", "appointment_required": true},
					"contacts": []object{{"name": "Gate", "phones": []string{"214 555 0100"}}},
				},
				{"kind": "delivery", "venue": object{"postal_code": "33101", "line1": "2 Palm St"}, "contacts": []object{{"name": "Cy Ray", "phones": []string{"305 555 0143"}}}},
			},
			"vehicles": []object{{"vin": "1HGCM82633A004352", "lot_number": "L-77", "gate_pass": "GP-90210", "tariff": "1000.00", "carrier_pay": "800.00"}},
		})
		o.try(t, http.MethodPut, load+"/payment_plan", object{"payment_plan": []object{
			{"from": "customer", "to": "broker", "kind": "deposit", "amount": "1000.00", "method": "wire", "due_event": "booking"},
			{"from": "broker", "to": "carrier", "kind": "balance", "amount": "800.00", "method": "ach", "due_event": "signed_bol", "due_days": 15},
		}}).OK(t)
		o.ready(t, load)
		o.pay(t, load, "customer", "broker", "Wire 1")

		hauler := o.carrier(t, "Hauler")
		offer := o.offer(t, load, nil, hauler)[0]
		link := linkOf(offer)
		bidding := o.page(t, link)
		for _, secret := range []string{"GP-90210", "1 Main St", "B-4411", "L-77"} {
			require.NotContains(t, bidding, secret)
		}
		o.accept(t, link, nil).OK(t)
		require.Contains(t, o.page(t, link), "B-4411")
		dispatch, vehicle := o.dispatchOf(t, load), o.get(t, load).Get("vehicles.0.uuid").String()
		driving := o.driver(t, load)
		atGate := o.page(t, driving)
		for _, want := range []string{"GP-90210", "B-4411", "Mon-Fri 8-16:30", "tel:+12145550100", "Office behind lane 7", "1 Main St"} {
			require.Contains(t, atGate, want)
		}
		bill := o.billOf(t, load, vehicle)
		o.inspect(t, driving, vehicle, "pickup", nil)
		o.sign(t, driving, bill, "pickup", "Gate")

		o.post(t, load+"/charges", object{"kind": "storage", "description": "Three days", "quantity": "3.00", "unit_price": "25.00", "payee": "carrier"})
		l := o.get(t, load)
		require.Equal(t, []string{"1075.00", "875.00", "200.00", "75.00", "875.00"}, values(l, "tariff", "carrier_pay", "broker_fee", "customer_balance", "carrier_balance"))
		o.Eventually(t, func() bool { return o.get(t, dispatch).Get("revision").Int() == 2 }, "the dispatch follows")
		require.Equal(t, []string{"875.00", "1"}, values(o.get(t, dispatch), "carrier_pay", "accepted_revision"))
		seen := o.page(t, link)
		require.Contains(t, seen, "$875.00")
		o.by(t, link, "/confirm", object{"revision": 2, "name": "Bo Hauler", "accepted": true}).OK(t)
		require.Equal(t, int64(2), o.get(t, dispatch).Get("accepted_revision").Int())
		confirmation := o.paper(t, dispatch+"/rate_confirmation")
		for _, want := range []string{"Carrier pay in all $875.00", "Revision 2"} {
			require.Contains(t, confirmation, want)
		}

		o.inspect(t, driving, vehicle, "delivery", nil)
		o.sign(t, driving, bill, "delivery", "Cy Ray")
		l = o.get(t, load)
		require.JSONEq(t, `["1000.00", "875.00", "75.00"]`, l.Get("payment_plan.#.amount").Raw)
		o.post(t, load+"/payments", object{"line_uuid": l.Get("payment_plan.2.uuid").String(), "reference": "Wire 2"})
		o.pay(t, load, "broker", "carrier", "ACH 9")
		o.done(t, load)
		o.Eventually(t, func() bool { return o.get(t, dispatch).Get("state").String() == "delivered" }, "the dispatch follows")
		settled := o.post(t, dispatch+"/settle", object{})
		require.Equal(t, "875.00", settled.Get("carrier_pay").String())
		o.try(t, http.MethodPost, load+"/charges", object{"kind": "storage", "amount": "25.00", "payee": "carrier"}).Refused(t, http.StatusConflict, "dispatches.settled")
		record := o.get(t, load+"/transaction_record")
		require.Contains(t, record.Raw, "875.00")
		require.Contains(t, o.paper(t, load+"/transaction_record/pdf"), "Ann Lee")
	})
}
