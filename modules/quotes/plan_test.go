package quotes_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// written has people write the payment plan of a load: the customer pays the broker all of the tariff by wire.
func (d desk) written(t *testing.T, load gjson.Result, tariff string) string {
	t.Helper()
	at := loadsPath + "/" + load.Get("uuid").String()
	row := d.done(t, http.MethodPut, at+"/payment_plan", object{"payment_plan": []object{
		{"from": "customer", "to": "broker", "kind": "balance", "amount": tariff, "method": "wire", "due_event": "booking"},
		{"from": "broker", "to": "carrier", "kind": "balance", "amount": "1600.00", "method": "ach", "due_event": "signed_bol", "due_days": 15},
	}})

	return row.Get("payment_plan.0.uuid").String()
}

func TestOffer_ShowsThePaymentPlanThatPeopleWrote(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load := d.priced(t)
		d.written(t, load, "2000.01")
		q := d.draft(t, load, object{"options": []object{{"key": "standard"}, {"key": "priority", "surcharge": "150.00"}}})
		link := d.offer(t, q)
		shown := d.ask(t, http.MethodGet, link, nil).OK(t)
		require.Equal(t, []string{`["broker 2000.01 wire booking"]`, "2000.01", "0.00"}, []string{
			`["` + payments(shown.Get("options.0.payments")) + `"]`, shown.Get("deposit").String(), shown.Get("options.0.to_carrier").String(),
		})
		require.Equal(t, "broker 2000.01 wire booking, broker 150.00 wire delivery", payments(shown.Get("options.1.payments")))
		page := string(d.Call(t, "", http.MethodGet, link, nil, "Accept", "text/html").OK(t).Body)
		require.Contains(t, page, "To us at booking, by wire transfer: $2,000.01")
		require.NotContains(t, page, "To the carrier", "the template says so, and people wrote otherwise")

		d.ask(t, http.MethodPost, link+"/accept", answer(q, object{"option": "priority"})).OK(t)
		row := d.get(t, loadsPath+"/"+load.Get("uuid").String())
		require.Equal(t, payments(shown.Get("options.1.payments")), payments(row.Get(`payment_plan.#(from=="customer")#`)), "what was shown is what was agreed")
		require.Empty(t, row.Get("plan_template").String())
	})
}

// payments are those of a customer, in words.
func payments(all gjson.Result) (text string) {
	for _, p := range all.Array() {
		if text != "" {
			text += ", "
		}
		text += p.Get("to").String() + " " + p.Get("amount").String() + " " + p.Get("method").String() + " " + p.Get("due_event").String()
	}

	return text
}

func TestAccept_IsOfThePaymentPlanThatWasShown(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load := d.priced(t)
		q := d.draft(t, load)
		d.written(t, load, "2000.01")
		refused := d.post(t, path(q)+"/send", object{"tariff": "2000.01"}).Refused(t, http.StatusConflict, "quotes.load_changed")
		require.JSONEq(t, `["payment_plan"]`, refused.Get("details.fields").Raw)
		q = d.done(t, http.MethodPatch, path(q), object{"message": "By wire"})
		link := d.offer(t, q)
		d.post(t, loadsPath+"/"+load.Get("uuid").String()+"/payment_plan/propose", object{"template": "deposit_cod"}).OK(t)
		d.ask(t, http.MethodPost, link+"/accept", answer(q)).Refused(t, http.StatusConflict, "quotes.load_changed")
		d.post(t, path(q)+"/accept", object{"note": "On the phone", "tariff": "2000.01"}).Refused(t, http.StatusConflict, "quotes.load_changed")

		again := d.post(t, path(q)+"/revise", object{}).OK(t)
		require.False(t, again.Get("options.0.payments").Exists())
		next := gjson.ParseBytes(again.Body)
		require.Equal(t, "accepted", d.ask(t, http.MethodPost, d.offer(t, next)+"/accept", answer(next)).OK(t).Get("state").String())
	})
}

func TestQuote_IsRefusedWhereThePaymentPlanCannotFollow(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load := d.priced(t)
		at := loadsPath + "/" + load.Get("uuid").String()
		q := d.draft(t, load)
		d.done(t, http.MethodPatch, path(q), object{"message": "Hello"})
		link := d.offer(t, q)
		d.done(t, http.MethodPut, at+"/price", object{"tariff": "2500.00"})
		d.post(t, at+"/payments", object{"line_uuid": d.written(t, load, "2500.00")}).OK(t)
		refused := d.ask(t, http.MethodPost, link+"/accept", answer(q)).Refused(t, http.StatusConflict, "loads.plan_fixed")
		require.Contains(t, refused.Get("message").String(), "Please ask us for a new one.")
		sums := d.post(t, path(q)+"/accept", object{"note": "On the phone", "tariff": "2000.01"}).Refused(t, http.StatusConflict, "loads.plan_fixed")
		require.Equal(t, []string{"2000.01", "2500.00"}, []string{sums.Get("details.tariff").String(), sums.Get("details.customer_to_broker").String()})
		d.post(t, path(q)+"/revise", object{}).Refused(t, http.StatusConflict, "loads.plan_fixed")

		load = d.priced(t)
		at = loadsPath + "/" + load.Get("uuid").String()
		deposit := d.done(t, http.MethodPost, at+"/payment_plan/propose", object{"template": "deposit_cod"}).Get("payment_plan.0.uuid").String()
		d.post(t, at+"/payments", object{"line_uuid": deposit}).OK(t)
		q = d.draft(t, load, object{"plan_template": "full_pay"})
		d.post(t, path(q)+"/send", object{"tariff": "2000.01"}).Refused(t, http.StatusConflict, "loads.line_paid")
		require.Equal(t, "draft", d.get(t, path(q)).Get("state").String())
	})
}

// A load that is booked by hand at the price of an option has what the customer bought with it.
func TestBook_ByHandPromisesThePickupOfTheOption(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		book := func(option object) (row gjson.Result) {
			load := d.priced(t)
			at := loadsPath + "/" + load.Get("uuid").String()
			option["key"], option["surcharge"] = "priority", "150.00"
			q := d.draft(t, load, object{"options": []object{{"key": "standard"}, option}})
			d.offer(t, q)
			d.done(t, http.MethodPut, at+"/price", object{"tariff": "2150.01"})
			row = d.done(t, http.MethodPost, at+"/book", object{})
			require.Equal(t, []string{"accepted", "priority"}, []string{d.get(t, path(q)).Get("state").String(), d.get(t, path(q)).Get("accepted_option").String()})
			require.JSONEq(t, row.Get("[priority,pickup_promised_by,stops.0.window]").Raw, d.get(t, at).Get("[priority,pickup_promised_by,stops.0.window]").Raw)

			return row
		}
		booked := book(object{"pickup_within_days": 2})
		require.Equal(t, []string{"expedited", "2030-01-09", "2030-01-09", "2030-01-10T05:59:00Z"}, []string{
			booked.Get("priority").String(), booked.Get("pickup_promised_by").String(), booked.Get("stops.0.window.to").String(), booked.Get("stops.0.window.to_at").String(),
		})
		require.Equal(t, "2030-01-10T05:59:00Z", booked.Get("due_at").String()[:20])
		booked = book(object{"note": "Picked up within two days"})
		require.Equal(t, []string{"expedited", ""}, []string{booked.Get("priority").String(), booked.Get("pickup_promised_by").String()})
		require.False(t, booked.Get("stops.0.window").Exists(), "words promise no day")
	})
}
