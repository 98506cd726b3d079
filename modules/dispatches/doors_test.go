package dispatches_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/clock"
)

// clerk is a token for offers and dispatches that sees no prices.
func (d desk) clerk(t *testing.T) string {
	t.Helper()

	return d.Token(t, d.Owner, "dispatches:read", "dispatches:write", "dispatches:offer", "loads:read", "loads:write", "carriers:read")
}

func TestPay_RequiresTheScopeForMarginsByEveryDoor(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		clerk, load := d.clerk(t), d.ready(t)
		sent := d.offers(t, load, nil, d.carrier(t, "Haul", 300))
		one := base + "/offers/" + sent.Get("offers.0.offer.uuid").String()
		d.ask(t, http.MethodPost, link(sent, "0")+"/counter", object{"shown": 1, "amount": "990.00"}).OK(t)
		d.Call(t, clerk, http.MethodPost, one+"/counter", object{"shown": 2, "amount": "950.00"}).Refused(t, http.StatusForbidden, "web.scope_missing")
		countered := d.Call(t, clerk, http.MethodPost, one+"/counter", object{"shown": 2, "pickup_date": day(4)}).OK(t)
		require.False(t, countered.Get("amount").Exists(), "%s", countered.Body)
		require.Equal(t, "990.00", d.get(t, one).Get("amount").String(), "days are no price")

		_, at, _ := d.given(t, 1)
		d.post(t, at+"/cancel", object{"reason": "breakdown"}).OK(t)
		d.Call(t, clerk, http.MethodPut, at+"/end_pay", object{"amount": "150.00"}).Refused(t, http.StatusForbidden, "web.scope_missing")
		d.call(t, http.MethodPut, at+"/end_pay", object{"amount": "150.00"}).OK(t)
	})
}

func TestRefusals_ShowAmountsToThoseWhoSeePrices(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		clerk := d.clerk(t)
		load, at, _ := d.given(t, 2)
		car := d.get(t, load).Get("vehicles.1.uuid").String()
		d.call(t, http.MethodPut, load+"/payment_plan", object{"payment_plan": []object{
			{"from": "customer", "to": "broker", "kind": "deposit", "amount": "400.00", "method": "check", "due_event": "booking"},
			{"from": "customer", "to": "carrier", "kind": "cod", "amount": "1800.00", "method": "cash", "due_event": "delivery"},
		}}).OK(t)
		hidden := d.Call(t, clerk, http.MethodPost, load+"/vehicles/"+car+"/remove", object{"reason": "It was sold"})
		require.GreaterOrEqual(t, hidden.Status, 400, "%s", hidden.Body)
		for _, amount := range []string{"1800.00", "900.00", "400.00", "2200.00"} {
			require.NotContains(t, string(hidden.Body), amount)
		}
		d.post(t, load+"/payment_plan/propose", object{"template": "full_pay"}).OK(t)
		d.post(t, at+"/pick_up", object{}).OK(t)
		d.post(t, at+"/deliver", object{}).OK(t)
		d.post(t, at+"/settle", nil).OK(t)
		settled := d.Call(t, clerk, http.MethodPost, load+"/vehicles/"+car+"/remove", object{"reason": "It was sold"})
		require.NotContains(t, string(settled.Body), "1,800.00")
		require.NotContains(t, string(settled.Body), "1800.00")
	})
}

func TestCounter_ThatReachesNobodySaysSo(t *testing.T) {
	t.Parallel()
	eachMailing(t, func(t *testing.T, d desk, _ *mailbox) {
		hauler := d.carrier(t, "Haul", 300)
		sent := d.offers(t, d.ready(t), object{"channels": []string{"email"}}, hauler)
		one := base + "/offers/" + sent.Get("offers.0.offer.uuid").String()
		d.ask(t, http.MethodPost, link(sent, "0")+"/counter", object{"shown": 1, "amount": "990.00"}).OK(t)
		d.call(t, http.MethodPatch, "/carriers/api/v1/carriers/"+hauler, object{"email": nil}).OK(t)
		countered := d.post(t, one+"/counter", object{"shown": 2, "amount": "950.00"}).OK(t)
		require.Equal(t, "950.00", countered.Get("amount").String(), "it counts: the carrier sees it by its link")
		require.Equal(t, "notify.no_channel", countered.Get("warnings.0.code").String(), "%s", countered.Body)
		require.Contains(t, countered.Get("warnings.0.message").String(), "no address")
	})
}

func TestReminder_OfALoadNamesTheChannelsThatDoNotReachTheCarrier(t *testing.T) {
	t.Parallel()
	eachMailing(t, func(t *testing.T, d desk, _ *mailbox) {
		_, at, _ := d.given(t, 1)
		reminded := d.post(t, at+"/remind", object{}).OK(t)
		require.Equal(t, []string{`["sms"]`, "1"}, []string{reminded.Get("unreached").Raw, reminded.Get("dispatch.reminders").Raw}, "%s", reminded.Body)
		require.Contains(t, reminded.Get("unreached_reasons.sms").String(), "no area that sends")

		_, other, _ := d.given(t, 1)
		d.call(t, http.MethodPatch, "/carriers/api/v1/carriers/"+d.get(t, other).Get("carrier_uuid").String(), object{"email": nil}).OK(t)
		missed := d.post(t, other+"/remind", object{}).OK(t)
		require.Equal(t, []string{`["email","sms"]`, "0"}, []string{missed.Get("unreached").Raw, missed.Get("dispatch.reminders").Raw})
		require.Contains(t, missed.Get("unreached_reasons.email").String(), "no address")
	})
}

func TestSequence_PassesOverACarrierThatCannotBeReachedAtItsTurn(t *testing.T) {
	t.Parallel()
	onClock(t, func(t *testing.T, d desk, _ *clock.Fake, _ func()) {
		first, gone, last := d.carrier(t, "B1", 300), d.carrier(t, "B2", 300), d.carrier(t, "B3", 300)
		sent := d.offers(t, d.ready(t), object{"mode": "sequential", "channels": []string{"email"}}, first, gone, last)
		d.call(t, http.MethodPatch, "/carriers/api/v1/carriers/"+gone, object{"email": nil}).OK(t)
		d.ask(t, http.MethodPost, link(sent, "0")+"/decline", object{"shown": 1}).OK(t)
		over := d.offer(t, sent, "1")
		require.Equal(t, []string{"withdrawn", "offered"}, []string{over.Get("state").String(), d.offer(t, sent, "2").Get("state").String()})
		require.Contains(t, over.Get("end_reason").String(), "No channel reaches the carrier: email: The carrier has no address")
	})
}

func TestMerge_IntoABannedCarrierEndsItsOffers(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		banned, twin := d.carrier(t, "Ban", 300), d.carrier(t, "Twin", 300)
		load := d.ready(t)
		sent := d.offers(t, load, nil, twin)
		d.post(t, "/carriers/api/v1/carriers/"+banned+"/ban", object{"reason": "Fraud"}).OK(t)
		d.post(t, "/carriers/api/v1/carriers/merge", object{"into": banned, "from": []string{twin}}).OK(t)
		d.Eventually(t, func() bool { return d.offer(t, sent, "0").Get("state").String() == "withdrawn" }, "the offer ends")
		require.Contains(t, d.offer(t, sent, "0").Get("end_reason").String(), "do not use")
		d.yes(t, link(sent, "0"), nil).Refused(t, http.StatusConflict, "dispatches.not_open")
		require.Equal(t, "ready", d.get(t, load).Get("state").String())
	})
}
