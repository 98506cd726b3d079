package dispatches_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// written is a load for 900 that waits for a carrier, with a payment plan that people wrote: the customer has paid the broker by wire.
func (d desk) written(t *testing.T) string {
	t.Helper()
	load := d.ready(t)
	d.call(t, http.MethodPut, load+"/payment_plan", object{"payment_plan": []object{
		{"from": "customer", "to": "broker", "kind": "balance", "amount": "1100.00", "method": "wire", "due_event": "booking"},
		{"from": "broker", "to": "carrier", "kind": "balance", "amount": "900.00", "method": "ach", "due_event": "signed_bol", "due_days": 15},
	}}).OK(t)
	d.post(t, load+"/payments", object{"line_uuid": d.get(t, load).Get("payment_plan.0.uuid").String()}).OK(t)

	return load
}

func TestAccept_AtAnotherPayKeepsThePlanThatPeopleWrote(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load := d.written(t)
		sent := d.offers(t, load, object{"amount": "950.00"}, d.carrier(t, "Haul", 300))
		shown := d.ask(t, http.MethodGet, link(sent, "0"), nil).OK(t).Get("load")
		require.Equal(t, []string{`["950.00"]`, `["ach"]`, "950.00"}, []string{shown.Get("payment_plan.#.amount").Raw, shown.Get("payment_plan.#.method").Raw, shown.Get("carrier_pay").String()})
		agreed := d.yes(t, link(sent, "0"), nil).OK(t).Get("load")
		require.Equal(t, shown.Get("payment_plan").Raw, agreed.Get("payment_plan").Raw, "what was shown is what is agreed")
		row := d.get(t, load)
		require.JSONEq(t, `["1100.00", "950.00"]`, row.Get("payment_plan.#.amount").Raw)
		require.Equal(t, []string{"wire", "15", "0.00", ""}, []string{
			row.Get("payment_plan.0.method").String(), row.Get("payment_plan.1.due_days").String(), row.Get("customer_balance").String(), row.Get("plan_template").String(),
		})

		byHand := d.written(t)
		d.post(t, base+"/dispatches", object{"load_uuid": idOf(byHand), "carrier_uuid": d.carrier(t, "Tow", 300), "carrier_pay": "800.00"}).OK(t)
		require.JSONEq(t, `["1100.00", "800.00"]`, d.get(t, byHand).Get("payment_plan.#.amount").Raw)
	})
}

func TestAccept_IsRefusedWhereThePlanThatPeopleWroteCannotFollow(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load, hauler := d.ready(t), d.carrier(t, "Haul", 300)
		d.call(t, http.MethodPut, load+"/payment_plan", object{"payment_plan": []object{
			{"from": "customer", "to": "broker", "kind": "deposit", "amount": "200.00", "method": "check", "due_event": "booking"},
			{"from": "customer", "to": "carrier", "kind": "cod", "amount": "900.00", "method": "cash", "due_event": "delivery"},
		}}).OK(t)
		before := d.get(t, load).Get("payment_plan").Raw
		offered := object{"load_uuid": idOf(load), "carrier_uuids": []string{hauler}, "amount": "850.00"}
		sums := d.post(t, base+"/offers", offered).Refused(t, http.StatusConflict, "loads.plan_fixed")
		require.Equal(t, []string{"850.00", "900.00"}, []string{sums.Get("details.carrier_pay").String(), sums.Get("details.customer_to_carrier").String()})
		d.post(t, base+"/dispatches", object{"load_uuid": idOf(load), "carrier_uuid": hauler, "carrier_pay": "850.00"}).Refused(t, http.StatusConflict, "loads.plan_fixed")

		sent := d.offers(t, load, nil, hauler)
		d.ask(t, http.MethodPost, link(sent, "0")+"/counter", object{"shown": 1, "amount": "990.00"}).OK(t)
		one := base + "/offers/" + sent.Get("offers.0.offer.uuid").String()
		d.post(t, one+"/counter", object{"shown": 2, "amount": "800.00"}).Refused(t, http.StatusConflict, "loads.plan_fixed")
		d.post(t, one+"/counter", object{"shown": 2, "amount": "950.00"}).OK(t)
		require.JSONEq(t, `["900.00", "50.00"]`, d.ask(t, http.MethodGet, link(sent, "0"), nil).OK(t).Get("load.payment_plan.#.amount").Raw)
		require.JSONEq(t, before, d.get(t, load).Get("payment_plan").Raw, "nothing is agreed yet")
		d.yes(t, link(sent, "0"), nil).OK(t)
		require.JSONEq(t, `["200.00", "900.00", "50.00"]`, d.get(t, load).Get("payment_plan.#.amount").Raw)
	})
}

// What a carrier gets for storage and the like is part of its pay: no door gives it more than was agreed, by agreeing on less than that.
func TestPay_OfACarrierIsNotLessThanItsCharges(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load, hauler := d.ready(t), d.carrier(t, "Haul", 300)
		charge := func(load, amount string) {
			d.post(t, load+"/charges", object{"kind": "storage", "amount": amount, "payee": "carrier"}).OK(t)
		}
		charge(load, "75.00")
		less := object{"load_uuid": idOf(load), "carrier_uuid": hauler, "carrier_pay": "50.00"}
		refused := d.post(t, base+"/dispatches", less).Refused(t, http.StatusConflict, "loads.pay_below_charges")
		require.JSONEq(t, `{"carrier_pay": "50.00", "carrier_charges": "75.00"}`, refused.Get("details").Raw)
		d.post(t, base+"/offers", object{"load_uuid": idOf(load), "carrier_uuids": []string{hauler}, "amount": "50.00"}).Refused(t, http.StatusConflict, "loads.pay_below_charges")

		sent := d.offers(t, load, nil, hauler)
		one := base + "/offers/" + sent.Get("offers.0.offer.uuid").String()
		d.ask(t, http.MethodPost, link(sent, "0")+"/counter", object{"shown": 1, "amount": "70.00"}).OK(t)
		d.post(t, one+"/accept", object{"shown": 2}).Refused(t, http.StatusConflict, "loads.pay_below_charges")
		d.post(t, one+"/counter", object{"shown": 2, "amount": "60.00"}).Refused(t, http.StatusConflict, "loads.pay_below_charges")
		d.post(t, one+"/counter", object{"shown": 2, "amount": "80.00"}).OK(t)
		charge(load, "10.00")
		shown := d.ask(t, http.MethodGet, link(sent, "0"), nil).OK(t)
		answer := object{"shown": shown.Get("offer.shown").Int(), "shown_key": shown.Get("offer.shown_key").String(), "name": "Joe", "accepted": true}
		d.ask(t, http.MethodPost, link(sent, "0")+"/accept", answer).Refused(t, http.StatusConflict, "dispatches.not_now")
		require.Equal(t, "ready", d.get(t, load).Get("state").String())
	})
}

func TestCreateDispatch_NamesWhatTheCarrierGets(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load, body := d.ready(t), object{"carrier_uuid": d.carrier(t, "Haul", 300)}
		body["load_uuid"] = idOf(load)
		unnamed := d.post(t, base+"/dispatches", body).Refused(t, http.StatusUnprocessableEntity, "dispatches.invalid_dispatch")
		require.Contains(t, unnamed.Get("errors.carrier_pay.0").String(), "If-Match")
		with := func(tag string) moduletest.Response {
			return d.Call(t, d.Owner.Token, http.MethodPost, base+"/dispatches", body, "If-Match", tag)
		}
		tag := d.call(t, http.MethodGet, load, nil).OK(t).Header.Get("ETag")
		with("*").Refused(t, http.StatusUnprocessableEntity, "dispatches.invalid_dispatch")
		d.call(t, http.MethodPut, load+"/price", object{"carrier_pay": "950.00"}).OK(t)
		with(tag).Refused(t, http.StatusPreconditionFailed, "web.stale")
		made := with(d.call(t, http.MethodGet, load, nil).OK(t).Header.Get("ETag")).OK(t)
		require.Equal(t, "950.00", made.Get("carrier_pay").String())

		own := d.ready(t)
		d.call(t, http.MethodPatch, own, object{"company_role": "carrier"}).OK(t)
		body["load_uuid"], body["carrier_pay"] = idOf(own), "900.00"
		refused := d.post(t, base+"/dispatches", body).Refused(t, http.StatusUnprocessableEntity, "dispatches.invalid_dispatch")
		require.Contains(t, refused.Get("errors.load_uuid.0").String(), "carries this load itself")
	})
}
