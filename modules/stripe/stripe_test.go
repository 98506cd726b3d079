package stripe_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/cards"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/stripe"
	"github.com/dispatchd/dispatchd/modules/stripe/stripetest"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const (
	base = "/cards/api/v1"
	// hooks is the address that Stripe knows us by.
	hooks = "https://hooks.example.test"
)

// hub is Stripe with the accounts of all tests, and opened how many there are.
var (
	hub    stripetest.Hub
	opened atomic.Int64
)

func modules() []module.Module {
	return []module.Module{cards.Module, companies.Module, stripe.Module}
}

func TestMain(m *testing.M) {
	server := httptest.NewServer(&hub)
	defer server.Close()
	moduletest.MainWith(m, []moduletest.Option{moduletest.Set(
		"modules.stripe.base_url="+server.URL, "web.services_url="+hooks, "web.base_url=https://app.example.test", "jobs.poll=10ms",
		"outbound.allow_http=true", "outbound.allow_networks=127.0.0.0/8", "outbound.breaker_failures=0",
	)}, stripe.Module, modules()...)
}

// till is a company with an account at Stripe.
type till struct {
	*moduletest.App

	vendor  *stripetest.Stripe
	account string
	heard   int
}

// each runs a test on both databases, each with an account of its own at Stripe.
func each(t *testing.T, test func(t *testing.T, d *till)) {
	t.Helper()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		test(t, connect(t, a, ""))
	})
}

// connect makes an account at Stripe, of a platform if it has the id of a connected one.
func connect(t *testing.T, a *moduletest.App, connected string) *till {
	t.Helper()
	d := &till{App: a, vendor: stripetest.New(fmt.Sprintf("EXAMPLE%d", opened.Add(1)))}
	d.vendor.Connected = connected
	hub.Add(d.vendor)
	d.account = d.post(t, "/accounts", map[string]any{"name": "Stripe", "provider": "stripe", "credentials": d.vendor.Credentials()}).
		OK(t).Get("uuid").String()

	return d
}

func (d *till) post(t *testing.T, path string, body any) moduletest.Response {
	t.Helper()

	return d.Call(t, d.Owner.Token, http.MethodPost, base+path, body)
}

func (d *till) get(t *testing.T, path string) moduletest.Response {
	t.Helper()

	return d.Call(t, d.Owner.Token, http.MethodGet, base+path, nil)
}

// until waits until a key of a resource has a value, and returns the resource.
func (d *till) until(t *testing.T, path, key, value string) moduletest.Response {
	t.Helper()
	var last moduletest.Response
	require.Eventually(t, func() bool {
		last = d.get(t, path).OK(t)

		return last.Get(key).String() == value
	}, time.Minute, 10*time.Millisecond, "%s: %s is %s", path, key, value)

	return last
}

// pay orders a payment of 12.50 USD, and returns its path.
func (d *till) pay(t *testing.T, more ...any) string {
	t.Helper()
	body := map[string]any{"amount": "12.50", "currency": "USD"}
	for i := 0; i < len(more); i += 2 {
		body[more[i].(string)] = more[i+1]
	}

	return "/payments/" + d.post(t, "/payments", body).OK(t).Get("uuid").String()
}

// paid returns a payment that was captured, and its path.
func (d *till) paid(t *testing.T) (path string, row moduletest.Response) {
	t.Helper()
	path = d.pay(t, "token", stripetest.OK)

	return path, d.until(t, path, "state", "captured")
}

// saved returns the path of a card that Stripe keeps.
func (d *till) saved(t *testing.T, token string) string {
	t.Helper()
	path := "/cards/" + d.post(t, "/cards", map[string]any{"token": token, "name": "Ann", "email": "ann@example.com"}).OK(t).Get("uuid").String()
	d.until(t, path, "state", "active")

	return path
}

// path is where the events of the account arrive.
func (d *till) path(t *testing.T) string {
	t.Helper()

	return strings.TrimPrefix(d.get(t, "/accounts/"+d.account).OK(t).Get("notify_url").String(), hooks)
}

func (d *till) notify(t *testing.T, kind string, about map[string]any, more ...string) inbound.Recorded {
	t.Helper()
	body, signature := d.vendor.Event(kind, about, more...)
	d.Notify(t, d.path(t), body, stripetest.SignatureHeader, signature).OK(t)

	return d.handled(t)
}

// handled waits for one more event that is handled, and returns it.
func (d *till) handled(t *testing.T) inbound.Recorded {
	t.Helper()
	d.heard++

	return d.WaitHandled(t, d.Owner, d.heard)[d.heard-1]
}

func TestCharge_OfASavedCardIsMadeOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		card := d.saved(t, stripetest.OK)
		row := d.get(t, card).OK(t)
		require.Equal(t, []any{"visa", "4242"}, []any{row.Get("brand").Value(), row.Get("last4").Value()})
		uuid := strings.TrimPrefix(card, "/cards/")
		path := d.pay(t, "card_uuid", uuid, "reference", "order 7", "note", "Order 7", "statement", "DISPATCH")
		require.Equal(t, path, d.pay(t, "card_uuid", uuid, "reference", "order 7", "note", "Order 7", "statement", "DISPATCH"), "a repeat is the first payment")
		row = d.until(t, path, "state", "captured")
		require.Equal(t, "succeeded", row.Get("vendor_status").String())
		require.Equal(t, "0.66", row.Get("fee").String())
		there := d.vendor.Payment(row.Get("vendor_id").String())
		require.Equal(t, int64(1250), there["amount"])
		require.Equal(t, true, there["off_session"])
		require.Equal(t, "DISPATCH", there["statement_descriptor_suffix"])
		require.Equal(t, there, d.vendor.Payment(row.Get("uuid").String()), "it has our reference")
		require.Equal(t, 1, d.vendor.Charged())
		require.Equal(t, 1, d.vendor.Customers())

		d.post(t, card+"/remove", nil).OK(t)
		d.post(t, "/payments", map[string]any{"amount": "1.00", "currency": "USD", "card_uuid": uuid}).Refused(t, http.StatusConflict, "cards.card_not_active")
	})
}

func TestCharge_SaysWhyItWasDeclined(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		for token, want := range map[string][2]string{
			stripetest.Declined: {"declined", "generic_decline"}, stripetest.WrongCVC: {"cvv", "incorrect_cvc"}, stripetest.Expired: {"expired_card", "expired_card"},
			stripetest.Stolen: {"declined", "stolen_card"}, stripetest.Asks: {"action_required", "authentication_required"}, "pm_unknown": {"invalid_token", "resource_missing"},
		} {
			row := d.until(t, d.pay(t, "token", token), "state", "failed")
			require.Equal(t, want[0], row.Get("reason").String(), token)
			require.Equal(t, want[1], row.Get("code").String(), token)
			require.NotEmpty(t, row.Get("explanation").String(), token)
			require.Equal(t, token == stripetest.Expired || token == stripetest.Stolen, row.Get("final").Bool(), token)
			require.NotContains(t, string(row.Body), token)
		}
		later := d.saved(t, stripetest.LaterDeclined)
		row := d.until(t, d.pay(t, "card_uuid", strings.TrimPrefix(later, "/cards/")), "state", "failed")
		require.Equal(t, "declined", row.Get("reason").String())
		require.Zero(t, d.vendor.Charged())
	})
}

func TestCharge_IsUnknownUntilStripeAnswers(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		d.vendor.Fail(stripetest.Fault{Method: http.MethodPost, Drops: true, Takes: true})
		path := d.pay(t, "token", stripetest.OK)
		row := d.until(t, path, "state", "unknown")
		there := d.vendor.Payment(row.Get("uuid").String())
		require.NotNil(t, there, "Stripe has taken it")
		require.Equal(t, inbound.Processed, d.notify(t, "payment_intent.succeeded", there).State)
		require.Equal(t, there["id"], d.until(t, path, "state", "captured").Get("vendor_id").String())
		require.Equal(t, 1, d.vendor.Charged())
	})
}

func TestCharge_AsksAPresentCardholder(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		for accepts, want := range map[bool]string{true: "captured", false: "failed"} {
			path := d.pay(t, "token", stripetest.Asks, "present", true)
			row := d.until(t, path, "state", "requires_action")
			require.Contains(t, row.Get("action_url").String(), "https://hooks.stripe.com/")
			there := d.vendor.Confirm(row.Get("vendor_id").String(), accepts)
			kind := map[bool]string{true: "payment_intent.succeeded", false: "payment_intent.payment_failed"}[accepts]
			require.Equal(t, inbound.Processed, d.notify(t, kind, there).State)
			require.Empty(t, d.until(t, path, "state", want).Get("action_url").String())
		}
		require.Contains(t, d.EventNames(t, d.Owner), "cards.payment.action_required")
		require.Equal(t, 1, d.vendor.Charged())
	})
}

func TestAuthorize_ReservesUntilCapturedOrCanceled(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		for verb, want := range map[string]string{"capture": "captured", "cancel": "canceled"} {
			path := d.pay(t, "token", stripetest.OK, "authorize", true)
			row := d.until(t, path, "state", "authorized")
			require.Equal(t, "requires_capture", row.Get("vendor_status").String())
			d.post(t, path+"/"+verb, nil).OK(t)
			d.until(t, path, "state", want)
		}
		require.Equal(t, 1, d.vendor.Charged())
	})
}

func TestReconcile_FindsWhatDiffersFromStripe(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		d.paid(t)
		_, row := d.paid(t)
		changed := row.Get("vendor_id").String()
		added := d.vendor.Add("card", 700)
		d.vendor.Add("us_bank_account", 900)
		d.vendor.Change(changed, func(p map[string]any) { p["amount_received"] = int64(1350) })
		window := map[string]any{"from": time.Now().Add(-time.Hour), "to": time.Now().Add(time.Hour)} //nolint:forbidigo // the window of a test
		path := "/reconciliations/" + d.post(t, "/reconciliations", window).OK(t).Get("uuid").String()
		found := d.until(t, path, "state", "done")
		require.Equal(t, int64(1), found.Get("matched").Int(), string(found.Body))
		kinds := map[string]string{}
		for _, f := range found.Get("findings").Array() {
			kinds[f.Get("kind").String()] = f.Get("vendor_id").String()
		}
		require.Equal(t, map[string]string{"missing_here": added, "differing": changed}, kinds)
		d.post(t, path+"/apply", nil).OK(t)
		require.Equal(t, "7.00", d.get(t, "/payments?filter[vendor_id]="+added).OK(t).Get("data.0.amount").String())
	})
}

func TestPayLink_IsPaidWithStripesFields(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		made := d.post(t, "/pay_links", map[string]any{"title": "Transport", "amount": "12.50", "currency": "USD"}).OK(t)
		address, err := url.Parse(made.Get("url").String())
		require.NoError(t, err)
		shown := d.Call(t, "", http.MethodGet, address.Path, nil, "Accept", "text/html").OK(t)
		require.Contains(t, string(shown.Body), `<script src="https://js.stripe.com/v3/"></script>`)
		require.Contains(t, string(shown.Body), d.vendor.PublishableKey)
		require.NotContains(t, string(shown.Body), d.vendor.SecretKey)
		policy := shown.Header.Get("Content-Security-Policy")
		for _, origin := range []string{"script-src https://js.stripe.com ", "connect-src https://js.stripe.com https://api.stripe.com ", "frame-src https://js.stripe.com https://hooks.stripe.com"} {
			require.Contains(t, policy, origin)
		}
		d.Call(t, "", http.MethodPost, address.Path, map[string]any{"token": stripetest.Asks}).OK(t)
		payment := "/payments/" + d.get(t, "/pay_links/"+made.Get("uuid").String()).OK(t).Get("payment_uuid").String()
		asked := d.until(t, payment, "state", "requires_action")
		seen := d.Call(t, "", http.MethodGet, address.Path, nil).OK(t)
		require.Equal(t, asked.Get("action_url").String(), seen.Get("action_url").String())
		require.Equal(t, inbound.Processed, d.notify(t, "payment_intent.succeeded", d.vendor.Confirm(asked.Get("vendor_id").String(), true)).State)
		d.until(t, payment, "state", "captured")
		require.Equal(t, "paid", d.Call(t, "", http.MethodGet, address.Path, nil).OK(t).Get("stage").String())
	})
}

func TestAccount_ShowsWhatAPageNeedsAndNoSecret(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		shown := d.get(t, "/accounts/"+d.account).OK(t)
		require.Equal(t, d.vendor.PublishableKey, shown.Get("page.application").String())
		require.Contains(t, shown.Get("page.script").String(), "https://js.stripe.com/")
		require.False(t, shown.Get("page.live").Bool())
		health := d.get(t, "/accounts/"+d.account+"/health").OK(t)
		require.True(t, health.Get("healthy").Bool())
		d.vendor.Revoke()
		revoked := d.get(t, "/accounts/"+d.account+"/health").OK(t)
		require.Equal(t, "auth", revoked.Get("reason").String())
		row := d.until(t, d.pay(t, "token", stripetest.OK), "state", "failed")
		require.Equal(t, "auth", row.Get("reason").String())
		for _, secret := range []string{d.vendor.SecretKey, d.vendor.SigningSecret} {
			require.NotContains(t, string(shown.Body)+string(health.Body)+string(revoked.Body)+string(row.Body)+d.Logged(), secret)
		}
		refused := d.post(t, "/accounts", map[string]any{"name": "X", "provider": "stripe", "credentials": map[string]string{
			"secret_key": d.vendor.SecretKey, "publishable_key": d.vendor.SecretKey,
		}}).Refused(t, http.StatusUnprocessableEntity, "cards.invalid")
		require.NotContains(t, string(refused.Body), d.vendor.SecretKey)
	})
}
