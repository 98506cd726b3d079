package billing_test

import (
	"cmp"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
)

func TestCapture_OfWhatWasPaidTwiceIsGivenBack(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		w.plan(t, "pro", "99.00", nil)
		w.cards.answer(cardsapi.PaymentFailed, cardsapi.UnknownReason, false)
		at := base + "/subscriptions/" + w.post(t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": w.card(t)}).OK(t).Get("uuid").String()
		first := w.get(t, base+"/payments").Get("data.0.card_payment_uuid").String()
		w.cards.answer(cardsapi.PaymentCaptured, "", false)
		w.post(t, at+"/payment_method", object{"card_uuid": w.card(t)}).OK(t)
		require.Equal(t, []string{"2027-06-01 99.00 paid"}, w.invoices(t))

		for range 2 { // the vendor has captured the first one after all
			w.cards.publish(t, cardsapi.PaymentCapturedEvent{PaymentAbout: w.cards.turn(first, func(p *cardsapi.Payment) { p.State = cardsapi.PaymentCaptured })})
		}
		w.Eventually(t, func() bool { return w.books(t)["unapplied"] == "-99.00" }, "the seller owes it")
		require.Equal(t, "198.00", w.books(t)["cash_clearing:cards"])
		require.Equal(t, []string{"2027-06-01 99.00 paid"}, w.invoices(t))
		require.Equal(t, "0.00", w.get(t, base+"/invoices").Get("data.0.balance").String())
		about := w.cards.refundAbout(w.Owner.ID)
		require.Equal(t, cardsapi.Money{Units: 9900, Currency: "USD"}, about.Amount)
		require.Equal(t, first, about.Payment.Payment)
		for range 2 {
			w.cards.publish(t, cardsapi.RefundCompletedEvent{RefundAbout: about})
		}
		w.Eventually(t, func() bool { return w.books(t)["unapplied"] == "0.00" }, "it was given back")
		require.Equal(t, "99.00", w.books(t)["cash_clearing:cards"])
	})
}

func TestReverse_DropsRefundsOfWhatWasNeverPaid(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		w.plan(t, "pro", "99.00", nil)
		w.post(t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": w.card(t)}).OK(t)
		paid := w.get(t, base+"/payments").Get("data.0.card_payment_uuid").String()
		at := base + "/companies/" + w.Owner.ID.String() + "/invoices/" + w.get(t, base+"/invoices").Get("data.0.uuid").String()
		w.Call(t, w.operator, http.MethodPost, at+"/credit", object{"amount": "9.00", "reason": "Outage"}).OK(t)
		correct := func(to cardsapi.PaymentState) {
			was := cardsapi.PaymentFailed
			if to == was {
				was = cardsapi.PaymentCaptured
			}
			w.cards.publish(t, cardsapi.PaymentCorrectedEvent{
				PaymentAbout: w.cards.turn(paid, func(p *cardsapi.Payment) { p.State = to }), State: to, Was: was,
			})
		}
		shows := func(state, balance, receivable string) {
			w.Eventually(t, func() bool {
				i := w.get(t, base+"/invoices").Get("data.0")

				return i.Get("state").String() == state && i.Get("balance").String() == balance && w.books(t)["receivable"] == receivable
			}, state+" "+balance)
		}
		correct(cardsapi.PaymentFailed)
		shows("open", "90.00", "90.00")
		require.Equal(t, "none", w.get(t, base+"/credit_notes").Get("data.0.refund_state").String())
		correct(cardsapi.PaymentCaptured)
		shows("paid", "0.00", "0.00")
		require.Equal(t, "-9.00", w.books(t)["unapplied"], "9.00 of it are more than the invoice")
		correct(cardsapi.PaymentFailed)
		shows("open", "90.00", "90.00")
		require.Equal(t, []string{"0.00", "0.00"}, []string{w.books(t)["unapplied"], w.books(t)["cash_clearing:cards"]})
	})
}

func TestFees_ArePostedAsTheyBecomeKnown(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		w.plan(t, "pro", "99.00", nil)
		w.post(t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": w.card(t)}).OK(t)
		paid := w.get(t, base+"/payments").Get("data.0.card_payment_uuid").String()
		costs := func(total, clearing string) {
			w.Eventually(t, func() bool { return w.books(t)["expense:gateway_fees"] == total }, total)
			require.Equal(t, clearing, w.books(t)["cash_clearing:cards"])
		}
		for _, fee := range []int64{317, 317, 300, 317} {
			w.cards.publish(t, cardsapi.PaymentFeeEvent{PaymentAbout: w.cards.turn(paid, func(p *cardsapi.Payment) { p.Fee = fee }), Fee: fee})
			if fee == 300 {
				costs("3.00", "96.00")
			}
		}
		costs("3.17", "95.83")
		payout := cardsapi.PayoutAbout{Payout: uuid.NewString(), Gross: cardsapi.Money{Units: 9900, Currency: "USD"}, Fees: 417, PaymentFees: 317}
		for range 2 {
			w.cards.publish(t, cardsapi.PayoutPaidEvent{PayoutAbout: payout})
		}
		costs("4.17", "94.83")
		w.cards.publish(t, cardsapi.PayoutFailedEvent{PayoutAbout: payout, WasPaid: true, Reason: "account_closed"})
		costs("3.17", "95.83")
		again := payout
		again.Payout = uuid.NewString()
		w.cards.publish(t, cardsapi.PayoutFailedEvent{PayoutAbout: again, Reason: "account_closed"})
		w.cards.publish(t, cardsapi.PayoutPaidEvent{PayoutAbout: again})
		costs("4.17", "94.83")
		dispute := w.cards.disputeAbout(w.Owner.ID)
		dispute.Fee = 1500
		w.cards.publish(t, cardsapi.DisputeOpenedEvent{DisputeAbout: dispute})
		costs("19.17", "-19.17")
		dispute.Fee = 0
		w.cards.publish(t, cardsapi.DisputeLostEvent{DisputeAbout: dispute})
		w.Eventually(t, func() bool { return w.books(t)["expense:chargebacks"] == "99.00" }, "the amount is gone")
		dispute.Was, dispute.Version = "lost", 4
		w.cards.publish(t, cardsapi.DisputeWonEvent{DisputeAbout: dispute})
		w.Eventually(t, func() bool { return w.books(t)["cash_clearing:cards"] == "79.83" }, "an appeal has brought it back")
		require.Equal(t, "0.00", cmp.Or(w.books(t)["expense:chargebacks"], "0.00"))
		require.Equal(t, "null", w.get(t, base+"/payments").Get("data.0.excess").Raw)
		require.False(t, w.get(t, base+"/payments").Get("data.0.fee").Exists(), "what the seller pays is no business of its customers")
	})
}
