package billing_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
)

func TestSuspension_StopsRenewalsButNotDunning(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		w.plan(t, "pro", "99.00", nil)
		w.post(t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": w.card(t)}).OK(t)
		of := base + "/companies/" + w.Owner.ID.String()
		turn := func(verb string) {
			w.Call(t, w.operator, http.MethodPost, "/companies/api/v1/companies/"+w.Owner.ID.String()+"/"+verb, nil).OK(t)
		}
		shows := func(state string, invoices ...string) {
			t.Helper()
			require.Equal(t, state, w.Call(t, w.operator, http.MethodGet, of+"/subscription", nil).OK(t).Get("state").String())
			var all []string
			for _, i := range w.Call(t, w.operator, http.MethodGet, of+"/invoices?sort=number", nil).OK(t).Get("data").Array() {
				all = append(all, fmt.Sprintf("%s %s", i.Get("issued_on").String(), i.Get("state").String()))
			}
			require.Equal(t, invoices, all)
		}
		w.cards.answer(cardsapi.PaymentFailed, cardsapi.InsufficientFunds, false)
		w.until(t, "2027-07-01")
		turn("suspend")
		shows("past_due", "2027-06-01 paid", "2027-07-01 open")
		w.cards.answer(cardsapi.PaymentCaptured, "", false)
		w.until(t, "2027-07-02")
		shows("active", "2027-06-01 paid", "2027-07-01 paid") // what it owes is collected on the days of the schedule
		w.until(t, "2027-09-10")
		shows("active", "2027-06-01 paid", "2027-07-01 paid")

		turn("resume")
		w.clock.Advance(time.Hour)
		w.run(t)
		shows("active", "2027-06-01 paid", "2027-07-01 paid", "2027-09-10 paid")
		require.Equal(t, "2027-10-10", w.Call(t, w.operator, http.MethodGet, of+"/subscription", nil).OK(t).Get("period_end").String())

		w.cards.answer(cardsapi.PaymentFailed, cardsapi.InsufficientFunds, false)
		w.until(t, "2027-10-10")
		turn("suspend")
		w.until(t, "2027-10-17")
		shows("unpaid", "2027-06-01 paid", "2027-07-01 paid", "2027-09-10 paid", "2027-10-10 open")
		w.until(t, "2027-11-15")
		shows("unpaid", "2027-06-01 paid", "2027-07-01 paid", "2027-09-10 paid", "2027-10-10 open")
		invoice := w.Call(t, w.operator, http.MethodGet, of+"/invoices?sort=-number", nil).OK(t).Get("data.0.uuid").String()
		w.Call(t, w.operator, http.MethodPost, of+"/invoices/"+invoice+"/record_payment", object{"reference": "WIRE 9"}).OK(t)
		shows("active", "2027-06-01 paid", "2027-07-01 paid", "2027-09-10 paid", "2027-10-10 paid") // the next period waits
		w.until(t, "2027-11-18")
		turn("resume")
		w.clock.Advance(time.Hour)
		w.run(t)
		shows("past_due", "2027-06-01 paid", "2027-07-01 paid", "2027-09-10 paid", "2027-10-10 paid", "2027-11-18 open")
	})
}
