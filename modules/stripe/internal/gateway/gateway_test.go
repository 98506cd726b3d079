package gateway_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/stripe/internal/gateway"
	"github.com/dispatchd/dispatchd/modules/stripe/stripetest"
)

// replayed is an answer that Stripe has given before.
var replayed = map[string]string{"Idempotent-Replayed": "true"}

func TestCharge_OfWhichStripeRepeatsItsFirstAnswerIsAsItIsNow(t *testing.T) {
	t.Parallel()
	vendor, made := serve(t)
	a, o := open(t, vendor, made), charge(stripetest.Asks)
	o.Present = true
	first, err := a.Charge(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, cardsapi.PaymentAction, first.State)
	require.NotNil(t, vendor.Confirm(first.ID, true))
	again, err := a.Charge(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, first.ID, again.ID)
	require.Equal(t, cardsapi.PaymentCaptured, again.State)

	vendor.Fail(stripetest.Fault{Method: http.MethodPost}, stripetest.Fault{Method: http.MethodGet, Status: http.StatusTooManyRequests})
	again, err = a.Charge(t.Context(), o)
	require.NoError(t, err, "what it has said before is something, too")
	require.Equal(t, cardsapi.PaymentAction, again.State)
	require.Equal(t, 1, vendor.Charged())
}

func TestCharge_IsFoundWhereStripeRepeatsThatItFailed(t *testing.T) {
	t.Parallel()
	vendor, made := serve(t)
	a, o := open(t, vendor, made), charge(stripetest.OK)
	failed := stripetest.Fault{Method: http.MethodPost, Status: http.StatusInternalServerError, Header: replayed}
	vendor.Fail(failed)
	_, err := a.Charge(t.Context(), o)
	require.False(t, refusal(t, err).NotDone, "that nothing is found proves nothing")
	failed.Takes = true
	vendor.Fail(failed)
	p, err := a.Charge(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, cardsapi.PaymentCaptured, p.State)
	require.Equal(t, 1, vendor.Charged())

	r := cardsapi.VendorRefundOrder{Reference: uuid.NewString(), Payment: p.ID, Amount: cardsapi.Money{Units: 500, Currency: "USD"}}
	vendor.Fail(failed)
	given, err := a.Refund(t.Context(), r)
	require.NoError(t, err)
	require.Equal(t, r.Reference, given.Reference)
	require.Equal(t, cardsapi.RefundCompleted, given.State)
}

func TestRefund_OfWhichStripeRepeatsItsFirstAnswerIsAsItIsNow(t *testing.T) {
	t.Parallel()
	vendor, made := serve(t)
	vendor.Pends = true
	a := open(t, vendor, made)
	p, err := a.Charge(t.Context(), charge(stripetest.OK))
	require.NoError(t, err)
	o := cardsapi.VendorRefundOrder{Reference: uuid.NewString(), Payment: p.ID, Amount: p.Amount, Reason: "A complaint"}
	for status, want := range map[string]cardsapi.RefundState{
		"pending": cardsapi.RefundPending, "requires_action": cardsapi.RefundPending, "succeeded": cardsapi.RefundCompleted,
		"failed": cardsapi.RefundFailed, "canceled": cardsapi.RefundFailed,
	} {
		r, err := a.Refund(t.Context(), o)
		require.NoError(t, err)
		require.NotNil(t, vendor.Settle(r.ID, status))
		r, err = a.Refund(t.Context(), o)
		require.NoError(t, err)
		require.Equal(t, want, r.State, status)
		require.Equal(t, want == cardsapi.RefundFailed, r.Reason == cardsapi.NotRefundable, status)
	}
}

func TestCharge_SaysWhoIsThere(t *testing.T) {
	t.Parallel()
	vendor, made := serve(t)
	a := open(t, vendor, made)
	card, err := a.SaveCard(t.Context(), cardsapi.VendorCardOrder{Reference: uuid.NewString(), Token: cardsapi.Token{ID: stripetest.OK}})
	require.NoError(t, err)
	saved := charge("")
	saved.Card, saved.Customer = card.ID, card.Customer
	saved.Statement, saved.Note = `<DISPATCH> "7" — ✓`, "Order 7"
	there := vendor.Payment(paid(t, a, saved).ID)
	require.Equal(t, true, there["off_session"])
	require.Equal(t, "DISPATCH 7", there["statement_descriptor_suffix"])
	require.Equal(t, "Order 7", there["description"])
	require.Equal(t, card.Customer, there["customer"])
	saved.Reference, saved.Present, saved.Statement = uuid.NewString(), true, "77"
	there = vendor.Payment(paid(t, a, saved).ID)
	require.Equal(t, false, there["off_session"])
	require.Equal(t, returnURL, there["return_url"])
	require.Empty(t, there["statement_descriptor_suffix"], "Stripe refuses texts without a letter")
}

func paid(t *testing.T, a cardsapi.Account, o cardsapi.VendorCharge) cardsapi.VendorPayment {
	t.Helper()
	p, err := a.Charge(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, cardsapi.PaymentCaptured, p.State)

	return p
}

func TestCharge_AsksNobodyWhereThereIsNoWayBack(t *testing.T) {
	t.Parallel()
	vendor, made := serveAt(t, "")
	o := charge(stripetest.Asks)
	o.Present = true
	_, err := open(t, vendor, made).Charge(t.Context(), o)
	require.Equal(t, cardsapi.ActionRequired, refusal(t, err).Reason)
	require.True(t, refusal(t, err).NotDone)
}

func TestPayment_ThatItsCardholderRefusesHasFailed(t *testing.T) {
	t.Parallel()
	vendor, made := serve(t)
	a, o := open(t, vendor, made), charge(stripetest.Asks)
	o.Present = true
	asked, err := a.Charge(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, "https://hooks.stripe.com/3ds/"+asked.ID, asked.ActionURL)
	require.NotNil(t, vendor.Confirm(asked.ID, false))
	p, err := a.Payment(t.Context(), asked.ID)
	require.NoError(t, err)
	require.Equal(t, cardsapi.PaymentFailed, p.State)
	require.Equal(t, cardsapi.ActionRequired, p.Reason)
	require.Equal(t, "payment_intent_authentication_failure", p.Code)
}

func TestPayment_HasItsFeeOnceItIsTaken(t *testing.T) {
	t.Parallel()
	vendor, made := serve(t)
	a, o := open(t, vendor, made), charge(stripetest.OK)
	require.Equal(t, int64(66), paid(t, a, o).Fee, "2.9 % and 0.30")
	o.Reference, o.Authorize = uuid.NewString(), true
	p, err := a.Charge(t.Context(), o)
	require.NoError(t, err)
	require.Zero(t, p.Fee)
	p, err = a.Capture(t.Context(), p.ID)
	require.NoError(t, err)
	require.Equal(t, int64(66), p.Fee)
	vendor.Change(p.ID, func(there map[string]any) { there["currency"] = "eur" })
	p, err = a.Payment(t.Context(), p.ID)
	require.NoError(t, err)
	require.Zero(t, p.Fee, "it was settled in another currency")
}

func TestCharge_IsMadeInStripesUnits(t *testing.T) {
	t.Parallel()
	vendor, made := serve(t)
	o := charge(stripetest.OK)
	o.Amount = cardsapi.Money{Units: 1250, Currency: "JPY"}
	p := paid(t, open(t, vendor, made), o)
	require.Equal(t, int64(1250), vendor.Payment(p.ID)["amount"])
	require.Equal(t, o.Amount, p.Amount)
}

func TestList_LeavesOutWhatNoCardPaid(t *testing.T) {
	t.Parallel()
	vendor, made := serve(t)
	for _, method := range []string{"us_bank_account", "card", "sepa_debit", "card_present"} {
		vendor.Add(method, 700)
	}
	now := time.Now() //nolint:forbidigo // the window of a test
	w := cardsapi.Window{From: now.Add(-time.Hour), To: now.Add(time.Hour)}
	n := 0
	for {
		page, next, err := open(t, vendor, made).List(t.Context(), w)
		require.NoError(t, err)
		n += len(page.Payments)
		if w.Cursor = next; next == "" {
			break
		}
	}
	require.Equal(t, 2, n)
}

func TestPayouts_AddUpWhatTheyPayOut(t *testing.T) {
	t.Parallel()
	vendor, made := serve(t)
	one, other := vendor.Add("card", 10000), vendor.Add("card", 5000)
	first, second := vendor.PayOut(other, one), vendor.PayOut()
	now := time.Now() //nolint:forbidigo // the window of a test
	a, w := open(t, vendor, made), cardsapi.Window{From: now.Add(-time.Hour), To: now.Add(time.Hour)}
	all, next, err := a.Payouts(t.Context(), w)
	require.NoError(t, err)
	require.Empty(t, next)
	require.Equal(t, []string{second, first}, []string{all[0].ID, all[1].ID})
	require.Equal(t, []string{"paid", "paid", "2026-11-26"}, []string{string(all[1].State), all[1].Raw, all[1].On})
	require.Equal(t, cardsapi.Money{Units: 15000 - 320 - 175 - 200, Currency: "USD"}, all[1].Net)
	require.True(t, all[1].Settled)
	content := func(p cardsapi.VendorPayout) cardsapi.PayoutContent {
		c, err := a.PayoutContent(t.Context(), p)
		require.NoError(t, err)

		return c
	}
	require.Equal(t, cardsapi.PayoutContent{Fees: 200}, content(all[0]))
	require.Equal(t, cardsapi.PayoutContent{Gross: 15000, Fees: 320 + 175 + 200, Payments: []string{one, other}}, content(all[1]))

	vendor.ChangePayout(second, func(there map[string]any) { there["reconciliation_status"] = "in_progress" })
	all, _, err = a.Payouts(t.Context(), w)
	require.NoError(t, err)
	require.False(t, all[0].Settled, "Stripe does not know yet what it is of")
	vendor.ChangePayout(second, func(there map[string]any) { there["automatic"], there["amount"] = false, int64(700) })
	all, _, err = a.Payouts(t.Context(), w)
	require.NoError(t, err)
	require.Equal(t, cardsapi.PayoutContent{Gross: 700}, content(all[0]), "somebody has ordered it")

	vendor.ChangePayout(first, func(there map[string]any) { there["status"], there["failure_code"] = "failed", "account_closed" })
	later := vendor.PayOutAgain(first)
	all, w.Cursor, err = a.Payouts(t.Context(), w)
	require.NoError(t, err)
	require.Equal(t, later, all[0].ID)
	rest, _, err := a.Payouts(t.Context(), w)
	require.NoError(t, err)
	require.Equal(t, []string{"failed", "account_closed"}, []string{string(rest[0].State), rest[0].Reason})
	require.Equal(t, cardsapi.PayoutContent{Gross: 15000, Fees: 320 + 175 + 200 + 200, Payments: []string{one, other}}, content(all[0]), "of what came back")
}

// The states are those of stripe-node 23.1 (API version 2026-10-28.endive); Stripe documents those of refunds and payouts in words alone.
func TestStates_EveryOneOfStripe(t *testing.T) {
	t.Parallel()
	read := func(kind, about string) cardsapi.Notice {
		body := []byte(`{"id": "evt_1", "type": "` + kind + `", "created": 1795651200, "livemode": false, "data": {"object": ` + about + `}}`)
		n, _, err := gateway.ReadNotice(body, stripetest.New("EXAMPLE1").Credentials())
		require.NoError(t, err)

		return n
	}
	for status, want := range map[string]string{
		"needs_response": "open", "under_review": "open", "won": "won", "lost": "lost", "prevented": "prevented",
		"appeal_needs_response": "lost", "appeal_under_review": "lost", "new_word": "",
		"warning_needs_response": "none", "warning_under_review": "none", "warning_closed": "none",
	} {
		d := read("charge.dispute.updated", `{"id": "dp_1", "status": "`+status+`", "currency": "usd", "payment_intent": "pi_1"}`).Dispute
		if want == "none" {
			require.Nil(t, d, status)

			continue
		}
		require.Equal(t, []string{want, status}, []string{d.State, d.Raw})
	}
	for status, want := range map[string]cardsapi.PayoutState{
		"pending": cardsapi.PayoutPending, "in_transit": cardsapi.PayoutInTransit, "paid": cardsapi.PayoutPaid, "failed": cardsapi.PayoutFailed,
		"canceled": cardsapi.PayoutCanceled, "new_word": "",
	} {
		p := read("payout.updated", `{"id": "po_1", "status": "`+status+`", "currency": "usd", "amount": 500}`).Payout
		require.Equal(t, []string{string(want), status}, []string{string(p.State), p.Raw})
	}
	for status, want := range map[string]cardsapi.RefundState{
		"pending": cardsapi.RefundPending, "requires_action": cardsapi.RefundPending, "succeeded": cardsapi.RefundCompleted, "failed": cardsapi.RefundFailed,
		"canceled": cardsapi.RefundFailed, "new_word": "",
	} {
		r := read("refund.updated", `{"id": "re_1", "status": "`+status+`", "currency": "usd", "payment_intent": "pi_1"}`).Refund
		require.Equal(t, []string{string(want), status}, []string{string(r.State), r.Raw})
	}
	for status, want := range map[string]cardsapi.PaymentState{
		"requires_action": cardsapi.PaymentAction, "requires_capture": cardsapi.PaymentAuthorized, "succeeded": cardsapi.PaymentCaptured,
		"canceled": cardsapi.PaymentCanceled, "processing": "none", "requires_confirmation": "none", "requires_payment_method": "none", "new_word": "",
	} {
		p := read("payment_intent.updated", `{"id": "pi_1", "status": "`+status+`", "currency": "usd"}`).Payment
		if want == "none" {
			require.Nil(t, p, status)

			continue
		}
		require.Equal(t, []string{string(want), status}, []string{string(p.State), p.Raw})
	}
	card := read("payment_method.automatically_updated", `{"id": "pm_1", "customer": "cus_1", "card": {"brand": "visa", "last4": "4242", "exp_month": 4, "exp_year": 2031}}`).UpdatedCard
	require.Equal(t, cardsapi.VendorCard{ID: "pm_1", Customer: "cus_1", Brand: "visa", Last4: "4242", Month: 4, Year: 2031, Enabled: true}, *card)
}
