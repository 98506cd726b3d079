package loads_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/modules/collections"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// line is a line of a payment plan.
func line(from, to, kind, amount, method, event string) object {
	return object{"from": from, "to": to, "kind": kind, "amount": amount, "method": method, "due_event": event}
}

// written has a payment plan be one that people wrote.
func (o office) written(t *testing.T, path string, lines ...object) {
	t.Helper()
	o.call(t, http.MethodPut, path+"/payment_plan", object{"payment_plan": lines}).OK(t)
}

// byWire is the plan of a customer that pays the broker, who pays the carrier.
func byWire() []object {
	pays := line("broker", "carrier", "balance", "900.00", "ach", "signed_bol")
	pays["due_days"] = 15

	return []object{line("customer", "broker", "balance", "1100.00", "wire", "booking"), pays}
}

func TestPlan_ThatPeopleWroteStaysWhenTheCarrierGetsAnotherPay(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(car("1100.00", "900.00")))
		o.written(t, path, byWire()...)
		o.post(t, path+"/payments", object{"line_uuid": o.get(t, path).Get("payment_plan.0.uuid").String()}).OK(t)
		row := o.call(t, http.MethodPut, path+"/price", object{"carrier_pay": "950.00"}).OK(t)
		require.JSONEq(t, `["1100.00", "950.00"]`, row.Get("payment_plan.#.amount").Raw)
		require.Equal(t, []string{"wire", "ach", "15", ""}, []string{
			row.Get("payment_plan.0.method").String(), row.Get("payment_plan.1.method").String(), row.Get("payment_plan.1.due_days").String(), row.Get("plan_template").String(),
		})
		row = o.call(t, http.MethodPut, path+"/price", object{"carrier_pay": "700.00"}).OK(t)
		require.JSONEq(t, `["1100.00", "700.00"]`, row.Get("payment_plan.#.amount").Raw)

		direct := o.made(t, o.sold(car("1100.00", "900.00")))
		o.written(t, direct, line("customer", "broker", "deposit", "200.00", "check", "booking"), line("customer", "carrier", "cod", "900.00", "cash", "delivery"))
		row = o.call(t, http.MethodPut, direct+"/price", object{"carrier_pay": "980.00"}).OK(t)
		require.JSONEq(t, `["200.00", "900.00", "80.00"]`, row.Get("payment_plan.#.amount").Raw, "the broker adds what is missing")
		require.Equal(t, "topup", row.Get("payment_plan.2.kind").String())
		row = o.call(t, http.MethodPut, direct+"/price", object{"carrier_pay": "900.00"}).OK(t)
		require.JSONEq(t, `["200.00", "900.00"]`, row.Get("payment_plan.#.amount").Raw)
		fixed := o.call(t, http.MethodPut, direct+"/price", object{"carrier_pay": "850.00"}).Refused(t, http.StatusConflict, "loads.plan_fixed")
		require.JSONEq(t, `{"tariff": "1100.00", "carrier_pay": "850.00", "customer_to_broker": "200.00", "customer_to_carrier": "900.00", "broker_to_carrier": "0.00", "carrier_to_broker": "0.00"}`,
			fixed.Get("details").Raw)

		remitted := o.made(t, o.sold(car("1100.00", "900.00")))
		o.written(t, remitted, line("customer", "carrier", "cod", "1100.00", "cash", "delivery"), line("carrier", "broker", "fee_remittance", "200.00", "zelle", "delivery"))
		require.JSONEq(t, `["1100.00", "250.00"]`, o.call(t, http.MethodPut, remitted+"/price", object{"carrier_pay": "850.00"}).OK(t).Get("payment_plan.#.amount").Raw)
		require.JSONEq(t, `["1100.00", "50.00"]`, o.call(t, http.MethodPut, remitted+"/price", object{"carrier_pay": "1050.00"}).OK(t).Get("payment_plan.#.amount").Raw)
		require.JSONEq(t, `["1100.00", "20.00"]`, o.call(t, http.MethodPut, remitted+"/price", object{"carrier_pay": "1120.00"}).OK(t).Get("payment_plan.#.amount").Raw)
	})
}

func TestPrice_OfACarrierIsNotLessThanItsCharges(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(car("1100.00", "900.00")))
		o.post(t, path+"/charges", object{"kind": "storage", "amount": "75.00", "payee": "carrier"}).OK(t)
		refused := o.call(t, http.MethodPut, path+"/price", object{"carrier_pay": "50.00"}).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		require.Contains(t, refused.Get("errors.carrier_pay.0").String(), "75.00")
		require.Equal(t, "975.00", o.get(t, path).Get("carrier_pay").String())
		require.Equal(t, "75.00", o.call(t, http.MethodPut, path+"/price", object{"carrier_pay": "75.00"}).OK(t).Get("carrier_pay").String())
	})
}

func TestCover_NamesWhatTheCarrierGets(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path, hauler := o.made(t, o.sold(car("1100.00", "900.00"))), o.carrier(t, 300)
		o.step(t, path, "book", "clear")
		tag := o.call(t, http.MethodGet, path, nil).OK(t).Header.Get("ETag")
		cover := func(pay string, headers ...string) moduletest.Response {
			body := object{"carrier_uuid": hauler}
			if pay != "" {
				body["carrier_pay"] = pay
			}

			return o.Call(t, o.Owner.Token, http.MethodPost, path+"/cover", body, headers...)
		}
		unnamed := cover("").Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		require.Contains(t, unnamed.Get("errors.carrier_pay.0").String(), "If-Match")
		o.call(t, http.MethodPut, path+"/price", object{"carrier_pay": "950.00"}).OK(t)
		differs := cover("900.00").Refused(t, http.StatusConflict, "loads.pay_differs")
		require.Equal(t, "950.00", differs.Get("details.carrier_pay").String())
		cover("", "If-Match", tag).Refused(t, http.StatusPreconditionFailed, "web.stale")
		require.Equal(t, "ready", o.get(t, path).Get("state").String())
		require.Equal(t, "950.00", cover("950.00").OK(t).Get("carrier_pay").String())
	})
}

// Going back to an earlier version keeps the payment plan that people wrote since, and what was paid of it.
func TestRevert_KeepsThePlanThatPeopleWrote(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, append(areas(), collections.Module), func(t *testing.T, a *moduletest.App) {
		o := office{App: a}
		o.customer = o.post(t, "/contacts/api/v1/contacts", object{"name": "Ann Lee"}).OK(t).Get("uuid").String()
		path := o.made(t, o.sold(car("1100.00", "900.00")))
		o.post(t, path+"/payment_plan/propose", object{"template": "deposit_cod"}).OK(t)
		o.written(t, path, line("customer", "carrier", "cod", "1100.00", "cash", "delivery"), line("carrier", "broker", "fee_remittance", "200.00", "zelle", "delivery"))
		cash := o.get(t, path)
		o.written(t, path, byWire()...)
		agreed := o.call(t, http.MethodPatch, path, object{"team": "East"}).OK(t)
		rows := "/collections/api/v1/collections/loads.load/items/" + agreed.Get("uuid").String()
		for _, version := range []int{1, 2} { // without a plan, and with that of the template
			o.post(t, rows+"/revert", object{"version": version}).OK(t)
			row := o.get(t, path)
			require.JSONEq(t, agreed.Get("payment_plan").Raw, row.Get("payment_plan").Raw)
			require.Empty(t, row.Get("plan_template").String()+row.Get("team").String())
			o.call(t, http.MethodPatch, path, object{"team": "East"}).OK(t)
		}
		back := object{"version": cash.Get("version").Int()}
		o.post(t, rows+"/revert", back).OK(t) // what people wrote earlier is theirs too
		require.JSONEq(t, cash.Get("payment_plan").Raw, o.get(t, path).Get("payment_plan").Raw)
		o.post(t, rows+"/revert", object{"version": agreed.Get("version").Int()}).OK(t)
		o.post(t, path+"/payments", object{"line_uuid": agreed.Get("payment_plan.0.uuid").String()}).OK(t)
		refused := o.post(t, rows+"/revert", back).Refused(t, http.StatusConflict, "loads.line_paid")
		require.Equal(t, "1100.00", refused.Get("details.paid").String())
		require.Equal(t, []string{"paid", "0.00", "900.00"}, o.owed(t, path))
	})
}

func TestPlan_KeepsWhatWasPaidWhoeverChangesIt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(car("1100.00", "900.00")))
		deposit := o.post(t, path+"/payment_plan/propose", object{"template": "deposit_cod"}).OK(t).Get("payment_plan.0.uuid").String()
		o.post(t, path+"/payments", object{"line_uuid": deposit}).OK(t)
		for _, template := range []string{"carrier_pays_broker", "full_pay", "account"} {
			refused := o.post(t, path+"/payment_plan/propose", object{"template": template}).Refused(t, http.StatusConflict, "loads.line_paid")
			require.Equal(t, []string{deposit, "200.00"}, []string{refused.Get("details.line_uuid").String(), refused.Get("details.paid").String()}, template)
		}
		row := o.post(t, path+"/payment_plan/propose", object{"template": "deposit_cod"}).OK(t)
		require.Equal(t, deposit, row.Get("payment_plan.0.uuid").String())
		o.post(t, path+"/payments", object{"line_uuid": deposit}).Refused(t, http.StatusConflict, "loads.paid_already")

		row = o.call(t, http.MethodPut, path+"/price", object{"carrier_pay": "950.00"}).OK(t)
		require.JSONEq(t, `["200.00", "900.00", "50.00"]`, row.Get("payment_plan.#.amount").Raw, "the customer pays what it pays")
		row = o.call(t, http.MethodPut, path+"/price", object{"carrier_pay": "800.00"}).OK(t)
		require.JSONEq(t, `["deposit", "cod", "fee_remittance"]`, row.Get("payment_plan.#.kind").Raw)
		require.JSONEq(t, `["200.00", "900.00", "100.00"]`, row.Get("payment_plan.#.amount").Raw)
		again := o.call(t, http.MethodPatch, path, object{"team": "East"}).OK(t)
		require.JSONEq(t, row.Get("payment_plan").Raw, again.Get("payment_plan").Raw)
		row = o.call(t, http.MethodPut, path+"/price", object{"tariff": "1000.00", "carrier_pay": "900.00"}).OK(t)
		require.JSONEq(t, `["200.00", "800.00", "100.00"]`, row.Get("payment_plan.#.amount").Raw, "no less than what was paid")
	})
}

func TestMerge_KeepsThePlansThatPeopleWrote(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		first, second := o.made(t, o.sold(car("1100.00", "900.00"))), o.made(t, o.sold(car("1100.00", "900.00")))
		o.written(t, first, byWire()...)
		o.post(t, second+"/payment_plan/propose", object{"template": "deposit_cod"}).OK(t)
		o.post(t, second+"/payments", object{"line_uuid": o.get(t, second).Get("payment_plan.0.uuid").String()}).OK(t)
		o.step(t, first, "book")
		o.step(t, second, "book")
		one := o.post(t, base+"/loads/merge", object{"load_uuids": []string{o.get(t, first).Get("uuid").String(), o.get(t, second).Get("uuid").String()}}).OK(t)
		require.JSONEq(t, `["1100.00", "900.00", "200.00", "900.00"]`, one.Get("payment_plan.#.amount").Raw)
		require.Equal(t, one.Get("payment_plan.2.uuid").String(), one.Get("payments.0.line_uuid").String())
		require.Equal(t, []string{"part", "2000.00", "1800.00"}, o.owed(t, first))

		third := o.made(t, o.sold(car("1100.00", "900.00")))
		o.step(t, third, "book")
		refused := o.post(t, base+"/loads/merge", object{"load_uuids": []string{o.get(t, third).Get("uuid").String(), o.get(t, first).Get("uuid").String()}})
		require.Contains(t, refused.Refused(t, http.StatusConflict, "loads.not_mergeable").Get("details.why").String(), "written by hand")
	})
}

func TestCharge_IsAddedToThoseThatAreThere(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(car("1100.00", "900.00")))
		o.written(t, path, byWire()...)
		o.post(t, path+"/payments", object{"line_uuid": o.get(t, path).Get("payment_plan.0.uuid").String()}).OK(t)
		var wait sync.WaitGroup
		for _, kind := range []string{"storage", "detention", "dry_run"} {
			wait.Go(func() { o.post(t, path+"/charges", object{"kind": kind, "amount": "75.00", "payee": "carrier"}) })
		}
		wait.Wait()
		row := o.get(t, path)
		require.Equal(t, []string{"3", "1325.00", "1125.00"}, []string{row.Get("charges.#").Raw, row.Get("tariff").String(), row.Get("carrier_pay").String()}, "none is lost")
		require.JSONEq(t, `["1100.00", "1125.00", "225.00"]`, row.Get("payment_plan.#.amount").Raw, "what was agreed and paid stays")
		require.Equal(t, []string{"customer", "broker", "balance", "wire"}, []string{
			row.Get("payment_plan.2.from").String(), row.Get("payment_plan.2.to").String(), row.Get("payment_plan.2.kind").String(), row.Get("payment_plan.2.method").String(),
		})
		row = *at(o.post(t, path+"/charges", object{"kind": "tonu", "amount": "50.00", "payer": "broker", "payee": "carrier"}).OK(t))
		require.JSONEq(t, `["1100.00", "1175.00", "225.00"]`, row.Get("payment_plan.#.amount").Raw, "the broker pays it")
		row = *at(o.post(t, path+"/charges", object{"kind": "discount", "amount": "200.00"}).OK(t))
		require.JSONEq(t, `["1100.00", "1175.00", "25.00"]`, row.Get("payment_plan.#.amount").Raw)
		refused := o.post(t, path+"/charges", object{"kind": "discount", "amount": "100.00"}).Refused(t, http.StatusConflict, "loads.plan_fixed")
		require.Equal(t, "1125.00", refused.Get("details.customer_to_broker").String())
		o.post(t, path+"/charges", object{"kind": "storage"}).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")

		follows := o.made(t, o.sold(car("1100.00", "900.00")))
		o.post(t, follows+"/payment_plan/propose", object{"template": "full_pay"}).OK(t)
		require.JSONEq(t, `["1175.00", "900.00"]`, o.post(t, follows+"/charges", object{"kind": "fuel", "amount": "75.00"}).OK(t).Get("payment_plan.#.amount").Raw)
	})
}

// at is the body of a response.
func at(r moduletest.Response) *gjson.Result {
	body := gjson.ParseBytes(r.Body)

	return &body
}

func TestSplit_IsReadyByItselfWhereThatTakesAPlan(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		o.call(t, http.MethodPatch, base+"/settings", object{"required_for_ready": []string{"payment_plan", "deposit"}}).OK(t)
		path := o.made(t, o.sold(car("600.00", "400.00"), car("500.00", "400.00")))
		deposit := o.post(t, path+"/payment_plan/propose", object{"template": "deposit_cod"}).OK(t).Get("payment_plan.0.uuid").String()
		o.step(t, path, "book")
		o.post(t, path+"/payments", object{"line_uuid": deposit}).OK(t)
		both := o.post(t, path+"/split", object{"vehicle_uuids": []string{o.get(t, path).Get("vehicles.1.uuid").String()}, "reason": "No room"}).OK(t)
		require.Equal(t, []string{"ready", "ready"}, []string{both.Get("load.state").String(), both.Get("new_load.state").String()})
	})
}
