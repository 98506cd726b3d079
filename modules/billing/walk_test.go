package billing_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// adds requires that each invoice adds up, and that all invoices together are what the ledger has.
func (w *world) adds(t *testing.T) {
	t.Helper()
	sum := func(amounts ...gjson.Result) money.Money {
		total := money.Zero("USD")
		for _, a := range amounts {
			var err error
			total, err = total.Add(money.Money{Amount: money.Amount(a.String()), Currency: "USD"})
			require.NoError(t, err)
		}

		return total
	}
	var nets, taxes, balances, paid, lost []gjson.Result
	for _, i := range w.get(t, base+"/invoices?per_page=200").Get("data").Array() {
		require.Equal(t, i.Get("net").String(), string(sum(i.Get("lines.#.amount").Array()...).Amount), i.Raw)
		require.Equal(t, i.Get("tax").String(), string(sum(i.Get("taxes.#.amount").Array()...).Amount), i.Raw)
		require.Equal(t, i.Get("total").String(), string(sum(i.Get("net"), i.Get("tax")).Amount), i.Raw)
		require.Equal(t, i.Get("total").String(), string(sum(i.Get("paid"), i.Get("credited"), i.Get("written_off"), i.Get("balance")).Amount), i.Raw)
		nets, taxes, balances = append(nets, i.Get("net")), append(taxes, i.Get("tax")), append(balances, i.Get("balance"))
		paid, lost = append(paid, i.Get("paid")), append(lost, i.Get("written_off"))
	}
	neg := func(m money.Money) string {
		n, err := m.Neg()
		require.NoError(t, err)

		return string(n.Amount)
	}
	books := w.books(t)
	require.Equal(t, neg(sum(nets...)), books["income:subscriptions"])
	require.Equal(t, neg(sum(taxes...)), books["tax:tx"])
	require.Equal(t, string(sum(balances...).Amount), books["receivable"])
	require.Equal(t, string(sum(paid...).Amount), books["cash_clearing:cards"])
	if text, written := books["expense:bad_debt"]; written {
		require.Equal(t, string(sum(lost...).Amount), text)
	}
	report, err := w.Ledger.Verify(principal.AsCompany(t.Context(), w.house.ID))
	require.NoError(t, err)
	require.Empty(t, report.Findings)
}

// TestSubscription_LivesForTwoYears walks from sign-up to the end: a trial that ends on 31 January, the ends of short months, both changes of
// clocks, the leap day of 2028, changes of plan, an invoice that is paid late, and one that never is.
func TestSubscription_LivesForTwoYears(t *testing.T) {
	t.Parallel()
	each(t, "2027-01-17", func(t *testing.T, w *world) {
		t.Helper()
		w.Call(t, w.operator, http.MethodPost, base+"/tax_rates", object{"code": "tx", "name": "Sales tax", "percent": "8.25", "country": "US", "state": "TX"}).OK(t)
		w.plan(t, "pro", "99.00", object{"trial_days": 14, "features": object{"areas": []string{"notes"}}})
		w.plan(t, "max", "199.00", object{"features": object{"areas": []string{"notes", "tags"}}})
		card := w.card(t)
		sub := w.post(t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": card}).OK(t)
		at := base + "/subscriptions/" + sub.Get("uuid").String()
		state := func() string { return w.get(t, at).Get("state").String() }
		require.Equal(t, "trialing 2027-01-31", state()+" "+sub.Get("trial_ends_on").String())
		require.Equal(t, "billing collections notes", w.uses(t))

		w.until(t, "2027-01-27")
		require.NotContains(t, w.EventNames(t, w.Owner), "billing.subscription.trial_ending")
		w.until(t, "2027-01-30")
		require.Contains(t, w.EventNames(t, w.Owner), "billing.subscription.trial_ending")
		require.Empty(t, w.invoices(t))
		w.until(t, "2027-06-10")
		require.Equal(t, []string{
			"2027-01-31 107.17 paid", "2027-02-28 107.17 paid", "2027-03-31 107.17 paid", "2027-04-30 107.17 paid", "2027-05-31 107.17 paid",
		}, w.invoices(t), "99.00 and 8.17 tax")
		w.adds(t)

		// 20 of 30 days are left on 10 June: 132.67 - 66.00 are billed with the next period.
		w.post(t, at+"/update", object{"plan_code": "max"}).OK(t)
		require.Equal(t, "billing collections notes tags", w.uses(t))
		w.until(t, "2027-07-01")
		require.Equal(t, "2027-06-30 287.59 paid", w.invoices(t)[5], "265.67 and 21.92 tax")
		w.until(t, "2028-03-01")
		require.Equal(t, []string{
			"2027-07-31 215.42 paid", "2027-08-31 215.42 paid", "2027-09-30 215.42 paid", "2027-10-31 215.42 paid", "2027-11-30 215.42 paid",
			"2027-12-31 215.42 paid", "2028-01-31 215.42 paid", "2028-02-29 215.42 paid",
		}, w.invoices(t)[6:])
		w.adds(t)

		w.post(t, at+"/update", object{"plan_code": "pro"}).OK(t)
		require.Equal(t, "billing collections notes tags", w.uses(t), "until the end of the period")
		w.until(t, "2028-04-01")
		require.Equal(t, "2028-03-31 107.17 paid", w.invoices(t)[14])
		require.Equal(t, "billing collections notes", w.uses(t))

		// The card fails from August on: days 0, 1, 3, 5 and 7, then it is unpaid.
		w.until(t, "2028-08-30")
		w.cards.answer(cardsapi.PaymentFailed, cardsapi.InsufficientFunds, false)
		attempts := w.get(t, base+"/payments?per_page=200").Get("data.#").Int()
		w.until(t, "2028-08-31")
		require.Equal(t, "past_due", state())
		require.Equal(t, "billing collections notes", w.uses(t))
		w.until(t, "2028-09-06")
		require.Equal(t, "past_due", state())
		w.until(t, "2028-09-07")
		require.Equal(t, "unpaid", state())
		require.Equal(t, "billing collections", w.uses(t))
		require.Equal(t, attempts+5, w.get(t, base+"/payments?per_page=200").Get("data.#").Int())
		w.adds(t)
		require.Equal(t, "107.17", w.get(t, base+"/account").Get("due.0.amount").String())
		w.cards.answer(cardsapi.PaymentCaptured, "", false)
		w.post(t, at+"/payment_method", object{"card_uuid": w.card(t)}).OK(t)
		require.Equal(t, "active", state())
		require.Equal(t, "billing collections notes", w.uses(t))
		require.Equal(t, "2028-08-31 2028-09-30", w.get(t, at).Get("period_start").String()+" "+w.get(t, at).Get("period_end").String())

		// The last invoice is never paid.
		w.until(t, "2028-12-30")
		w.cards.answer(cardsapi.PaymentFailed, cardsapi.InsufficientFunds, false)
		w.until(t, "2029-02-05")
		require.Equal(t, "unpaid", state())
		w.until(t, "2029-02-06")
		require.Equal(t, "canceled", state(), "37 days after 31 December")
		require.Equal(t, "billing collections", w.uses(t))
		invoices := w.invoices(t)
		require.Equal(t, []string{"2028-11-30 107.17 paid", "2028-12-31 107.17 uncollectible"}, invoices[len(invoices)-2:])
		require.Len(t, invoices, 24)
		w.adds(t)
		require.Equal(t, "107.17", w.books(t)["expense:bad_debt"])
		for n, i := range w.get(t, base+"/invoices?sort=number&per_page=200").Get("data").Array() {
			require.Regexp(t, `^INV-202[78]-0000\d\d$`, i.Get("number").String(), "%d", n)
		}
		w.until(t, "2029-06-01")
		require.Len(t, w.invoices(t), 24, "nothing follows")
	})
}
