package dispatches_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// storage adds 75 for storage, which the carrier gets.
func (d desk) storage(t *testing.T, load string) {
	t.Helper()
	d.call(t, http.MethodPut, load+"/charges", object{"charges": []object{{"kind": "storage", "amount": "75.00", "payee": "carrier"}}}).OK(t)
}

func TestDispatch_FollowsThePayAfterThePickupAndTheDelivery(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load, at, page := d.given(t, 1)
		d.post(t, at+"/pick_up", object{}).OK(t)
		d.storage(t, load)
		d.Eventually(t, func() bool { return d.get(t, at).Get("carrier_pay").String() == "975.00" }, "storage arises on the way")
		row := d.get(t, at)
		require.Equal(t, []int64{2, 1}, []int64{row.Get("revision").Int(), row.Get("accepted_revision").Int()})
		shown := d.ask(t, http.MethodGet, page, nil).OK(t)
		require.Equal(t, []string{"975.00", "975.00"}, []string{shown.Get("dispatch.carrier_pay").String(), shown.Get("load.carrier_pay").String()})
		d.ask(t, http.MethodPost, page+"/confirm", object{"revision": 2, "name": "Bo", "accepted": true}).OK(t)
		require.Equal(t, "975.00", d.get(t, at).Get("accepted_pay").String())

		d.post(t, at+"/deliver", object{}).OK(t)
		d.call(t, http.MethodPut, load+"/price", object{"carrier_pay": "940.00"}).OK(t)
		d.Eventually(t, func() bool { return d.get(t, at).Get("revision").Int() == 3 }, "and after the delivery")
		require.Contains(t, string(d.Call(t, "", http.MethodGet, page, nil, "Accept", "text/html").OK(t).Body), "Accept the new terms")
		d.call(t, http.MethodPut, load+"/price", object{"carrier_pay": "950.00"}).OK(t)
		settled := d.post(t, at+"/settle", nil).OK(t)
		require.Equal(t, d.get(t, load).Get("carrier_pay").String(), settled.Get("carrier_pay").String(), "what is settled is what the load pays, followed yet or not")
		final := d.call(t, http.MethodPut, load+"/price", object{"carrier_pay": "900.00"}).Refused(t, http.StatusConflict, "dispatches.settled")
		require.Equal(t, settled.Get("carrier_pay").String(), final.Get("details.carrier_pay").String())
		d.call(t, http.MethodPatch, load, object{"team": "East"}).OK(t)
	})
}

func TestPickup_AsksForALowerPayToBeConfirmed(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load, at, page := d.given(t, 1)
		d.call(t, http.MethodPut, load+"/price", object{"carrier_pay": "700.00"}).OK(t)
		refused := d.post(t, load+"/pick_up", object{}).Refused(t, http.StatusConflict, "dispatches.terms_unconfirmed")
		require.Equal(t, idOf(at), refused.Get("details.dispatch_uuid").String())
		car := load + "/vehicles/" + d.get(t, load).Get("vehicles.0.uuid").String() + "/pick_up"
		d.post(t, car, object{}).Refused(t, http.StatusConflict, "dispatches.terms_unconfirmed")
		for _, verb := range []string{"/pick_up", "/deliver"} {
			d.post(t, at+verb, object{"note": " "}).Refused(t, http.StatusConflict, "dispatches.terms_unconfirmed")
		}
		d.Eventually(t, func() bool { return d.get(t, at).Get("revision").Int() == 2 }, "the pay is cut")
		d.ask(t, http.MethodPost, page+"/confirm", object{"revision": 2, "name": "Bo", "accepted": true}).OK(t)
		d.post(t, car, object{}).OK(t)

		other, given, _ := d.given(t, 1)
		d.call(t, http.MethodPut, other+"/price", object{"carrier_pay": "700.00"}).OK(t)
		d.post(t, given+"/pick_up", object{"note": "Bo agreed on the phone"}).OK(t)
		require.Equal(t, "picked_up", d.get(t, other).Get("state").String())
	})
}

func TestDispatch_FollowsVehiclesThatAreRemovedOrSplitOff(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load, at, _ := d.given(t, 3)
		car := func(n string) string { return d.get(t, load).Get("vehicles." + n + ".uuid").String() }
		d.post(t, load+"/vehicles/"+car("0")+"/remove", object{"reason": "It was sold"}).OK(t)
		d.Eventually(t, func() bool { return d.get(t, at).Get("carrier_pay").String() == "1800.00" }, "one car less")
		d.post(t, load+"/split", object{"vehicle_uuids": []string{car("1")}, "reason": "No room"}).OK(t)
		d.Eventually(t, func() bool { return d.get(t, at).Get("carrier_pay").String() == "900.00" }, "and another one")
	})
}

// Whichever is picked up and delivered, the dispatch or the load, whose event has yet to arrive.
func TestDispatch_KeepsTheDayOfWhatIsDone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		for _, door := range []string{"dispatch", "load"} {
			load := d.ready(t)
			at := d.post(t, base+"/dispatches", object{"load_uuid": idOf(load), "carrier_pay": "900.00", "carrier_uuid": d.carrier(t, "Haul", 300), "pickup_date": day(3), "delivery_date": day(5)}).OK(t).Header.Get("Location")
			by := map[string]string{"dispatch": at, "load": load}[door]
			d.call(t, http.MethodPatch, at, object{"pickup_date": day(4)}).OK(t)
			d.post(t, by+"/pick_up", object{}).OK(t)
			refused := d.call(t, http.MethodPatch, at, object{"pickup_date": day(3)}).Refused(t, http.StatusConflict, "dispatches.day_passed")
			require.Equal(t, "pickup_date", refused.Get("details.field").String(), door)
			d.call(t, http.MethodPatch, at, object{"delivery_date": day(6), "pickup_date": day(4)}).OK(t)
			d.post(t, by+"/deliver", object{}).OK(t)
			refused = d.call(t, http.MethodPatch, at, object{"delivery_date": day(7)}).Refused(t, http.StatusConflict, "dispatches.day_passed")
			require.Equal(t, "delivery_date", refused.Get("details.field").String(), door)
		}
	})
}

func TestRevision_IsWrittenToTheCarrierOnce(t *testing.T) {
	t.Parallel()
	eachMailing(t, func(t *testing.T, d desk, box *mailbox) {
		load := d.ready(t)
		at := d.post(t, base+"/dispatches", object{"load_uuid": idOf(load), "carrier_pay": d.payOf(t, idOf(load)), "carrier_uuid": d.carrier(t, "Haul", 300)}).OK(t).Header.Get("Location")
		require.Empty(t, box.last("haul@example.com"))
		d.call(t, http.MethodPut, load+"/price", object{"carrier_pay": "700.00"}).OK(t)
		d.Eventually(t, func() bool { return d.get(t, at).Get("notified_at").String() != "" }, "the carrier is written to")
		require.Equal(t, int64(2), d.get(t, at).Get("notified_revision").Int())
		text := box.last("haul@example.com")
		require.Contains(t, text, "$700.00")
		_, path, found := strings.Cut(text, "https://dispatch.example")
		require.True(t, found)
		d.ask(t, http.MethodPost, path+"/confirm", object{"revision": 2, "name": "Bo", "accepted": true}).OK(t)
		d.call(t, http.MethodPatch, at, object{"notes": "Ours alone"}).OK(t)
		require.Equal(t, []int64{2, 2}, []int64{d.get(t, at).Get("notified_revision").Int(), d.get(t, at).Get("accepted_revision").Int()})
	})
}
