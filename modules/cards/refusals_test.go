package cards

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/inbound/verify"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestThings_AreTheCompanysOwn(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d till) {
		payment := d.captured(t, "tok_ok")
		other := d.NewCompany(t)
		for path, code := range map[string]string{
			"/accounts/" + d.account: "cards.account_not_found", payment: "cards.payment_not_found", "/cards/" + uuid.NewString(): "cards.card_not_found",
			"/refunds/" + uuid.NewString(): "cards.refund_not_found", "/reconciliations/" + uuid.NewString(): "cards.reconciliation_not_found",
		} {
			d.Call(t, other.Token, http.MethodGet, base+path, nil).Refused(t, http.StatusNotFound, code)
		}
		d.Call(t, other.Token, http.MethodPost, base+payment+"/refunds", map[string]any{"amount": "1.00", "currency": "USD"}).
			Refused(t, http.StatusNotFound, "cards.payment_not_found")
		require.Empty(t, d.EventNames(t, d.Owner, "cards.refund."))
	})
}

func TestAccount_HasANameOfItsOwn(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d till) {
		d.post(t, "/accounts", map[string]any{"name": "Sandbox", "provider": "sandbox"}).Refused(t, http.StatusConflict, "cards.name_taken")
		require.Equal(t, int64(1), d.get(t, "/accounts").OK(t).Get("data.#").Int())
	})
}

func TestAskAgain_IsForPaymentsOfUnknownOutcome(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d till) {
		payment := d.captured(t, "tok_ok")
		refused := d.post(t, payment+"/ask_again", nil).Refused(t, http.StatusConflict, "cards.not_unknown")
		require.Equal(t, "captured", refused.Get("details.state").String())
		require.NotContains(t, d.EventNames(t, d.Owner), "cards.payment.unknown")
	})
}

func TestPayment_PublishesThatItIsAuthorized(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d till) {
		d.until(t, d.charge(t, "tok_ok", "authorize"), "state", "authorized")
		require.Equal(t, []string{"cards.payment.authorized"}, d.EventNames(t, d.Owner, "cards.payment.authorized", "cards.payment.captured"))
		asked := d.charge(t, "tok_3ds", "present")
		d.until(t, asked, "state", "requires_action")
		require.Equal(t, []string{"cards.payment.action_required"}, d.EventNames(t, d.Owner, "cards.payment.action_required"))
	})
}

func TestSandbox_PlaysWhatTheVendorHasAlone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d till) {
		lost := d.charge(t, "tok_timeout_not_taken")
		d.post(t, "/sandbox"+lost+"/play", map[string]any{"event": "refund"}).Refused(t, http.StatusConflict, "cards.not_sandbox")
	})
}

func TestCharge_NeedsAVendorThatCanAuthorizeAndIsThere(t *testing.T) {
	t.Parallel()
	eachPlant(t, cardsapi.Capabilities{}, func(_ context.Context, t *testing.T, p *plant) {
		t.Helper()
		order := map[string]any{"amount": "100.00", "currency": "USD", "token": "a token"}
		charge := func() moduletest.Response { return p.Call(t, p.Owner.Token, http.MethodPost, base+"/payments", order) }
		order["authorize"] = true
		charge().Refused(t, http.StatusConflict, "cards.no_capture")
		p.vendor.closed = &cardsapi.VendorError{Reason: cardsapi.ProviderDown, NotDone: true, Retryable: true, Code: "503"}
		refused := charge().Refused(t, http.StatusServiceUnavailable, "cards.vendor_failed")
		require.Equal(t, "provider_down", refused.Get("details.reason").String())
		require.Empty(t, p.EventNames(t, p.Owner, "cards.payment."))
	})
}

func TestReconcile_IsAppliedOnceItIsDone(t *testing.T) {
	t.Parallel()
	eachPlant(t, cardsapi.Capabilities{}, func(_ context.Context, t *testing.T, p *plant) { // without a worker
		t.Helper()
		post := func(path string, body any) moduletest.Response {
			return p.Call(t, p.Owner.Token, http.MethodPost, base+"/reconciliations"+path, body)
		}
		id := post("", map[string]any{"from": "2026-05-01T00:00:00Z", "to": "2026-05-02T00:00:00Z"}).OK(t).Get("uuid").String()
		refused := post("/"+id+"/apply", nil).Refused(t, http.StatusConflict, "cards.reconciliation_running")
		require.Equal(t, "running", refused.Get("details.state").String())
	})
}

func TestNotification_OfARevokedAccountIsKeptWithIt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d till) {
		path := d.endpoint(t)
		for i, id := range []string{"first", "second"} {
			body := []byte(`{"type": "oauth.authorization.revoked", "event_id": "` + id + `"}`)
			d.Notify(t, path, body, signatureHeader, verify.SignSquare([]byte(testKey), path, body)).OK(t)
			d.WaitHandled(t, d.Owner, i+1)
		}
		require.Equal(t, "revoked", d.get(t, "/accounts/"+d.account).OK(t).Get("problem").String())
		require.Equal(t, []string{"cards.account.revoked"}, d.EventNames(t, d.Owner, "cards.account."), "it is published once")
	})
}
