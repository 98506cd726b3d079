package walks_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// Carriers are asked one after the other. The one that accepts gives the load back, is paid for a truck that was not used, and is not asked again.
func TestSequence_GivesACanceledLoadToTheNext(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		load := o.load(t, object{
			"customer_uuid": o.contact(t, "Ann Lee", nil), "available_from": day(1),
			"stops": []object{
				{"kind": "pickup", "venue": object{"postal_code": "75201", "line1": "1 Main St"}, "contacts": []object{{"name": "Ann Lee"}}},
				{"kind": "delivery", "venue": object{"postal_code": "33101"}, "contacts": []object{{"name": "Cy Ray"}}},
			},
			"vehicles": []object{{"vin": "1HGCM82633A004352", "tariff": "1100.00", "carrier_pay": "900.00"}},
		})
		o.post(t, load+"/payment_plan/propose", object{"template": "full_pay"})
		o.ready(t, load)
		far, late, sure := o.carrier(t, "Far"), o.carrier(t, "Late"), o.carrier(t, "Sure")
		inTurn := object{"mode": "sequential", "channels": []string{}}
		asked := o.offer(t, load, inTurn, far, late, sure)
		stateOf := func(n int) string { return o.get(t, offerPath(asked[n])).Get("state").String() }
		shareOf := func(n int) string { return o.post(t, offerPath(asked[n])+"/shares", object{}).Get("url").String() }
		require.Equal(t, []string{"offered", "queued", "queued"}, []string{stateOf(0), stateOf(1), stateOf(2)})
		o.by(t, linkOf(asked[0]), "/decline", object{"shown": 1, "note": "Too far"}).OK(t)
		o.Eventually(t, func() bool { return stateOf(1) == "offered" }, "the next one is asked")
		second := shareOf(1)
		o.accept(t, second, nil).OK(t)
		require.Equal(t, "superseded", stateOf(2))
		dispatch, vehicle := o.dispatchOf(t, load), o.get(t, load).Get("vehicles.0.uuid").String()
		void, driving := o.billOf(t, load, vehicle), o.driver(t, load)

		o.by(t, second, "/cancel", object{"reason": "no_capacity", "note": "No truck"}).OK(t)
		require.Equal(t, []string{"ready", ""}, values(o.get(t, load), "state", "carrier_uuid"))
		require.NotContains(t, o.page(t, second), "1 Main St")
		o.by(t, second, "/rate_confirmation", nil).Refused(t, http.StatusConflict, "dispatches.no_load")
		o.Eventually(t, func() bool { return o.get(t, void).Get("state").String() == "void" }, "it can no longer be signed")
		o.Eventually(t, func() bool { return o.by(t, driving, "", nil).Status == http.StatusNotFound }, "nor does the driver's link lead anywhere")
		o.try(t, http.MethodPut, dispatch+"/end_pay", object{"amount": "150.00", "paid": true}).OK(t)

		again := o.post(t, offers, object{"load_uuid": idOf(load), "carrier_uuids": []string{late, far, sure}, "mode": "sequential", "channels": []string{}, "pickup_date": day(3), "delivery_date": day(6)})
		require.Equal(t, []string{"dispatches.bounced", late}, []string{again.Get("refused.0.code").String(), again.Get("refused.0.carrier_uuid").String()})
		asked = again.Get("offers").Array()
		require.Equal(t, []string{"offered", "queued"}, []string{stateOf(0), stateOf(1)})
		o.by(t, linkOf(asked[0]), "/decline", object{"shown": 1}).OK(t)
		o.Eventually(t, func() bool { return stateOf(1) == "offered" }, "the next one is asked")
		third := shareOf(1)
		o.accept(t, third, nil).OK(t)
		next := o.dispatchOf(t, load)
		require.NotEqual(t, dispatch, next)
		require.Equal(t, idOf(dispatch), o.get(t, next).Get("bounce_of_uuid").String())

		bill, link := o.billOf(t, load, vehicle), o.driver(t, load)
		require.NotEqual(t, void, bill)
		for _, at := range []struct{ stage, other string }{{"pickup", "Ann Lee"}, {"delivery", "Cy Ray"}} {
			o.inspect(t, link, vehicle, at.stage, nil)
			o.sign(t, link, bill, at.stage, at.other)
		}
		o.pay(t, load, "customer", "broker", "Check 1007")
		o.pay(t, load, "broker", "carrier", "ACH 7")
		l := o.done(t, load)
		require.Equal(t, []string{"1100.00", "900.00", "200.00", sure}, values(l, "tariff", "carrier_pay", "broker_fee", "carrier_uuid"))
		require.Equal(t, []string{"150.00", "tonu", "cancelled_by_carrier"}, values(o.get(t, dispatch), "end_pay", "end_pay_kind", "state"))
		record := o.get(t, load+"/transaction_record")
		require.Equal(t, "Sure", record.Get("originating_carrier.name").String(), "who had the cars first, not who promised to")
		require.Equal(t, int64(1), o.get(t, "/dispatches/api/v1/scorecards/"+late).Get("ever.given_back").Int())
	})
}
