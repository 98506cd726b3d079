package billing_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/modules/billing"
	"github.com/dispatchd/dispatchd/modules/cards"
	"github.com/dispatchd/dispatchd/modules/collections"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/notes"
	"github.com/dispatchd/dispatchd/modules/tags"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const cardsBase = "/cards/api/v1"

// eachVendor runs a test on each database, with the area cards itself, the sandbox as the seller's vendor, and the time as it is.
func eachVendor(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	all := []module.Module{billing.Module, cards.Module, collections.Module, companies.Module, notes.Module, tags.Module}
	moduletest.BootEach(t, all, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		w := &world{App: a}
		w.openShop(t)
		w.atVendor(t, "/accounts", object{"name": "Sandbox", "provider": "sandbox"})
		test(t, w)
	}, moduletest.Alone())
}

// atVendor posts to the area cards, for the seller.
func (w *world) atVendor(t *testing.T, path string, body any) moduletest.Response {
	t.Helper()

	return w.Call(t, w.house.Token, http.MethodPost, cardsBase+path, body).OK(t)
}

// subscribed subscribes the customer with a token of the sandbox, and returns the path of the subscription once it is active.
func (w *world) subscribed(t *testing.T, token string) string {
	t.Helper()
	card := w.post(t, base+"/cards", object{"token": token}).OK(t).Get("uuid").String()
	at := base + "/subscriptions/" + w.post(t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": card}).OK(t).Get("uuid").String()
	w.waitFor(t, at, "active")

	return at
}

func (w *world) waitFor(t *testing.T, path, state string) {
	t.Helper()
	w.Eventually(t, func() bool { return w.get(t, path).Get("state").String() == state }, state)
}

// vendorPayment returns the seller's latest payment in the area cards.
func (w *world) vendorPayment(t *testing.T) gjson.Result {
	t.Helper()

	return w.Call(t, w.house.Token, http.MethodGet, cardsBase+"/payments?sort=-created_at", nil).OK(t).Get("data.0")
}

// reconcile has the seller's payments compared with the vendor's, and corrected. It returns the findings.
func (w *world) reconcile(t *testing.T) gjson.Result {
	t.Helper()
	now := time.Now() //nolint:forbidigo // the window of a test
	path := cardsBase + "/reconciliations/" + w.atVendor(t, "/reconciliations", object{"from": now.Add(-time.Hour), "to": now.Add(time.Minute)}).Get("uuid").String()
	var found moduletest.Response
	w.Eventually(t, func() bool {
		found = w.Call(t, w.house.Token, http.MethodGet, path, nil).OK(t)

		return found.Get("state").String() == "done"
	}, "they are compared")
	w.Call(t, w.house.Token, http.MethodPost, path+"/apply", nil).OK(t)

	return found.Get("findings")
}

func TestReconcile_ReversesAPaymentThatTheVendorDoesNotHave(t *testing.T) {
	t.Parallel()
	eachVendor(t, func(t *testing.T, w *world) {
		t.Helper()
		w.plan(t, "pro", "99.00", nil)
		at := w.subscribed(t, "tok_ok")
		require.Equal(t, map[string]string{
			"cash_clearing:cards": "95.83", "expense:gateway_fees": "3.17", "income:subscriptions": "-99.00", "receivable": "0.00",
		}, w.books(t))
		w.atVendor(t, "/sandbox/payments/"+w.vendorPayment(t).Get("uuid").String()+"/play", object{"event": "forget"})
		require.Equal(t, "missing_there", w.reconcile(t).Get("0.kind").String())
		w.waitFor(t, at, "past_due")
		invoice := w.get(t, base+"/invoices").Get("data.0")
		require.Equal(t, []string{"open", "99.00", "0.00", "null"}, []string{
			invoice.Get("state").String(), invoice.Get("balance").String(), invoice.Get("paid").String(), invoice.Get("paid_at").Raw,
		})
		require.Equal(t, "failed", w.get(t, base+"/payments").Get("data.0.state").String())
		require.Equal(t, map[string]string{
			"cash_clearing:cards": "0.00", "expense:gateway_fees": "0.00", "income:subscriptions": "-99.00", "receivable": "99.00",
		}, w.books(t))
		require.Contains(t, w.EventNames(t, w.Owner), "billing.payment.reversed")
		require.Empty(t, w.reconcile(t).Array(), "nothing differs any more")

		w.post(t, base+"/invoices/"+invoice.Get("uuid").String()+"/pay", object{}).OK(t)
		w.waitFor(t, at, "active")
		require.Equal(t, "95.83", w.books(t)["cash_clearing:cards"])
		require.Equal(t, "0.00", w.books(t)["receivable"])
	})
}

func TestVendor_RefundsAndDisputesArePosted(t *testing.T) {
	t.Parallel()
	eachVendor(t, func(t *testing.T, w *world) {
		t.Helper()
		w.plan(t, "pro", "99.00", nil)
		w.subscribed(t, "tok_ok")
		paid := w.vendorPayment(t).Get("uuid").String()
		at := base + "/companies/" + w.Owner.ID.String() + "/invoices/" + w.get(t, base+"/invoices").Get("data.0.uuid").String()
		w.Call(t, w.operator, http.MethodPost, at+"/credit", object{"amount": "9.00", "reason": "Outage"}).OK(t)
		w.Eventually(t, func() bool { return w.get(t, base+"/credit_notes").Get("data.0.refund_state").String() == "completed" }, "the refund completes")
		require.Equal(t, map[string]string{
			"cash_clearing:cards": "86.83", "expense:gateway_fees": "3.17", "income:subscriptions": "-90.00", "receivable": "0.00",
		}, w.books(t), "99.00 - 3.17 - 9.00")
		w.atVendor(t, "/sandbox/payments/"+paid+"/play", object{"event": "dispute_open"})
		w.Eventually(t, func() bool { return w.books(t)["expense:gateway_fees"] == "18.17" }, "a dispute costs 15.00")
		w.atVendor(t, "/sandbox/payments/"+paid+"/play", object{"event": "dispute_lost"})
		w.Eventually(t, func() bool { return w.books(t)["expense:chargebacks"] != "" }, "the amount is gone")
		require.Zero(t, w.sum(t, ""))
		require.Equal(t, "0.00", w.books(t)["cash_disputed:cards"])
		require.Equal(t, "paid", w.get(t, base+"/invoices").Get("data.0.state").String())
	})
}

func TestVendor_ThatDeclinesIsAskedAgainWithAnotherCard(t *testing.T) {
	t.Parallel()
	eachVendor(t, func(t *testing.T, w *world) {
		t.Helper()
		w.plan(t, "pro", "99.00", nil)
		for token, reason := range map[string]string{"tok_declined": "declined", "tok_expired": "expired_card", "tok_insufficient": "insufficient_funds"} {
			card := w.post(t, base+"/cards", object{"token": token}).OK(t).Get("uuid").String()
			w.Eventually(t, func() bool {
				for _, c := range w.get(t, base+"/cards").Get("data").Array() {
					if c.Get("uuid").String() == card {
						return c.Get("state").String() == "failed" && c.Get("reason").String() == reason
					}
				}

				return false
			}, token)
		}
		card := w.post(t, base+"/cards", object{"token": "tok_later_declined"}).OK(t).Get("uuid").String()
		at := base + "/subscriptions/" + w.post(t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": card}).OK(t).Get("uuid").String()
		w.Eventually(t, func() bool { return w.get(t, base+"/payments").Get("data.0.reason").String() == "declined" }, "the charge is declined")
		require.Equal(t, "incomplete", w.get(t, at).Get("state").String())
		w.post(t, at+"/payment_method", object{"card_uuid": w.post(t, base+"/cards", object{"token": "tok_ok"}).OK(t).Get("uuid").String()}).OK(t)
		w.waitFor(t, at, "active")
		require.Equal(t, "95.83", w.books(t)["cash_clearing:cards"])
		require.Equal(t, "0.00", w.books(t)["receivable"])
	})
}
