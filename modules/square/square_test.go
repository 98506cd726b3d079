package square_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/cards"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/square"
	"github.com/dispatchd/dispatchd/modules/square/squaretest"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/inbound/verify"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const (
	base      = "/square/api/v1"
	cardsBase = "/cards/api/v1"
	// hooks is the address that Square knows us by.
	hooks = "https://hooks.example.test"
)

// till is a company with an account at Square.
type till struct {
	*moduletest.App

	hub     *squaretest.Hub
	vendor  *squaretest.Square
	account string
	heard   int
}

// each runs a test on both databases, each with an account of its own at Square.
func each(t *testing.T, test func(t *testing.T, d *till)) {
	t.Helper()
	hub, made := &squaretest.Hub{}, atomic.Int64{}
	server := httptest.NewServer(hub)
	t.Cleanup(server.Close)
	moduletest.BootEach(t, []module.Module{cards.Module, companies.Module, square.Module}, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		d := &till{App: a, hub: hub, vendor: squaretest.New(fmt.Sprintf("EXAMPLE%d", made.Add(1)))}
		hub.Add(d.vendor)
		d.account = d.connect(t, d.Owner, "Square", d.vendor)
		test(t, d)
	}, moduletest.Set(
		"modules.square.base_url="+server.URL, "modules.square.environment=sandbox", "web.services_url="+hooks, "jobs.poll=10ms",
		"outbound.allow_http=true", "outbound.allow_networks=127.0.0.0/8", "outbound.breaker_failures=0", "modules.cards.call_timeout=500ms",
	))
}

func (d *till) connect(t *testing.T, of moduletest.Company, name string, at *squaretest.Square) string {
	t.Helper()

	return d.Call(t, of.Token, http.MethodPost, cardsBase+"/accounts", map[string]any{
		"name": name, "provider": "square", "credentials": at.Credentials(),
	}).OK(t).Get("uuid").String()
}

func (d *till) post(t *testing.T, path string, body any, headers ...string) moduletest.Response {
	t.Helper()

	return d.Call(t, d.Owner.Token, http.MethodPost, path, body, headers...)
}

func (d *till) get(t *testing.T, path string) moduletest.Response {
	t.Helper()

	return d.Call(t, d.Owner.Token, http.MethodGet, path, nil)
}

// until waits until a key of a resource has a value, and returns the resource.
func (d *till) until(t *testing.T, path, key, value string) moduletest.Response {
	t.Helper()
	var last moduletest.Response
	d.Eventually(t, func() bool {
		last = d.get(t, path).OK(t)

		return last.Get(key).String() == value
	}, path+": "+key+" is "+value)

	return last
}

// order is a payment of 12.50 USD.
func order(source string, more ...any) map[string]any {
	body := map[string]any{"source_id": source, "amount_money": map[string]any{"amount": 1250, "currency": "USD"}}
	for i := 0; i < len(more); i += 2 {
		body[more[i].(string)] = more[i+1]
	}

	return body
}

// pay orders a payment, and returns its path.
func (d *till) pay(t *testing.T, body map[string]any) string {
	t.Helper()

	return base + "/payments/" + d.post(t, base+"/payments", body).OK(t).Get("payment.uuid").String()
}

func (d *till) paid(t *testing.T) moduletest.Response {
	t.Helper()

	return d.until(t, d.pay(t, order(squaretest.OK)), "payment.state", "captured")
}

func TestPayment_IsChargedAtSquareOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		body := order(squaretest.OK, "idempotency_key", "order 7", "note", "Order 7", "statement_description_identifier", "DISPATCH")
		path := d.pay(t, body)
		require.Equal(t, path, d.pay(t, body), "a repeat is the first payment")
		row := d.until(t, path, "payment.state", "captured").Get("payment")
		require.Equal(t, "COMPLETED", row.Get("status").String())
		require.Equal(t, int64(1250), row.Get("amount_money.amount").Int())
		require.Equal(t, "USD", row.Get("amount_money.currency").String())
		require.Equal(t, "square:order 7", row.Get("reference").String())
		require.Equal(t, d.account, row.Get("account_uuid").String())
		there := d.vendor.Payment(row.Get("id").String())
		require.Equal(t, row.Get("uuid").String(), there["reference_id"])
		require.Equal(t, "Order 7", there["note"])
		require.Equal(t, "DISPATCH", there["statement_description_identifier"])
		require.Equal(t, row.Raw, d.get(t, base+"/payments/"+row.Get("id").String()).OK(t).Get("payment").Raw, "by Square's id")
		require.Equal(t, 1, d.vendor.Charged())

		body["amount_money"] = map[string]any{"amount": 1300, "currency": "USD"}
		d.post(t, base+"/payments", body).Refused(t, http.StatusConflict, "cards.reference_conflict")
		require.Contains(t, d.EventNames(t, d.Owner), "cards.payment.captured")
		require.Equal(t, "captured", d.get(t, cardsBase+"/payments/"+row.Get("uuid").String()).OK(t).Get("state").String(), "it is kept once")
	})
}

func TestPayment_SaysWhyItWasDeclined(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		for source, want := range map[string][2]string{
			squaretest.Declined: {"declined", "GENERIC_DECLINE"}, squaretest.WrongCVV: {"cvv", "CVV_FAILURE"},
			squaretest.WrongExpiration: {"expired_card", "CARD_EXPIRED"}, squaretest.NeedsVerification: {"action_required", "CARD_DECLINED_VERIFICATION_REQUIRED"},
			"cnon:unknown": {"invalid_token", "NOT_FOUND"},
		} {
			row := d.until(t, d.pay(t, order(source)), "payment.state", "failed").Get("payment")
			require.Equal(t, want[0], row.Get("reason").String(), source)
			require.Equal(t, want[1], row.Get("code").String(), source)
			require.NotEmpty(t, row.Get("explanation").String(), source)
			require.Equal(t, source == squaretest.WrongExpiration, row.Get("final").Bool(), source)
			require.NotContains(t, row.Raw, source)
		}
		require.Zero(t, d.vendor.Charged())
		d.until(t, d.pay(t, order(squaretest.NeedsVerification, "verification_token", squaretest.Verification)), "payment.state", "captured")
	})
}

func TestPayment_IsUnknownUntilSquareAnswers(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		d.vendor.Fail(squaretest.Fault{Method: http.MethodPost, Drops: true, Takes: true})
		path := d.pay(t, order(squaretest.OK))
		row := d.until(t, path, "payment.state", "unknown").Get("payment")
		there := d.vendor.Payment(row.Get("uuid").String())
		require.NotNil(t, there, "Square has taken it")
		for _, status := range []string{"APPROVED", "COMPLETED"} {
			require.Equal(t, "unknown", d.get(t, path).OK(t).Get("payment.state").String(), "nobody asked for an authorization")
			there["status"] = status
			d.notify(t, "payment.updated", "payment", there).OK(t)
			require.Equal(t, inbound.Processed, d.handled(t).State)
		}
		require.NotContains(t, d.EventNames(t, d.Owner), "cards.payment.authorized")
		require.Equal(t, there["id"], d.until(t, path, "payment.state", "captured").Get("payment.id").String())
		require.Equal(t, 1, d.vendor.Charged())
	})
}

func TestPayment_IsCompletedOrCanceled(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		first, second := d.pay(t, order(squaretest.OK, "autocomplete", false)), d.pay(t, order(squaretest.OK, "autocomplete", false))
		for path, verb := range map[string]string{first: "complete", second: "cancel"} {
			require.False(t, d.until(t, path, "payment.state", "authorized").Get("payment.autocomplete").Bool())
			d.post(t, path+"/"+verb, nil).OK(t)
			d.post(t, path+"/"+verb, nil).Refused(t, http.StatusConflict, "cards.not_authorized")
		}
		d.until(t, first, "payment.status", "COMPLETED")
		d.until(t, second, "payment.status", "CANCELED")
	})
}

func TestPayments_AreListedPageByPage(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		var made []string
		for range 5 {
			made = append([]string{d.paid(t).Get("payment.uuid").String()}, made...)
		}
		d.post(t, cardsBase+"/accounts", `{"name": "Sandbox", "provider": "sandbox"}`).OK(t)
		elsewhere := d.post(t, cardsBase+"/payments", map[string]any{
			"amount": "1.00", "currency": "USD", "token": "tok_ok", "account_uuid": d.get(t, cardsBase+"/accounts?filter[provider]=sandbox").OK(t).Get("data.0.uuid").String(),
		}).OK(t).Get("uuid").String()
		var listed []string
		path := base + "/payments?limit=2"
		for path != "" {
			page := d.get(t, path).OK(t)
			for _, p := range page.Get("payments").Array() {
				listed = append(listed, p.Get("uuid").String())
			}
			if path = ""; page.Get("cursor").String() != "" {
				path = base + "/payments?limit=2&cursor=" + page.Get("cursor").String()
			}
		}
		require.Equal(t, made, listed, "the newest first, without those at other vendors")
		d.get(t, base+"/payments/"+elsewhere).Refused(t, http.StatusNotFound, "cards.payment_not_found")
		require.Equal(t, http.StatusUnprocessableEntity, d.get(t, base+"/payments?cursor=x").Status)
	})
}

func TestCard_IsSavedAndCharged(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		customer := d.post(t, base+"/customers", map[string]any{"given_name": "Ann", "email_address": "ann@example.com", "idempotency_key": "ann"}).OK(t)
		again := d.post(t, base+"/customers", map[string]any{"given_name": "Ann", "email_address": "ann@example.com", "idempotency_key": "ann"}).OK(t)
		require.Equal(t, customer.Body, again.Body)
		require.Len(t, d.vendor.Customers(), 1)
		id := customer.Get("customer.id").String()
		require.Equal(t, "Ann", d.get(t, base+"/customers/"+id).OK(t).Get("customer.given_name").String())
		d.get(t, base+"/customers/NOBODY").Refused(t, http.StatusNotFound, "square.customer_not_found")

		body := map[string]any{
			"source_id": squaretest.OK, "idempotency_key": "card of Ann",
			"card": map[string]any{"customer_id": id, "cardholder_name": "Ann", "billing_address": map[string]any{"postal_code": "75201"}},
		}
		path := base + "/cards/" + d.post(t, base+"/cards", body).OK(t).Get("card.uuid").String()
		card := d.until(t, path, "card.state", "active").Get("card")
		require.Equal(t, []any{"VISA", "1111", float64(12), float64(2030), id, true}, []any{
			card.Get("card_brand").Value(), card.Get("last_4").Value(), card.Get("exp_month").Value(), card.Get("exp_year").Value(),
			card.Get("customer_id").Value(), card.Get("enabled").Value(),
		})
		require.Len(t, d.vendor.Customers(), 1, "the customer that is named is used")
		require.Equal(t, card.Raw, d.get(t, base+"/cards").OK(t).Get("cards.0").Raw)
		for _, source := range []string{card.Get("uuid").String(), card.Get("id").String()} {
			row := d.until(t, d.pay(t, order(source)), "payment.state", "captured").Get("payment")
			require.Equal(t, card.Get("uuid").String(), row.Get("card_uuid").String())
			require.Equal(t, id, d.vendor.Payment(row.Get("id").String())["customer_id"])
		}
		d.post(t, base+"/payments", order("ccof:none")).Refused(t, http.StatusNotFound, "cards.card_not_found")
		d.post(t, base+"/payments", order(card.Get("id").String(), "account_uuid", uuid.NewString())).Refused(t, http.StatusUnprocessableEntity, "square.invalid")

		d.notify(t, "card.disabled", "card", map[string]any{"id": card.Get("id").String(), "enabled": false}).OK(t)
		require.Equal(t, inbound.Processed, d.handled(t).State)
		d.until(t, path, "card.state", "removed")
		d.post(t, base+"/payments", order(card.Get("id").String())).Refused(t, http.StatusConflict, "cards.card_not_active")
	})
}

func TestCard_OfAnOwnerHasOneCustomer(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		owner := d.paid(t).Get("payment.uuid").String()
		for range 2 {
			body := map[string]any{"source_id": squaretest.OK, "owner": map[string]any{"type": "cards.payment", "uuid": owner}}
			d.until(t, base+"/cards/"+d.post(t, base+"/cards", body).OK(t).Get("card.uuid").String(), "card.state", "active")
		}
		require.Len(t, d.vendor.Customers(), 1)
		require.Equal(t, owner, d.vendor.Customers()[0]["reference_id"])
	})
}

func TestCustomer_RefusesWhatSquareCannotTake(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		d.post(t, base+"/customers", `{"note": "x"}`).Refused(t, http.StatusUnprocessableEntity, "square.invalid")
		d.post(t, base+"/customers", `{"given_name": "Ann"}`, "Idempotency-Key", uuid.NewString()).
			Refused(t, http.StatusUnprocessableEntity, "square.idempotency_key_header")
		require.Empty(t, d.vendor.Customers())
		d.vendor.Fail(squaretest.Fault{Method: http.MethodPost, Status: http.StatusServiceUnavailable})
		d.post(t, base+"/customers", `{"given_name": "Ann"}`).Refused(t, http.StatusServiceUnavailable, "square.unavailable")
		d.vendor.Fail(squaretest.Fault{Method: http.MethodPost, Status: http.StatusBadRequest, Body: `{"errors": [{"code": "INVALID_EMAIL_ADDRESS", "detail": "No."}]}`})
		refused := d.post(t, base+"/customers", `{"given_name": "Ann"}`).Refused(t, http.StatusConflict, "square.refused")
		require.Equal(t, "INVALID_EMAIL_ADDRESS", refused.Get("details.code").String())
	})
}

// path is where the notifications of the account arrive.
func (d *till) path(t *testing.T) string {
	t.Helper()
	for _, a := range d.get(t, base+"/accounts").OK(t).Get("accounts").Array() {
		if a.Get("uuid").String() == d.account {
			return strings.TrimPrefix(a.Get("notify_url").String(), hooks)
		}
	}
	require.Fail(t, "there is no such account")

	return ""
}

func (d *till) notify(t *testing.T, event, kind string, object map[string]any) moduletest.Response {
	t.Helper()
	path := d.path(t)
	body, signature := d.vendor.Notification(hooks+path, event, kind, object)

	return d.Notify(t, path, body, squaretest.SignatureHeader, signature)
}

// handled waits for one more notification that is handled, and returns it.
func (d *till) handled(t *testing.T) inbound.Recorded {
	t.Helper()
	d.heard++

	return d.WaitHandled(t, d.Owner, d.heard)[d.heard-1]
}

func TestNotification_IsAppliedOnceAndNeverMovesAPaymentBack(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		row := d.paid(t).Get("payment")
		path := base + "/payments/" + row.Get("uuid").String()
		there := d.vendor.Payment(row.Get("id").String())
		for _, status := range []string{"APPROVED", "CANCELED", "FAILED"} {
			there["status"] = status
			d.notify(t, "payment.updated", "payment", there).OK(t)
			require.Equal(t, inbound.Processed, d.handled(t).State)
		}
		there["status"] = "COMPLETED"
		there["processing_fee"] = []any{map[string]any{"amount_money": map[string]any{"amount": 66, "currency": "USD"}}}
		there["updated_at"] = time.Now().Add(time.Second).UTC().Format(time.RFC3339Nano) //nolint:forbidigo // the vendor's clock
		target := d.path(t)
		body, signature := d.vendor.Notification(hooks+target, "payment.updated", "payment", there)
		for range 2 {
			d.Notify(t, target, body, squaretest.SignatureHeader, signature).OK(t)
		}
		require.Equal(t, 1, d.handled(t).Duplicates)
		require.Equal(t, int64(66), d.until(t, path, "payment.processing_fee_money.amount", "66").Get("payment.processing_fee_money.amount").Int())
		require.Equal(t, "captured", d.get(t, path).OK(t).Get("payment.state").String())
	})
}

func TestNotification_IsRefusedUnlessSquareSignedItForThisAddress(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		target := d.path(t)
		body, signature := d.vendor.Notification(hooks+target, "payment.updated", "payment", map[string]any{"id": "P", "status": "COMPLETED"})
		for name, forged := range map[string]string{
			"none": "", "another key": verify.SignSquare([]byte("another key"), hooks+target, body),
			"another address": verify.SignSquare([]byte(d.vendor.SignatureKey), "https://example.com"+target, body), "an empty key": verify.SignSquare(nil, hooks+target, body),
		} {
			require.Equal(t, http.StatusUnauthorized, d.Notify(t, target, body, squaretest.SignatureHeader, forged).Status, name)
		}
		require.Equal(t, http.StatusUnauthorized, d.Notify(t, target, append(body, ' '), squaretest.SignatureHeader, signature).Status)
		d.Notify(t, target, body, squaretest.SignatureHeader, signature).OK(t)
		require.Equal(t, "ignored", string(d.handled(t).State), "the payment was not made here")

		keyless := d.vendor.Credentials()
		delete(keyless, "signature_key")
		d.Call(t, d.Owner.Token, http.MethodPatch, cardsBase+"/accounts/"+d.account, map[string]any{"credentials": keyless}).OK(t)
		require.Equal(t, http.StatusUnauthorized, d.Notify(t, target, body, squaretest.SignatureHeader, verify.SignSquare(nil, hooks+target, body)).Status)
	})
}

func TestRefund_IsPendingUntilSquareHasGivenIt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		row := d.paid(t).Get("payment")
		refund := d.post(t, cardsBase+"/payments/"+row.Get("uuid").String()+"/refunds", `{"amount": "5.00", "note": "A complaint"}`).OK(t).Get("uuid").String()
		id := d.until(t, cardsBase+"/refunds/"+refund, "state", "pending").Get("vendor_id").String()
		d.notify(t, "refund.updated", "refund", d.vendor.Settle(id, "COMPLETED")).OK(t)
		require.Equal(t, inbound.Processed, d.handled(t).State)
		d.until(t, base+"/payments/"+row.Get("uuid").String(), "payment.refunded_money.amount", "500")
	})
}

func TestDispute_TakesTheAmountUntilItIsWon(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		row := d.paid(t).Get("payment")
		path := base + "/payments/" + row.Get("uuid").String()
		at := time.Now() //nolint:forbidigo // the vendor's clock
		for i, step := range []struct{ state, taken string }{{"INQUIRY_EVIDENCE_REQUIRED", "0"}, {"EVIDENCE_REQUIRED", "1250"}, {"PROCESSING", "1250"}, {"WON", "0"}} {
			d.notify(t, "dispute.state.updated", "dispute", map[string]any{
				"id": "D1", "state": step.state, "amount_money": map[string]any{"amount": 1250, "currency": "USD"}, "reason": "NO_KNOWLEDGE",
				"due_at": "2026-12-31T00:00:00Z", "disputed_payment": map[string]any{"payment_id": row.Get("id").String()},
				"updated_at": at.Add(time.Duration(i) * time.Second).UTC().Format(time.RFC3339Nano),
			}).OK(t)
			d.handled(t)
			d.until(t, path, "payment.disputed_money.amount", step.taken)
		}
		require.Subset(t, d.EventNames(t, d.Owner), []string{"cards.dispute.opened", "cards.dispute.won"})
	})
}

func TestReconcile_FindsWhatDiffersFromSquare(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		d.paid(t)
		changed := d.paid(t).Get("payment")
		added := d.vendor.Add("CARD", 700)
		d.vendor.Add("CASH", 900)
		d.vendor.Change(changed.Get("id").String(), func(p map[string]any) { p["amount_money"] = map[string]any{"amount": int64(1350), "currency": "USD"} })
		window := map[string]any{"begin_time": time.Now().Add(-time.Hour), "end_time": time.Now().Add(time.Hour)} //nolint:forbidigo // the window of a test
		started := d.post(t, base+"/reconcile", window).OK(t)
		path := started.Header.Get("Location")
		require.Equal(t, cardsBase+"/reconciliations/"+started.Get("uuid").String(), path)
		found := d.until(t, path, "state", "done")
		require.Equal(t, int64(1), found.Get("matched").Int(), string(found.Body))
		kinds := map[string]string{}
		for _, f := range found.Get("findings").Array() {
			kinds[f.Get("kind").String()] = f.Get("vendor_id").String()
		}
		require.Equal(t, map[string]string{"missing_here": added, "differing": changed.Get("id").String()}, kinds)
		d.post(t, path+"/apply", nil).OK(t)
		require.Equal(t, int64(700), d.get(t, base+"/payments/"+added).OK(t).Get("payment.amount_money.amount").Int())
		window["end_time"] = window["begin_time"]
		d.post(t, base+"/reconcile", window).Refused(t, http.StatusUnprocessableEntity, "cards.invalid")
	})
}

func TestAccounts_ShowWhatAPageNeedsAndNoSecret(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		listed := d.get(t, base+"/accounts").OK(t)
		shown := listed.Get("accounts.0")
		require.Equal(t, d.vendor.Application, shown.Get("application_id").String())
		require.Equal(t, d.vendor.Location, shown.Get("location_id").String())
		require.Equal(t, "sandbox", shown.Get("environment").String())
		require.Contains(t, shown.Get("script").String(), "https://sandbox.web.squarecdn.com/")
		health := d.get(t, base+"/health").OK(t)
		require.True(t, health.Get("healthy").Bool())
		d.vendor.Revoke()
		revoked := d.get(t, base+"/health").OK(t)
		require.False(t, revoked.Get("healthy").Bool())
		require.Equal(t, "revoked", revoked.Get("account.problem").String())
		row := d.until(t, d.pay(t, order(squaretest.OK)), "payment.state", "failed")
		require.Equal(t, "revoked", row.Get("payment.reason").String())
		for _, secret := range []string{d.vendor.Token, d.vendor.SignatureKey} {
			require.NotContains(t, string(listed.Body)+string(health.Body)+string(revoked.Body)+string(row.Body)+d.Logged(), secret)
		}
		d.post(t, cardsBase+"/accounts", `{"name": "X", "provider": "square", "credentials": {"access_token": "x"}}`).
			Refused(t, http.StatusUnprocessableEntity, "cards.invalid")
	})
}

func TestAccounts_OfSeveralNoneIsGuessed(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		other := squaretest.New(d.vendor.Location + "SECOND")
		d.hub.Add(other)
		second := d.connect(t, d.Owner, "Second", other)
		d.post(t, base+"/payments", order(squaretest.OK)).Refused(t, http.StatusUnprocessableEntity, "square.account_required")
		d.get(t, base+"/health").Refused(t, http.StatusUnprocessableEntity, "square.account_required")
		d.until(t, d.pay(t, order(squaretest.OK, "account_uuid", second)), "payment.state", "captured")
		require.Equal(t, []int{0, 1}, []int{d.vendor.Charged(), other.Charged()})
		d.post(t, cardsBase+"/accounts/"+second+"/disable", nil).OK(t)
		d.post(t, base+"/payments", order(squaretest.OK, "account_uuid", second)).Refused(t, http.StatusConflict, "cards.account_disabled")
		d.paid(t)
		require.Equal(t, 1, d.vendor.Charged())
	})
}

func TestIDs_OfAnotherCompanyAreNotFound(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		row := d.paid(t).Get("payment")
		card := d.post(t, base+"/cards", map[string]any{"source_id": squaretest.OK}).OK(t).Get("card.uuid").String()
		id := d.until(t, base+"/cards/"+card, "card.state", "active").Get("card.id").String()
		stranger := d.NewCompany(t)
		call := func(method, path string, body any) moduletest.Response {
			return d.Call(t, stranger.Token, method, base+path, body)
		}
		call(http.MethodPost, "/payments", order(squaretest.OK)).Refused(t, http.StatusConflict, "square.no_account")
		other := squaretest.New(d.vendor.Location + "STRANGER")
		d.hub.Add(other)
		d.connect(t, stranger, "Square", other)
		for _, path := range []string{"/payments/" + row.Get("uuid").String(), "/payments/" + row.Get("id").String(), "/cards/" + card, "/cards/" + id, "/health?account_uuid=" + d.account} {
			require.Equal(t, http.StatusNotFound, call(http.MethodGet, path, nil).Status, path)
		}
		for path, body := range map[string]any{
			"/payments/" + row.Get("uuid").String() + "/cancel": nil, "/payments/" + row.Get("id").String() + "/complete": nil,
			"/payments": order(id), "/cards": map[string]any{"source_id": squaretest.OK, "account_uuid": d.account},
			"/reconcile": map[string]any{"account_uuid": d.account, "begin_time": "2026-01-01T00:00:00Z", "end_time": "2026-01-02T00:00:00Z"},
			"/customers": map[string]any{"given_name": "Ann", "account_uuid": d.account},
		} {
			require.Equal(t, http.StatusNotFound, call(http.MethodPost, path, body).Status, path)
		}
		require.Empty(t, call(http.MethodGet, "/payments", nil).OK(t).Get("payments").Array())
		require.Empty(t, call(http.MethodGet, "/cards", nil).OK(t).Get("cards").Array())
		require.Equal(t, 1, d.vendor.Charged())
	})
}

func TestBodies_WithACardNumberAreRefused(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		for path, body := range map[string]string{
			"/payments":  `{"source_id": "4111 1111 1111 1111", "amount_money": {"amount": 1, "currency": "USD"}}`,
			"/cards":     `{"source_id": "4111111111111111"}`,
			"/customers": `{"given_name": "Ann", "note": "4111-1111-1111-1111"}`,
		} {
			refused := d.post(t, base+path, body).Refused(t, http.StatusUnprocessableEntity, "cards.card_number")
			require.NotContains(t, string(refused.Body), "1111")
		}
		require.NotContains(t, d.Logged(), "1111111")
		require.Empty(t, d.vendor.Customers())
	})
}

func TestPayment_OfTwoAtATimeWithOneKeyIsOne(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		var both sync.WaitGroup
		var paths sync.Map
		for range 4 {
			both.Go(func() { paths.Store(d.pay(t, order(squaretest.OK, "idempotency_key", "once")), true) })
		}
		both.Wait()
		n := 0
		paths.Range(func(path, _ any) bool {
			n++
			d.until(t, path.(string), "payment.state", "captured")

			return true
		})
		require.Equal(t, 1, n)
		require.Equal(t, 1, d.vendor.Charged())
	})
}
