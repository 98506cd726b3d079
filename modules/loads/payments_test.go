package loads_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/loads"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// owed are how the payments of a load stand, and what both parties have yet to pay and to get.
func (o office) owed(t *testing.T, path string) []string {
	t.Helper()
	row := o.get(t, path)

	return []string{row.Get("billing").String(), row.Get("customer_balance").String(), row.Get("carrier_balance").String()}
}

// Walk 1 of the trade: a deposit and cash on delivery.
func TestPayments_TakeALoadFromTheDepositToItsEnd(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		o.call(t, http.MethodPatch, base+"/settings", object{"required_for_ready": []string{"signature", "deposit"}}).OK(t)
		path := o.made(t, o.sold(car("1100.00", "900.00")))
		lines := o.post(t, path+"/payment_plan/propose", object{"template": "deposit_cod"}).OK(t).Get("payment_plan.#.uuid").Array()
		pay := func(line int, body object) object {
			body["line_uuid"] = lines[line].String()

			return body
		}
		o.step(t, path, "book")
		require.JSONEq(t, `["signature", "deposit"]`, o.post(t, path+"/clear", nil).Refused(t, http.StatusConflict, "loads.not_ready").Get("details.missing").Raw)
		o.post(t, path+"/signatures", object{"name": "Ann Lee", "method": "paper"}).OK(t)
		o.post(t, path+"/payments", pay(0, object{"amount": "150.00"})).OK(t)
		require.Equal(t, []string{"part", "950.00", "900.00"}, o.owed(t, path))
		require.Equal(t, "booked", o.get(t, path).Get("state").String(), "fifty are missing")
		over := o.post(t, path+"/payments", pay(0, object{"amount": "50.01"})).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		require.Contains(t, over.Get("errors.amount.0").String(), "50.00 is left")
		row := o.post(t, path+"/payments", pay(0, object{"reference": "Visa 4242"})).OK(t)
		require.Equal(t, []string{"ready", "50.00", "credit_card"}, []string{row.Get("state").String(), row.Get("payments.1.amount").String(), row.Get("payments.1.method").String()})
		o.post(t, path+"/payments", pay(0, object{})).Refused(t, http.StatusConflict, "loads.paid_already")

		o.step(t, path, "cover", "pick_up", "deliver")
		refused := o.post(t, path+"/complete", object{}).Refused(t, http.StatusConflict, "loads.unpaid")
		require.Equal(t, []string{"900.00", "900.00"}, []string{refused.Get("details.customer_balance").String(), refused.Get("details.carrier_balance").String()})
		o.Call(t, o.Token(t, o.Owner, "loads:write", "loads:read"), http.MethodPost, path+"/complete", object{"note": "We trust them"}).Refused(t, http.StatusConflict, "loads.unpaid")
		row = o.post(t, path+"/payments", pay(1, object{"at": "2026-11-20T08:00:00Z"})).OK(t)
		require.Equal(t, []string{"completed", "2026-11-20T08:00:00Z"}, []string{row.Get("state").String(), row.Get("payments.2.at").String()}, "with the last payment")
		require.Equal(t, []string{"paid", "0.00", "0.00"}, o.owed(t, path))
		record := o.get(t, path+"/transaction_record")
		require.Equal(t, []string{"200.00", "2026-11-20T08:00:00Z", `["bill_of_lading_number","carrier_address"]`}, []string{
			record.Get("freight_collected").String(), record.Get("carrier_paid_at").String(), record.Get("missing").Raw,
		})
		names := o.EventNames(t, o.Owner)
		require.Equal(t, []int{1, 1, 3}, []int{count(names, "loads.load.ready"), count(names, "loads.load.completed"), count(names, "loads.payment.recorded")})
	})
}

func TestPayments_BeforeTheDeliveryCompleteALoadWithIt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(car("1100.00", "900.00")))
		lines := o.post(t, path+"/payment_plan/propose", object{"template": "deposit_cod"}).OK(t).Get("payment_plan.#.uuid").Array()
		o.step(t, path, "book", "clear", "cover", "pick_up")
		for _, line := range lines {
			o.post(t, path+"/payments", object{"line_uuid": line.String()}).OK(t)
		}
		row := o.step(t, path, "deliver")
		require.Equal(t, "completed", row.Get("state").String())
		require.NotEmpty(t, row.Get("delivered_at").String())
		require.NotEmpty(t, row.Get("completed_at").String())
		names := o.EventNames(t, o.Owner)
		require.Equal(t, []int{1, 1}, []int{count(names, "loads.load.delivered"), count(names, "loads.load.completed")})
		o.post(t, path+"/reopen", object{"reason": "A claim"}).OK(t)
		require.Equal(t, "delivered", o.call(t, http.MethodPatch, path, object{"team": "A"}).OK(t).Get("state").String(), "it stays open")
	})
}

// Whatever comes last of what a load must have makes it ready.
func TestReady_IsALoadWithTheLastThatItMustHave(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		o.call(t, http.MethodPatch, base+"/settings", object{"required_for_ready": []string{"signature", "deposit"}}).OK(t)
		path := o.made(t, o.sold(car("1100.00", "900.00")))
		deposit := o.post(t, path+"/payment_plan/propose", object{"template": "deposit_cod"}).OK(t).Get("payment_plan.0.uuid").String()
		o.step(t, path, "book")
		require.Equal(t, "booked", o.post(t, path+"/payments", object{"line_uuid": deposit}).OK(t).Get("state").String())
		o.post(t, path+"/hold", object{"reason": "other"}).OK(t)
		o.post(t, path+"/signatures", object{"name": "Ann Lee", "method": "paper"}).OK(t)
		require.Equal(t, "booked", o.get(t, path).Get("state").String(), "it is held")
		require.Equal(t, "ready", o.post(t, path+"/release", nil).OK(t).Get("state").String())
		again := o.made(t, o.sold(car("1100.00", "900.00")))
		o.step(t, again, "book")
		o.post(t, again+"/signatures", object{"name": "Ann Lee", "method": "paper"}).OK(t)
		require.Equal(t, "ready", o.get(t, again).Get("state").String(), "it has no deposit, and its signature was the last")
	})
}

func TestPayments_StayAndAreTakenBack(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(car("1100.00", "900.00")))
		line := func(id string, kind, to, amount string) object {
			l := object{"from": "customer", "to": to, "kind": kind, "amount": amount, "due_event": "booking", "method": "check"}
			if id != "" {
				l["uuid"] = id
			}

			return l
		}
		plan := func(lines ...object) object { return object{"payment_plan": lines} }
		made := o.call(t, http.MethodPut, path+"/payment_plan", plan(line("", "deposit", "broker", "200.00"), line("", "cod", "carrier", "900.00"))).OK(t)
		deposit, cod := made.Get("payment_plan.0.uuid").String(), made.Get("payment_plan.1.uuid").String()
		o.post(t, path+"/payments", object{"line_uuid": deposit, "reference": "1007"}).OK(t)

		for name, lines := range map[string][]object{
			"without the line": {line("", "deposit", "broker", "200.00"), line(cod, "cod", "carrier", "900.00")},
			"for less":         {line(deposit, "deposit", "broker", "199.99"), line(cod, "cod", "carrier", "900.00"), line("", "balance", "broker", "0.01")},
			"to the carrier":   {line(deposit, "deposit", "carrier", "200.00"), line(cod, "cod", "carrier", "700.00"), line("", "balance", "broker", "200.00")},
		} {
			refused := o.call(t, http.MethodPut, path+"/payment_plan", plan(lines...)).Refused(t, http.StatusConflict, "loads.line_paid")
			require.Equal(t, deposit, refused.Get("details.line_uuid").String(), name)
		}
		o.call(t, http.MethodPatch, path, plan()).Refused(t, http.StatusConflict, "loads.line_paid")
		for field, body := range map[string]object{
			"amount":    {"line_uuid": deposit, "amount": "-200.01"},
			"reference": {"line_uuid": cod, "reference": "Visa 4111 1111 1111 1111"},
			"note":      {"line_uuid": cod, "note": "4111-1111-1111-1111"},
			"at":        {"line_uuid": cod, "at": clock.System{}.Now().Add(time.Hour)},
			"method":    {"line_uuid": cod, "method": "gold"},
			"payment":   {"line_uuid": cod, "payment": "900.00"},
		} {
			refused := o.post(t, path+"/payments", body)
			require.Equal(t, http.StatusUnprocessableEntity, refused.Status, field)
			require.NotEmpty(t, refused.Get("errors."+field).Array(), field)
		}
		o.post(t, path+"/payments", object{"line_uuid": cod, "amount": "0"}).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		o.post(t, path+"/payments", object{"line_uuid": "0198b2a0-0000-7000-8000-000000000000"}).Refused(t, http.StatusNotFound, "loads.payment_line_not_found")

		row := o.post(t, path+"/payments", object{"line_uuid": deposit, "amount": "-200.00", "note": "The check bounced"}).OK(t)
		require.JSONEq(t, `["200.00", "-200.00"]`, row.Get("payments.#.amount").Raw, "both stay")
		require.Equal(t, []string{"unbilled", "1100.00", "900.00"}, o.owed(t, path))
		o.call(t, http.MethodPut, path+"/payment_plan", plan(line(cod, "cod", "carrier", "900.00"), line("", "balance", "broker", "200.00"))).OK(t)
		require.Equal(t, http.StatusUnprocessableEntity, o.call(t, http.MethodPatch, path, object{"payments": []object{}}).Status, "only payments are paid")
	})
}

func TestPayments_GoWithTheLoadsThatAreSplitAndMerged(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(car("600.00", "400.00"), car("500.00", "400.00")))
		o.post(t, path+"/payment_plan/propose", object{"template": "deposit_cod"}).OK(t)
		o.step(t, path, "book")
		paid := func(path string) {
			o.post(t, path+"/payments", object{"line_uuid": o.get(t, path).Get("payment_plan.0.uuid").String()}).OK(t)
		}
		paid(path)
		written := o.made(t, o.sold(car("600.00", "400.00"), car("500.00", "400.00")))
		o.call(t, http.MethodPut, written+"/payment_plan", object{"payment_plan": []object{
			{"from": "customer", "to": "carrier", "kind": "cod", "amount": "800.00", "due_event": "delivery"}, {"from": "customer", "to": "broker", "kind": "deposit", "amount": "300.00", "due_event": "booking"},
		}}).OK(t)
		line := o.get(t, written).Get("payment_plan.1.uuid").String()
		o.post(t, written+"/payments", object{"line_uuid": line}).OK(t)
		off := o.post(t, written+"/split", object{"vehicle_uuids": []string{o.get(t, written).Get("vehicles.1.uuid").String()}, "reason": "No room"}).OK(t)
		require.JSONEq(t, `["400.00", "200.00"]`, o.get(t, written).Get("payment_plan.#.amount").Raw, "what people wrote is shared")
		child := loadsPath + "/" + off.Get("new_load.uuid").String()
		require.JSONEq(t, `["400.00", "100.00"]`, o.get(t, child).Get("payment_plan.#.amount").Raw)
		require.Equal(t, []string{"part", "400.00", "400.00"}, o.owed(t, written), "200 of the 300 are its own")
		require.Equal(t, []string{"part", "400.00", "400.00"}, o.owed(t, child))
		o.post(t, written+"/payments", object{"line_uuid": line, "amount": "-200.01"}).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		o.post(t, written+"/payments", object{"line_uuid": line, "amount": "-200.00", "note": "Given back"}).OK(t)
		require.Equal(t, []string{"unbilled", "600.00", "400.00"}, o.owed(t, written))

		both := o.post(t, path+"/split", object{"vehicle_uuids": []string{o.get(t, path).Get("vehicles.1.uuid").String()}, "reason": "No room"}).OK(t)
		other := loadsPath + "/" + both.Get("new_load.uuid").String()
		require.Equal(t, []string{"part", "400.00", "400.00"}, o.owed(t, path), "each has its part of the deposit")
		require.Equal(t, []string{"part", "400.00", "400.00"}, o.owed(t, other))
		for _, one := range []string{path, other} {
			o.post(t, one+"/payments", object{"line_uuid": o.get(t, one).Get("payment_plan.0.uuid").String()}).Refused(t, http.StatusConflict, "loads.paid_already")
		}
		require.JSONEq(t, `{"USD": "800.00"}`, o.get(t, base+"/clients/"+o.customer+"/loads").Get("customer_balance").Raw)
		one := o.post(t, base+"/loads/merge", object{"load_uuids": []string{o.get(t, path).Get("uuid").String(), o.get(t, other).Get("uuid").String()}}).OK(t)
		require.Equal(t, []string{"part", "800.00", "800.00"}, o.owed(t, path), "no cent is lost")
		require.JSONEq(t, "[]", o.get(t, other).Get("payments").Raw)
		require.Equal(t, []string{"unbilled", "0.00", "0.00"}, o.owed(t, other), "nothing is owed for a load that is not carried")
		line = one.Get("payment_plan.0.uuid").String()
		require.JSONEq(t, `["300.00", "-100.00", "100.00"]`, one.Get("payments.#.amount").Raw)
		require.JSONEq(t, `["`+line+`", "`+line+`", "`+line+`"]`, one.Get("payments.#.line_uuid").Raw)
		o.post(t, path+"/payments", object{"line_uuid": line}).Refused(t, http.StatusConflict, "loads.paid_already")
		o.post(t, path+"/cancel", object{"reason": "customer"}).OK(t)
		require.Equal(t, []string{"paid", "-300.00", "0.00"}, o.owed(t, path), "it is to be given back")
	})
}

func TestPayments_AreSeenByTheParties(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(car("1100.00", "900.00")))
		lines := o.post(t, path+"/payment_plan/propose", object{"template": "full_pay"}).OK(t).Get("payment_plan.#.uuid").Array()
		for _, line := range lines {
			o.post(t, path+"/payments", object{"line_uuid": line.String(), "reference": "1007", "note": "Ours alone"}).OK(t)
		}
		seen := o.Call(t, "", http.MethodGet, o.shared(t, path+"/shares"), nil).OK(t)
		require.JSONEq(t, `["1100.00"]`, seen.Get("payments.#.amount").Raw, "what the carrier got is none of the customer's")
		require.NotContains(t, string(seen.Body), "1007")
		require.Equal(t, "0.00", seen.Get("customer_balance").String())
	})
}

func TestPayments_AreOverdueADayAfterTheyAreDue(t *testing.T) {
	t.Parallel()
	onClock(t, func(t *testing.T, o office, at *clock.Fake, run func(jobs.Args)) {
		path := o.made(t, o.sold(car("1100.00", "900.00")))
		o.post(t, path+"/payment_plan/propose", object{"template": "deposit_cod"}).OK(t)
		require.Equal(t, "null", o.get(t, path).Get("payment_due_at").Raw, "it is not booked")
		o.step(t, path, "book")
		run(loads.MarkLate{})
		require.Equal(t, "unbilled", o.owed(t, path)[0])
		at.Advance(25 * time.Hour)
		run(loads.MarkLate{})
		o.Eventually(t, func() bool { return o.owed(t, path)[0] == "overdue" }, "the deposit is overdue")
		require.Len(t, o.get(t, loadsPath+"?filter[billing]=overdue&filter[customer_balance][gte]=1100").Get("data").Array(), 1)
		o.post(t, path+"/payments", object{"line_uuid": o.get(t, path).Get("payment_plan.0.uuid").String()}).OK(t)
		require.Equal(t, []string{"part", "900.00", "900.00"}, o.owed(t, path), "the rest is due at the delivery")
	})
}
