package billing_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/ledger"
	"github.com/dispatchd/dispatchd/platform/limit"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/paper/papertest"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

func TestPlans_NewVersionMovesNobody(t *testing.T) {
	t.Parallel()
	each(t, "2027-01-31", func(t *testing.T, w *world) {
		t.Helper()
		old := w.plan(t, "pro", "99.00", nil)
		sub := w.post(t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": w.card(t)}).OK(t)
		require.Equal(t, "active", sub.Get("state").String())
		w.plan(t, "pro", "109.00", nil)
		w.plan(t, "secret", "1.00", object{"public": false})
		listed := w.get(t, plans)
		require.Equal(t, int64(1), listed.Get("data.#").Int())
		require.Equal(t, int64(2), listed.Get("data.0.version").Int())
		require.Equal(t, old, w.get(t, base+"/subscriptions/"+sub.Get("uuid").String()).Get("plan_uuid").String())
		w.until(t, "2027-03-01")
		require.Equal(t, []string{"2027-01-31 99.00 paid", "2027-02-28 99.00 paid"}, w.invoices(t))

		w.Call(t, "", http.MethodGet, base+"/public/plans", nil).Refused(t, http.StatusNotFound, "billing.plans_not_public")
		w.Call(t, w.operator, http.MethodPost, plans, object{
			"code": "Bad Code", "name": " ", "interval": "month", "price": "1.005", "currency": "USD", "features": object{"areas": []string{"nowhere"}},
		}).Refused(t, http.StatusUnprocessableEntity, "billing.invalid_plan")
		require.Equal(t, int64(3), w.Call(t, w.operator, http.MethodGet, plans, nil).OK(t).Get("data.#").Int(), "the operator gets all versions")
	})
}

func TestSubscribe_OperatorChoosesHiddenPlansByCode(t *testing.T) {
	t.Parallel()
	each(t, "2027-01-31", func(t *testing.T, w *world) {
		t.Helper()
		w.plan(t, "secret", "1.00", object{"public": false})
		w.post(t, base+"/subscriptions", object{"plan_code": "secret"}).Refused(t, http.StatusNotFound, "billing.plan_not_found")
		of := base + "/companies/" + w.Owner.ID.String() + "/subscription"
		require.Equal(t, "secret", w.Call(t, w.operator, http.MethodPost, of, object{"plan_code": "secret"}).OK(t).Get("plan_code").String())
	})
}

func TestSubscribe_IsIncompleteUntilItsFirstInvoiceIsPaid(t *testing.T) {
	t.Parallel()
	each(t, "2027-05-10", func(t *testing.T, w *world) {
		t.Helper()
		w.plan(t, "pro", "99.00", object{"features": object{"areas": []string{"notes"}}})
		w.cards.answer(cardsapi.PaymentQueued, "", false)
		card := w.card(t)
		sub := w.post(t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": card}).OK(t)
		at := base + "/subscriptions/" + sub.Get("uuid").String()
		require.Equal(t, "incomplete", sub.Get("state").String())
		require.Equal(t, "billing collections notes tags", w.uses(t), "nothing changes until it is paid")
		w.post(t, base+"/subscriptions", object{"plan_code": "pro"}).Refused(t, http.StatusConflict, "billing.already_subscribed")
		w.post(t, base+"/subscriptions", object{"plan_code": "nope"}).Refused(t, http.StatusNotFound, "billing.plan_not_found")
		invoice := base + "/invoices/" + w.get(t, base+"/invoices").Get("data.0.uuid").String()
		w.post(t, invoice+"/pay", object{}).Refused(t, http.StatusConflict, "billing.payment_pending")
		w.cards.finish(t, cardsapi.PaymentCaptured)
		w.Eventually(t, func() bool { return w.get(t, at).Get("state").String() == "active" }, "the payment activates it")
		require.Equal(t, "billing collections notes", w.uses(t))
		w.post(t, invoice+"/pay", object{}).Refused(t, http.StatusConflict, "billing.nothing_to_pay")
		require.Equal(t, int64(1), w.get(t, base+"/payments").Get("data.#").Int())
		w.Call(t, w.Owner.Token, http.MethodDelete, base+"/cards/"+card, nil).Refused(t, http.StatusConflict, "billing.card_in_use")
		other := w.NewCompany(t)
		w.Call(t, other.Token, http.MethodPost, invoice+"/pay", object{}).Refused(t, http.StatusNotFound, "billing.invoice_not_found")
		w.Call(t, other.Token, http.MethodDelete, base+"/cards/"+card, nil).Refused(t, http.StatusNotFound, "billing.card_not_found")
		w.Call(t, other.Token, http.MethodPost, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": card}).
			Refused(t, http.StatusNotFound, "billing.card_not_found")
		w.Call(t, w.house.Token, http.MethodPost, base+"/subscriptions", object{"plan_code": "pro"}).Refused(t, http.StatusConflict, "billing.seller_subscribes")
		file := w.Call(t, w.Owner.Token, http.MethodGet, invoice+"/pdf", nil).OK(t)
		text := papertest.Text(t, file.Body)
		for _, required := range []string{"Invoice\n" + w.get(t, invoice).Get("number").String(), "Bill to\n", "Description Period Amount", "\nNet ", "\nTotal ", "\nPaid ", "\nBalance due "} {
			require.Contains(t, text, required)
		}
		require.Equal(t, file.Body, w.Call(t, w.Owner.Token, http.MethodGet, invoice+"/pdf", nil).OK(t).Body)
	})
}

func TestSubscribe_LapsesUnpaidAfter23Hours(t *testing.T) {
	t.Parallel()
	each(t, "2027-05-10", func(t *testing.T, w *world) {
		t.Helper()
		w.plan(t, "pro", "99.00", nil)
		w.cards.answer(cardsapi.PaymentFailed, cardsapi.InsufficientFunds, false)
		sub := w.post(t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": w.card(t)}).OK(t)
		require.Equal(t, "incomplete", sub.Get("state").String())
		w.clock.Advance(22*time.Hour + 59*time.Minute)
		w.run(t)
		at := base + "/subscriptions/" + sub.Get("uuid").String()
		require.Equal(t, "incomplete", w.get(t, at).Get("state").String())
		w.clock.Advance(time.Minute)
		w.run(t)
		require.Equal(t, "incomplete_expired", w.get(t, at).Get("state").String())
		require.Equal(t, []string{"2027-05-10 99.00 credited"}, w.invoices(t))
		require.Equal(t, "CN-2027-000001", w.get(t, base+"/credit_notes").Get("data.0.number").String())
		note := papertest.Text(t, w.Call(t, w.Owner.Token, http.MethodGet, base+"/credit_notes/"+w.get(t, base+"/credit_notes").Get("data.0.uuid").String()+"/pdf", nil).OK(t).Body)
		require.Contains(t, note, "CN-2027-000001")
		require.Contains(t, note, "Invoice INV-2027-000001")
		w.cards.answer(cardsapi.PaymentCaptured, "", false)
		require.Equal(t, "active", w.post(t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": w.card(t)}).OK(t).Get("state").String())
	})
}

func TestUpdate_ProratesByDays(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		w.plan(t, "small", "99.00", object{"features": object{"areas": []string{"notes"}}})
		large := w.plan(t, "large", "199.00", object{"features": object{"areas": []string{"notes", "tags"}}})
		w.plan(t, "euro", "10.00", object{"currency": "EUR"})
		w.plan(t, "yearly", "1990.00", object{"interval": "year"})
		at := base + "/subscriptions/" + w.post(t, base+"/subscriptions", object{"plan_code": "small", "card_uuid": w.card(t)}).OK(t).Get("uuid").String()
		require.Equal(t, "billing collections notes", w.uses(t))
		w.until(t, "2027-06-16")
		w.post(t, at+"/update", object{"plan_code": "small"}).Refused(t, http.StatusConflict, "billing.same_plan")
		w.post(t, at+"/update", object{"plan_code": "euro"}).Refused(t, http.StatusUnprocessableEntity, "billing.currency_mismatch")
		preview := w.post(t, at+"/preview", object{"plan_uuid": large, "proration": "now"}).OK(t)
		require.Equal(t, "50.00", preview.Get("total").String())
		require.True(t, preview.Get("billed_now").Bool())
		require.Len(t, w.invoices(t), 1, "a preview changes nothing")

		changed := w.post(t, at+"/update", object{"plan_uuid": large}).OK(t)
		require.Equal(t, []string{"-49.50", "99.50"}, []string{changed.Get("pending.0.amount").String(), changed.Get("pending.1.amount").String()})
		require.Equal(t, "billing collections notes tags", w.uses(t))
		down := w.post(t, at+"/update", object{"plan_code": "small"}).OK(t)
		require.Equal(t, "large", down.Get("plan_code").String(), "a cheaper plan waits for the end of the period")
		require.NotEmpty(t, down.Get("next_plan_uuid").String())
		w.until(t, "2027-07-01")
		require.Equal(t, "149.00", w.get(t, base+"/invoices?sort=-number").Get("data.0.total").String(), "99.00 + 99.50 - 49.50")
		require.Equal(t, "billing collections notes", w.uses(t))

		// Another interval begins a new period, and is billed at once.
		w.until(t, "2027-07-11")
		yearly := w.post(t, at+"/update", object{"plan_code": "yearly"}).OK(t)
		require.Equal(t, "2027-07-11 2028-07-11", yearly.Get("period_start").String()+" "+yearly.Get("period_end").String())
		require.Equal(t, "1922.94", w.get(t, base+"/invoices?sort=-number").Get("data.0.total").String(), "1990.00 - 99.00 × 21 / 31")
	})
}

func TestUpdate_OfShortMonthsAndWeeksWithAChangedClockAddsUp(t *testing.T) {
	t.Parallel()
	each(t, "2027-12-31", func(t *testing.T, w *world) {
		t.Helper()
		w.Call(t, w.operator, http.MethodPost, base+"/tax_rates", object{"code": "tx", "name": "Sales tax", "percent": "8.25", "country": "US", "state": "TX"}).OK(t)
		w.plan(t, "pro", "99.00", nil)
		w.plan(t, "max", "199.00", nil)
		at := base + "/subscriptions/" + w.post(t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": w.card(t)}).OK(t).Get("uuid").String()
		for _, change := range []struct{ day, plan, proration, pending string }{
			{"2028-01-31", "max", "next", "-99.00 199.00"},         // all 29 days until the leap day
			{"2028-02-29", "pro", "now", "-100.00"},                // all 31 days until 31 March; an invoice is never less than zero
			{"2028-03-12", "max", "next", "-100.00 -60.68 121.97"}, // 19 of 31, on the day that is an hour shorter
			{"2028-11-05", "pro", "next", "-165.83 82.50"},         // 25 of 30, on the day that is an hour longer
		} {
			w.until(t, change.day)
			changed := w.post(t, at+"/update", object{"plan_code": change.plan, "proration": change.proration, "when": "now"}).OK(t)
			var pending []string
			for _, line := range changed.Get("pending").Array() {
				pending = append(pending, line.Get("amount").String())
			}
			require.Equal(t, change.pending, strings.Join(pending, " "), change.day)
			w.adds(t)
		}
		w.until(t, "2029-12-31")
		w.adds(t)
		require.Equal(t, []string{"2028-01-31 107.17 paid", "2028-02-29 323.67 paid", "2028-02-29 0.00 paid", "2028-03-31 173.51 paid"}, w.invoices(t)[1:5])
		require.Equal(t, "2029-12-31 107.17 paid", w.invoices(t)[25])
		require.Len(t, w.invoices(t), 26)
	})
}

func TestPause_KeepsTheDaysThatAreLeft(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		w.plan(t, "pro", "99.00", object{"features": object{"areas": []string{"notes"}}})
		at := base + "/subscriptions/" + w.post(t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": w.card(t)}).OK(t).Get("uuid").String()
		w.post(t, at+"/resume", nil).Refused(t, http.StatusConflict, "billing.not_ending")
		w.until(t, "2027-06-11")
		require.Equal(t, int64(20), w.post(t, at+"/pause", object{}).OK(t).Get("days_left").Int())
		require.Equal(t, "billing collections", w.uses(t))
		w.until(t, "2027-08-05")
		require.Len(t, w.invoices(t), 1, "nothing is charged")
		resumed := w.post(t, at+"/resume", nil).OK(t)
		require.Equal(t, "2027-08-25", resumed.Get("period_end").String())
		require.Equal(t, "billing collections notes", w.uses(t))
		w.until(t, "2027-09-26")
		require.Equal(t, []string{"2027-06-01 99.00 paid", "2027-08-25 99.00 paid", "2027-09-25 99.00 paid"}, w.invoices(t))

		ending := w.post(t, at+"/cancel", object{"reason": "Too dear."}).OK(t)
		require.Equal(t, "active", ending.Get("state").String())
		require.False(t, w.post(t, at+"/resume", nil).OK(t).Get("cancel_at_period_end").Bool())
		w.post(t, at+"/cancel", object{}).OK(t)
		w.until(t, "2027-10-26")
		require.Equal(t, "canceled", w.get(t, at).Get("state").String())
		require.Len(t, w.invoices(t), 3)
		require.Equal(t, "billing collections", w.uses(t))
	})
}

func TestCharge_DoesNotRetryACardThatMustNotBeCharged(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		w.plan(t, "pro", "99.00", object{"features": object{"areas": []string{"notes"}}})
		at := base + "/subscriptions/" + w.post(t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": w.card(t)}).OK(t).Get("uuid").String()
		w.cards.answer(cardsapi.PaymentFailed, cardsapi.Fraud, true)
		w.until(t, "2027-07-07")
		require.Equal(t, "past_due", w.get(t, at).Get("state").String())
		require.Equal(t, int64(2), w.get(t, base+"/payments").Get("data.#").Int(), "the first invoice, and one attempt")
		w.until(t, "2027-07-08")
		require.Equal(t, "unpaid", w.get(t, at).Get("state").String())
		w.post(t, at+"/update", object{"plan_code": "pro"}).Refused(t, http.StatusConflict, "billing.same_plan")
		w.cards.answer(cardsapi.PaymentCaptured, "", false)
		require.Equal(t, "active", w.post(t, at+"/payment_method", object{"card_uuid": w.card(t)}).OK(t).Get("state").String())
		require.Equal(t, "2027-08-01", w.get(t, at).Get("period_end").String(), "the anchor stays")
		require.Equal(t, "billing collections notes", w.uses(t))
	})
}

func TestCredit_IsNeverMoreThanTheInvoiceAndRefundsWhatWasPaid(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		w.Call(t, w.operator, http.MethodPost, base+"/tax_rates", object{"code": "tx", "name": "Sales tax", "percent": "8.25", "country": "us", "state": "tx"}).OK(t)
		w.plan(t, "pro", "99.00", nil)
		w.post(t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": w.card(t)}).OK(t)
		invoice := w.get(t, base+"/invoices").Get("data.0")
		require.Equal(t, "99.00 8.17 107.17", invoice.Get("net").String()+" "+invoice.Get("tax").String()+" "+invoice.Get("total").String())
		at := base + "/companies/" + w.Owner.ID.String() + "/invoices/" + invoice.Get("uuid").String()
		credit := func(body object) object { body["reason"] = "Outage"; return body } //nolint:nlreturn // short
		w.Call(t, w.operator, http.MethodPost, at+"/credit", credit(object{"amount": "107.18"})).Refused(t, http.StatusUnprocessableEntity, "billing.invalid_credit")
		note := w.Call(t, w.operator, http.MethodPost, at+"/credit", credit(object{"amount": "10.00"})).OK(t)
		require.Equal(t, "10.00 pending", note.Get("refund").String()+" "+note.Get("refund_state").String())
		require.Equal(t, "9.24 0.76", note.Get("net").String()+" "+note.Get("tax").String())
		w.Call(t, w.operator, http.MethodPost, at+"/credit", credit(object{})).Refused(t, http.StatusConflict, "billing.refund_pending")
		for range 2 {
			w.cards.publish(t, cardsapi.RefundCompletedEvent{RefundAbout: w.cards.refundAbout(w.Owner.ID)})
		}
		w.Eventually(t, func() bool { return w.get(t, base+"/credit_notes").Get("data.0.refund_state").String() == "completed" }, "the refund completes")
		w.Call(t, w.operator, http.MethodPost, at+"/credit", credit(object{"refund_reference": "WIRE 7"})).OK(t)
		w.Call(t, w.operator, http.MethodPost, at+"/credit", credit(object{})).Refused(t, http.StatusConflict, "billing.not_creditable")
		require.Equal(t, map[string]string{"cash:bank": "-97.17", "cash_clearing:cards": "97.17", "income:subscriptions": "0.00", "receivable": "0.00", "tax:tx": "0.00"}, w.books(t))
	})
}

func TestTaxRate_IsOnceAtATimeInAPlace(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		rates := base + "/tax_rates"
		post := func(more object) moduletest.Response {
			return w.Call(t, w.operator, http.MethodPost, rates, with(object{"code": "tx", "name": "Sales tax", "percent": "8.25", "country": "US", "state": "TX"}, more))
		}
		first := post(nil).OK(t).Get("uuid").String()
		require.Equal(t, first, post(nil).Refused(t, http.StatusConflict, "billing.tax_rate_taken").Get("details.uuid").String())
		post(object{"state": "tx", "from": "2028-01-01"}).Refused(t, http.StatusConflict, "billing.tax_rate_taken")
		post(object{"state": "FL"}).OK(t)
		post(object{"code": "city"}).OK(t)

		until := func(day any) moduletest.Response {
			return w.Call(t, w.operator, http.MethodPatch, rates+"/"+first, object{"until": day})
		}
		until("2028-01-01").OK(t)
		post(object{"percent": "8.5", "from": "2028-01-01"}).OK(t)
		until("2028-01-02").Refused(t, http.StatusConflict, "billing.tax_rate_taken")
		until(nil).Refused(t, http.StatusConflict, "billing.tax_rate_taken")
	})
}

func TestRefund_ThatFailsIsOwedUntilItIsSentByTransfer(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		w.plan(t, "pro", "99.00", nil)
		w.post(t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": w.card(t)}).OK(t)
		of := base + "/companies/" + w.Owner.ID.String()
		at := of + "/invoices/" + w.get(t, base+"/invoices").Get("data.0.uuid").String()
		note := w.Call(t, w.operator, http.MethodPost, at+"/credit", object{"amount": "10", "reason": "Outage"}).OK(t).Get("uuid").String()
		record := func() moduletest.Response {
			return w.Call(t, w.operator, http.MethodPost, of+"/credit_notes/"+note+"/record_refund", object{"refund_reference": "WIRE 8"})
		}
		record().Refused(t, http.StatusConflict, "billing.refund_not_failed")
		ends := func(state string, event func(about cardsapi.RefundAbout) events.Event) {
			for range 2 {
				w.cards.publish(t, event(w.cards.refundAbout(w.Owner.ID)))
			}
			w.Eventually(t, func() bool { return w.get(t, base+"/credit_notes").Get("data.0.refund_state").String() == state }, state)
		}
		ends("completed", func(about cardsapi.RefundAbout) events.Event {
			return cardsapi.RefundCompletedEvent{RefundAbout: about}
		})
		require.Equal(t, []string{"89.00", "0.00"}, []string{w.books(t)["cash_clearing:cards"], w.books(t)["receivable"]})
		ends("failed", func(about cardsapi.RefundAbout) events.Event {
			return cardsapi.RefundFailedEvent{RefundAbout: about, Reason: cardsapi.Declined, Completed: true}
		})
		require.Equal(t, []string{"99.00", "-10.00"}, []string{w.books(t)["cash_clearing:cards"], w.books(t)["receivable"]}, "it is owed again")
		require.Equal(t, "completed", record().OK(t).Get("refund_state").String())
		record().Refused(t, http.StatusConflict, "billing.refund_not_failed")
		require.Equal(t, map[string]string{
			"cash:bank": "-10.00", "cash_clearing:cards": "99.00", "income:subscriptions": "-89.00", "receivable": "0.00",
		}, w.books(t))
	})
}

func TestDispute_IsPostedOnceInAnyOrder(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		w.plan(t, "pro", "99.00", nil)
		w.post(t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": w.card(t)}).OK(t)
		first, second := w.cards.disputeAbout(w.Owner.ID), w.cards.disputeAbout(w.Owner.ID)
		for range 2 {
			w.cards.publish(t, cardsapi.DisputeOpenedEvent{DisputeAbout: first})
		}
		w.Eventually(t, func() bool { return w.books(t)["cash_disputed:cards"] == "99.00" }, "the vendor took the amount")
		require.Equal(t, "0.00", w.books(t)["cash_clearing:cards"])
		w.cards.publish(t, cardsapi.DisputeWonEvent{DisputeAbout: first})
		w.cards.publish(t, cardsapi.DisputeLostEvent{DisputeAbout: second})
		w.cards.publish(t, cardsapi.DisputeOpenedEvent{DisputeAbout: second})
		w.Eventually(t, func() bool {
			return w.books(t)["cash_disputed:cards"] == "0.00" && w.books(t)["expense:chargebacks"] == "99.00"
		}, "both are decided")
		require.Equal(t, []string{"0.00", "0.00"}, []string{w.books(t)["cash_clearing:cards"], w.books(t)["receivable"]}, "the first one came back")
		require.Equal(t, "paid", w.get(t, base+"/invoices").Get("data.0.state").String())
	})
}

func TestCharge_ThatTheSellersAccountRefusesFallsDue(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		w.plan(t, "pro", "99.00", object{"trial_days": 7})
		at := base + "/subscriptions/" + w.post(t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": w.card(t)}).OK(t).Get("uuid").String()
		w.cards.refuse(errs.New(errs.Invalid, "cards.currency_mismatch", "The account does not charge in USD."))
		w.until(t, "2027-06-08")
		require.Equal(t, "past_due", w.get(t, at).Get("state").String())
		require.Equal(t, "cards.currency_mismatch", w.get(t, base+"/payments").Get("data.0.reason").String())
	})
}

func TestSaveCard_SaysThatItIsTheSellerWhoTakesNone(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		for _, refusal := range []*errs.Error{errs.New(errs.Conflict, "cards.no_account", "The company has no card account."), cardsapi.ErrDisabled} {
			w.cards.refuse(refusal)
			refused := w.post(t, base+"/cards", object{"token": "tok_ok"}).Refused(t, http.StatusConflict, "billing.seller_takes_no_cards")
			require.Contains(t, refused.Get("message").String(), "the seller has no card account")
		}
	})
}

func TestCharge_WaitsUntilTheCardIsSaved(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		w.plan(t, "pro", "99.00", nil)
		w.cards.cardState = cardsapi.CardSaving
		sub := w.post(t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": w.card(t)}).OK(t)
		at := base + "/subscriptions/" + sub.Get("uuid").String()
		require.Equal(t, "incomplete", sub.Get("state").String())
		require.Zero(t, w.get(t, base+"/payments").Get("data.#").Int())
		w.cards.cardSaved(t)
		w.Eventually(t, func() bool { return w.get(t, at).Get("state").String() == "active" }, "the card is charged")
	})
}

func TestTrial_WithoutACardFallsDue(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		w.plan(t, "pro", "99.00", object{"trial_days": 7})
		at := base + "/subscriptions/" + w.post(t, base+"/subscriptions", object{"plan_code": "pro"}).OK(t).Get("uuid").String()
		w.until(t, "2027-06-08")
		require.Equal(t, "past_due", w.get(t, at).Get("state").String())
		require.Equal(t, "no_card", w.get(t, base+"/payments").Get("data.0.reason").String())

		// A bank transfer pays it too, and a second trial there is not.
		invoice := w.get(t, base+"/invoices").Get("data.0.uuid").String()
		paid := base + "/companies/" + w.Owner.ID.String() + "/invoices/" + invoice + "/record_payment"
		w.Call(t, w.operator, http.MethodPost, paid, object{"reference": "WIRE 1"}).OK(t)
		require.Equal(t, "active", w.get(t, at).Get("state").String())
		w.post(t, at+"/cancel", object{"when": "now"}).OK(t)
		require.Equal(t, "incomplete", w.post(t, base+"/subscriptions", object{"plan_code": "pro"}).OK(t).Get("state").String())
		books := w.books(t)
		require.Equal(t, []string{"-198.00", "99.00", "99.00"}, []string{books["income:subscriptions"], books["cash:bank"], books["receivable"]})
	})
}

func TestUnknownPayment_IsNeitherChargedAgainNorGivenUp(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		w.plan(t, "pro", "99.00", nil)
		at := base + "/subscriptions/" + w.post(t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": w.card(t)}).OK(t).Get("uuid").String()
		w.cards.answer(cardsapi.PaymentFailed, cardsapi.InsufficientFunds, false)
		w.until(t, "2027-07-03")
		w.cards.answer(cardsapi.PaymentQueued, "", false)
		w.until(t, "2027-08-09")
		require.Equal(t, "past_due", w.get(t, at).Get("state").String(), "nobody knows yet whether it is paid")
		require.Equal(t, int64(4), w.get(t, base+"/payments").Get("data.#").Int(), "the first invoice, days 0, 1 and 3")
		w.post(t, at+"/payment_method", object{"card_uuid": w.card(t)}).OK(t)
		require.Equal(t, int64(4), w.get(t, base+"/payments").Get("data.#").Int())
		w.cards.answer(cardsapi.PaymentCaptured, "", false)
		w.cards.finish(t, cardsapi.PaymentCaptured)
		w.Eventually(t, func() bool { return w.get(t, at).Get("state").String() == "active" }, "the payment is known")
		w.run(t)
		require.Equal(t, []string{"2027-06-01 99.00 paid", "2027-07-01 99.00 paid", "2027-08-09 99.00 paid"}, w.invoices(t))
	})
}

func TestUpdate_CreditsNothingThatWasRefunded(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		w.plan(t, "basic", "49.00", nil)
		w.plan(t, "pro", "99.00", nil)
		w.plan(t, "max", "199.00", nil)
		at := base + "/subscriptions/" + w.post(t, base+"/subscriptions", object{"plan_code": "basic", "card_uuid": w.card(t)}).OK(t).Get("uuid").String()
		invoice := base + "/companies/" + w.Owner.ID.String() + "/invoices/" + w.get(t, base+"/invoices").Get("data.0.uuid").String()
		w.Call(t, w.operator, http.MethodPost, invoice+"/credit", object{"reason": "Outage", "refund_reference": "WIRE 9"}).OK(t)
		w.until(t, "2027-06-16")
		require.Equal(t, "49.50", w.post(t, at+"/preview", object{"plan_code": "pro"}).OK(t).Get("total").String())
		changed := w.post(t, at+"/update", object{"plan_code": "pro"}).OK(t)
		require.Equal(t, []string{"49.50"}, amounts(changed.Get("pending.#.amount")))
		changed = w.post(t, at+"/update", object{"plan_code": "max"}).OK(t)
		require.Equal(t, []string{"49.50", "-49.50", "99.50"}, amounts(changed.Get("pending.#.amount")), "what is yet to be billed is credited")
	})
}

func TestUpdate_AfterAPauseCreditsTheDaysThatAreLeft(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		w.plan(t, "small", "99.00", nil)
		w.plan(t, "large", "199.00", nil)
		at := base + "/subscriptions/" + w.post(t, base+"/subscriptions", object{"plan_code": "small", "card_uuid": w.card(t)}).OK(t).Get("uuid").String()
		w.until(t, "2027-06-16")
		w.post(t, at+"/pause", object{}).OK(t)
		w.until(t, "2027-09-20")
		w.post(t, at+"/resume", nil).OK(t)
		changed := w.post(t, at+"/update", object{"plan_code": "large"}).OK(t)
		require.Equal(t, []string{"-49.50", "99.50"}, amounts(changed.Get("pending.#.amount")))
	})
}

// amounts are those of a list.
func amounts(list gjson.Result) (all []string) {
	for _, one := range list.Array() {
		all = append(all, one.String())
	}

	return all
}

func TestUpdate_TakesBackAPlannedChange(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		w.plan(t, "small", "9.00", nil)
		w.plan(t, "large", "19.00", nil)
		at := base + "/subscriptions/" + w.post(t, base+"/subscriptions", object{"plan_code": "large", "card_uuid": w.card(t)}).OK(t).Get("uuid").String()
		require.NotEqual(t, "null", w.post(t, at+"/update", object{"plan_code": "small"}).OK(t).Get("next_plan_uuid").Raw)
		require.Equal(t, "null", w.post(t, at+"/update", object{"plan_code": "large"}).OK(t).Get("next_plan_uuid").Raw)
		w.until(t, "2027-07-02")
		require.Equal(t, []string{"2027-06-01 19.00 paid", "2027-07-01 19.00 paid"}, w.invoices(t))
	})
}

func TestInvite_IsLimitedByThePlan(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		w.plan(t, "pro", "99.00", object{"limits": object{"users": 2}})
		w.post(t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": w.card(t)}).OK(t)
		invite := func(email string) moduletest.Response {
			return w.post(t, "/companies/api/v1/invitations", object{"email": email, "name": "Bo", "role": "dispatcher"})
		}
		invite("bo@example.com").OK(t)
		invite("bo@example.com").OK(t)
		require.Equal(t, int64(2), invite("cy@example.com").Refused(t, http.StatusConflict, "billing.limit_reached").Get("details.used").Int())
	})
}

func TestSubscription_IsChangedOnceByWhoSawIt(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		w.plan(t, "pro", "99.00", nil)
		w.plan(t, "max", "199.00", nil)
		at := base + "/subscriptions/" + w.post(t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": w.card(t)}).OK(t).Get("uuid").String()
		tag := w.Call(t, w.Owner.Token, http.MethodGet, at, nil).OK(t).Header.Get("ETag")
		statuses := make(chan int, 4)
		for range cap(statuses) {
			go func() {
				statuses <- w.Call(t, w.Owner.Token, http.MethodPost, at+"/update", object{"plan_code": "max"}, "If-Match", tag).Status
			}()
		}
		got := map[int]int{}
		for range cap(statuses) {
			got[<-statuses]++
		}
		require.Equal(t, map[int]int{http.StatusOK: 1, http.StatusPreconditionFailed: 3}, got)
		require.Len(t, w.get(t, at).Get("pending").Array(), 2, "it is prorated once")

		w.post(t, at+"/cancel", object{"when": "now"}).OK(t)
		w.post(t, at+"/cancel", object{"when": "now"}).Refused(t, http.StatusConflict, "state.not_allowed")
		w.post(t, at+"/cancel", object{}).Refused(t, http.StatusConflict, "state.not_allowed")
	})
}

func TestSubscribe_AtTheSameTimeSucceedsOnce(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		w.plan(t, "pro", "99.00", nil)
		card := w.card(t)
		statuses := make(chan int, 4)
		for range cap(statuses) {
			go func() {
				statuses <- w.post(t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": card}).Status
			}()
		}
		got := map[int]int{}
		for range cap(statuses) {
			got[<-statuses]++
		}
		require.Equal(t, map[int]int{http.StatusOK: 1, http.StatusConflict: 3}, got)
		require.Equal(t, []string{"2027-06-01 99.00 paid"}, w.invoices(t))
	})
}

// books returns the balances of the seller's ledger.
func (w *world) books(t *testing.T) map[string]string {
	t.Helper()
	all, err := w.Ledger.Balances(principal.AsCompany(t.Context(), w.house.ID), ledger.Query{})
	require.NoError(t, err)
	balances := map[string]string{}
	for _, b := range all {
		code, _, _ := strings.Cut(b.Account.Code, ":"+w.Owner.ID.String())
		balances[code] = string(b.Net.Amount)
	}

	return balances
}

// depot has things that plans limit.
type depot struct {
	db    *database.DB
	hooks *hook.Bus
	meter *limit.Meter
}

func newDepot(db *database.DB, hooks *hook.Bus, meter *limit.Meter) *depot {
	return &depot{db, hooks, meter}
}

func TestLimits_RefuseWhatIsBeyondThePlan(t *testing.T) {
	t.Parallel()
	area := module.New("depot", "Depot", fx.Provide(newDepot, fx.Private), web.Routes(func(r *web.Router, d *depot) {
		web.Register(r, web.Operation{
			Method: http.MethodPost, Path: "/bays", ID: "add_bay", Access: web.Write, Summary: "Add a bay", Errors: []*errs.Error{limit.ErrReached},
		}, func(ctx context.Context, _ *struct{}) (*struct{}, error) {
			return nil, d.db.InTx(ctx, func(ctx context.Context) error {
				return limit.Check(ctx, d.hooks, limit.Checking{Limit: "users", Used: 2, Adding: 1})
			})
		})
	}))
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		w.post(t, "/depot/api/v1/bays", nil).OK(t)
		w.plan(t, "pro", "99.00", object{"features": object{"areas": []string{"depot"}}, "limits": object{"users": 2}})
		w.post(t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": w.card(t)}).OK(t)
		refused := w.post(t, "/depot/api/v1/bays", nil).Refused(t, http.StatusConflict, "billing.limit_reached")
		require.Equal(t, "pro users 2", refused.Get("details.plan").String()+" "+refused.Get("details.limit").String()+" "+refused.Get("details.used").String())
	}, area)
}

func TestLimits_OfAMonthBeginAnewWithTheCompanysMonth(t *testing.T) {
	t.Parallel()
	area := module.New("depot", "Depot", fx.Provide(newDepot, fx.Private), web.Routes(func(r *web.Router, d *depot) {
		web.Register(r, web.Operation{
			Method: http.MethodPost, Path: "/trips", ID: "add_trip", Access: web.Write, Summary: "Add a trip", Errors: []*errs.Error{limit.ErrReached},
		}, func(ctx context.Context, _ *struct{}) (*struct{}, error) {
			return nil, d.db.InTx(ctx, func(ctx context.Context) error { return d.meter.Add(ctx, "sms", 1) })
		})
	}))
	each(t, "2027-06-30", func(t *testing.T, w *world) {
		t.Helper()
		w.plan(t, "pro", "99.00", object{
			"features": object{"areas": []string{"depot"}}, "limits": object{"loads_per_month": 9, "sms": 1, "storage": 1 << 30},
		})
		w.post(t, "/depot/api/v1/trips", nil).OK(t)
		w.post(t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": w.card(t)}).OK(t)
		w.clock.Advance(11*time.Hour + 59*time.Minute) // in Chicago; in UTC it is July
		refused := w.post(t, "/depot/api/v1/trips", nil).Refused(t, http.StatusConflict, "billing.limit_reached")
		require.Equal(t, "pro sms 1", refused.Get("details.plan").String()+" "+refused.Get("details.limit").String()+" "+refused.Get("details.used").String())
		w.clock.Advance(time.Minute)
		w.post(t, "/depot/api/v1/trips", nil).OK(t)
	}, area)
}

func TestPayments_AreFilteredByCards(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		w.plan(t, "pro", "99.00", object{})
		card := w.card(t)
		w.post(t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": card}).OK(t)
		w.Eventually(t, func() bool {
			return len(w.Call(t, w.Owner.Token, http.MethodGet, base+"/payments?filter[card_uuid]="+card, nil).OK(t).Get("data").Array()) == 1
		}, "the payment of the card")
		w.Call(t, w.Owner.Token, http.MethodGet, base+"/payments?filter[card_uuid]=zz", nil).Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")
	})
}
