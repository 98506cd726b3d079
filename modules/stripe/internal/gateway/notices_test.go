package gateway_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/stripe/internal/gateway"
	"github.com/dispatchd/dispatchd/modules/stripe/stripetest"
)

func TestReadNotice_KeepsWhatIsSaidOfCardsAndPayments(t *testing.T) {
	t.Parallel()
	at := time.Unix(1795651200, 0).UTC()
	usd := cardsapi.Money{Units: 500, Currency: "USD"}
	payment := func(state cardsapi.PaymentState, raw string) *cardsapi.VendorPayment {
		return &cardsapi.VendorPayment{ID: "pi_1", Raw: raw, State: state, Amount: usd, UpdatedAt: at}
	}
	declined := payment(cardsapi.PaymentFailed, "requires_payment_method")
	declined.Reason, declined.Code, declined.Final = cardsapi.Declined, "stolen_card", true
	intent := func(more string) string { return `{"id": "pi_1", "amount": 500, "currency": "usd", ` + more + `}` }
	for _, test := range []struct {
		kind, about string
		notice      cardsapi.Notice
	}{
		{"customer.created", `{"id": "cus_1"}`, cardsapi.Notice{}},
		{"payment_intent.created", intent(`"status": "requires_payment_method"`), cardsapi.Notice{}},
		{"payment_intent.processing", intent(`"status": "processing"`), cardsapi.Notice{}},
		{"payment_intent.succeeded", intent(`"status": "succeeded", "payment_method_types": ["us_bank_account"]`), cardsapi.Notice{}},
		{"payment_intent.succeeded", `null`, cardsapi.Notice{}},
		{"payment_intent.succeeded", intent(`"status": "succeeded", "latest_charge": "ch_1"`), cardsapi.Notice{Payment: payment(cardsapi.PaymentCaptured, "succeeded")}},
		{"payment_intent.amount_capturable_updated", intent(`"status": "requires_capture"`), cardsapi.Notice{Payment: payment(cardsapi.PaymentAuthorized, "requires_capture")}},
		{"payment_intent.canceled", intent(`"status": "canceled"`), cardsapi.Notice{Payment: payment(cardsapi.PaymentCanceled, "canceled")}},
		{
			"payment_intent.payment_failed",
			intent(`"status": "requires_payment_method", "last_payment_error": {"type": "card_error", "code": "card_declined", "decline_code": "stolen_card"}`),
			cardsapi.Notice{Payment: declined},
		},
		{"charge.refunded", `{"id": "ch_1", "payment_intent": "pi_1", "amount_refunded": 500}`, cardsapi.Notice{}},
		{"charge.refunded", `{"id": "ch_1", "payment_intent": "pi_1", "refunds": {"data": [{"id": "re_1", "status": "succeeded", "amount": 500, "currency": "usd"}]}}`, cardsapi.Notice{Refund: &cardsapi.VendorRefund{
			ID: "re_1", Reference: "re_1", Payment: "pi_1", State: cardsapi.RefundCompleted, Raw: "succeeded", Amount: usd, UpdatedAt: at,
		}}},
		{"charge.refund.updated", `{"id": "re_1", "status": "pending", "amount": 500, "currency": "usd", "payment_intent": {"id": "pi_1"}, "metadata": {"reference": "r"}}`, cardsapi.Notice{Refund: &cardsapi.VendorRefund{
			ID: "re_1", Reference: "r", Payment: "pi_1", State: cardsapi.RefundPending, Raw: "pending", Amount: usd, UpdatedAt: at,
		}}},
		{"refund.failed", `{"id": "re_1", "status": "failed", "failure_reason": "lost_or_stolen_card", "amount": 500, "currency": "usd", "payment_intent": "pi_1"}`, cardsapi.Notice{Refund: &cardsapi.VendorRefund{
			ID: "re_1", Reference: "re_1", Payment: "pi_1", State: cardsapi.RefundFailed, Raw: "failed", Reason: cardsapi.NotRefundable, Code: "lost_or_stolen_card", Amount: usd, UpdatedAt: at,
		}}},
		{"charge.dispute.created", `{"id": "dp_1", "status": "warning_needs_response", "payment_intent": "pi_1"}`, cardsapi.Notice{}},
		{"charge.dispute.closed", `{"id": "dp_1", "status": "lost", "amount": 500, "currency": "usd", "reason": "fraudulent", "payment_intent": "pi_1", "evidence_details": {"due_by": 1795651200}, "balance_transactions": [{"fee": 1500, "currency": "usd"}]}`, cardsapi.Notice{Dispute: &cardsapi.VendorDispute{
			ID: "dp_1", Payment: "pi_1", State: "lost", Raw: "lost", Amount: usd, Fee: 1500, Reason: "fraudulent", DueOn: "2026-11-26", UpdatedAt: at,
		}}},
		{"payment_method.detached", `{"id": "pm_1", "customer": null}`, cardsapi.Notice{RemovedCard: "pm_1"}},
		{"account.application.deauthorized", `{"id": "ca_1", "object": "application"}`, cardsapi.Notice{Revoked: true}},
	} {
		body := []byte(`{"id": "evt_1", "type": "` + test.kind + `", "created": 1795651200, "livemode": false, "data": {"object": ` + test.about + `}}`)
		n, ignored, err := gateway.ReadNotice(body, stripetest.New("EXAMPLE1").Credentials())
		require.NoError(t, err)
		require.Equal(t, test.notice, n, test.about)
		require.Equal(t, test.notice == cardsapi.Notice{}, ignored != "", test.about)
		require.Equal(t, "evt_1", gateway.EventID(body))
	}
	for _, body := range []string{"{", `{"type": "refund.updated", "data": {"object": 7}}`} {
		_, _, err := gateway.ReadNotice([]byte(body), stripetest.New("EXAMPLE1").Credentials())
		require.Error(t, err)
	}
}

func TestReadNotice_IgnoresOtherAccountsAndModes(t *testing.T) {
	t.Parallel()
	about := map[string]any{"id": "pi_1", "status": "succeeded"}
	vendor := stripetest.New("EXAMPLE1")
	connected := vendor.Credentials()
	connected["connected_account"] = "acct_1"
	live := map[string]string{"secret_key": "sk_live_x"}
	for name, test := range map[string]struct {
		account     string
		credentials map[string]string
		says        bool
	}{
		"its own": {"", vendor.Credentials(), true}, "the connected one": {"acct_1", connected, true}, "another one": {"acct_2", connected, false},
		"the platform's": {"", connected, false}, "one of a platform": {"acct_1", vendor.Credentials(), false}, "of test mode": {"", live, false},
	} {
		vendor.Connected = test.account
		body, _ := vendor.Event("payment_intent.succeeded", about)
		n, ignored, err := gateway.ReadNotice(body, test.credentials)
		require.NoError(t, err)
		require.Equal(t, test.says, ignored == "", name)
		require.Equal(t, test.says, n.Payment != nil, name)
	}
}

func FuzzReadNotice(f *testing.F) {
	vendor := stripetest.New("EXAMPLE1")
	for kind, about := range map[string]map[string]any{
		"payment_intent.succeeded": {"id": "pi_1", "status": "succeeded", "latest_charge": map[string]any{"id": "ch_1"}},
		"charge.dispute.created":   {"id": "dp_1", "status": "needs_response", "balance_transactions": []any{}},
		"charge.refunded":          {"id": "ch_1", "refunds": map[string]any{"data": []any{map[string]any{"id": "re_1"}}}},
		"payment_method.detached":  {"id": "pm_1"},
	} {
		body, _ := vendor.Event(kind, about)
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		n, ignored, err := gateway.ReadNotice(body, vendor.Credentials())
		if err != nil {
			return
		}
		require.Equal(t, ignored != "", n == cardsapi.Notice{})
		require.NotEmpty(t, gateway.EventID(body))
	})
}
