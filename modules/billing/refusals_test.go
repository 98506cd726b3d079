package billing_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// said are the names of the events of billing.
func (w *world) said(t *testing.T, prefixes ...string) []string {
	t.Helper()

	return w.EventNames(t, w.Owner, prefixes...)
}

func TestSubscription_PublishesWhatBecomesOfIt(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		w.plan(t, "pro", "99.00", nil)
		w.plan(t, "max", "199.00", nil)
		sub := w.post(t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": w.card(t)}).OK(t).Get("uuid").String()
		require.ElementsMatch(t, []string{"billing.subscription.started", "billing.invoice.issued", "billing.payment.captured", "billing.invoice.paid"},
			w.said(t, "billing.subscription.started", "billing.invoice.", "billing.payment."))
		w.until(t, "2027-07-02")
		require.Equal(t, []string{"billing.subscription.renewed"}, w.said(t, "billing.subscription.renewed"))
		w.post(t, base+"/subscriptions/"+sub+"/update", object{"plan_code": "max"}).OK(t)
		require.Equal(t, []string{"billing.subscription.plan_changed"}, w.said(t, "billing.subscription.plan_changed"))

		invoice := w.get(t, base+"/invoices").Get("data.0.uuid").String()
		w.Call(t, w.operator, http.MethodPost, base+"/companies/"+w.Owner.ID.String()+"/invoices/"+invoice+"/credit", object{"amount": "1.00", "reason": "Outage"}).OK(t)
		require.Equal(t, []string{"billing.invoice.credited"}, w.said(t, "billing.invoice.credited"))

		w.cards.answer(cardsapi.PaymentFailed, cardsapi.Declined, false)
		w.until(t, "2027-08-02")
		require.Contains(t, w.said(t), "billing.payment.failed")
		require.Contains(t, w.said(t), "billing.subscription.moved")
		w.post(t, base+"/subscriptions/"+sub+"/update", object{"plan_code": "pro"}).Refused(t, http.StatusConflict, "billing.open_invoice")
		w.until(t, "2028-01-01")
		require.Contains(t, w.said(t), "billing.invoice.written_off")
	})
}

func TestPlan_OfTwoVersionsAtTheSameTimeOneIsRefused(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		first := w.plan(t, "pro", "99.00", nil)
		if w.DB.Dialect() == database.SQLite {
			return // one transaction writes at a time
		}
		answers := make(chan moduletest.Response, 1)
		require.NoError(t, w.DB.InTx(principal.AsCompany(t.Context(), w.Owner.ID), func(ctx context.Context) error {
			err := w.DB.Raw(ctx, "a test").Exec(`INSERT INTO billing_plans (id, code, version, name, description, every, price, currency, trial_days,
				features, limits, public, created_at) SELECT gen_random_uuid(), code, 2, name, description, every, price, currency, trial_days,
				features, limits, public, created_at FROM billing_plans WHERE id = ?`, first).Error
			if err != nil {
				return err
			}
			go func() {
				answers <- w.Call(t, w.operator, http.MethodPost, plans, object{"code": "pro", "name": "Pro", "interval": "month", "price": "109.00", "currency": "USD"})
			}()
			w.AwaitLock(t)

			return nil
		}))
		answer := <-answers
		answer.Refused(t, http.StatusConflict, "billing.plan_taken")
		require.Equal(t, "[2,1]", w.Call(t, w.operator, http.MethodGet, plans, nil).OK(t).Get("data.#.version").Raw)
	})
}

func TestSubscribe_TakesPlansThatAreOffered(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		hidden := w.plan(t, "secret", "1.00", object{"public": false})
		w.post(t, base+"/subscriptions", object{"plan_uuid": hidden}).Refused(t, http.StatusConflict, "billing.plan_not_offered")
		require.Empty(t, w.said(t, "billing."))
	})
}

func TestSubscription_ThatIsPausedKeepsItsPlan(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		w.plan(t, "pro", "99.00", nil)
		w.plan(t, "max", "199.00", nil)
		at := base + "/subscriptions/" + w.post(t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": w.card(t)}).OK(t).Get("uuid").String()
		w.post(t, at+"/pause", object{}).OK(t)
		w.until(t, "2027-07-02")
		refused := w.post(t, at+"/update", object{"plan_code": "max"}).Refused(t, http.StatusConflict, "billing.not_active")
		require.Equal(t, "paused", refused.Get("details.state").String())
		require.Empty(t, w.said(t, "billing.subscription.plan_changed"))
	})
}

func TestSubscription_ThatEndedHasNoMethod(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		w.plan(t, "pro", "99.00", nil)
		card := w.card(t)
		at := base + "/subscriptions/" + w.post(t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": card}).OK(t).Get("uuid").String()
		w.post(t, at+"/cancel", object{"when": "now"}).OK(t)
		w.post(t, at+"/payment_method", object{"card_uuid": card}).Refused(t, http.StatusNotFound, "billing.no_subscription")
	})
}

func TestInvoice_WithoutACardIsPaidByHand(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		w.plan(t, "pro", "99.00", nil)
		of := base + "/companies/" + w.Owner.ID.String()
		w.Call(t, w.operator, http.MethodPost, of+"/subscription", object{"plan_code": "pro"}).OK(t)
		invoice := w.get(t, base+"/invoices").Get("data.0.uuid").String()
		w.post(t, base+"/invoices/"+invoice+"/pay", object{}).Refused(t, http.StatusConflict, "billing.no_card")
		w.Call(t, w.operator, http.MethodPost, of+"/invoices/"+invoice+"/record_payment", object{"reference": "WIRE 7"}).OK(t)
		w.Call(t, w.operator, http.MethodPost, of+"/invoices/"+invoice+"/credit", object{"reason": "Outage"}).Refused(t, http.StatusConflict, "billing.refund_by_hand")
		require.Empty(t, w.said(t, "billing.invoice.credited"))
	})
}

func TestSeller_IsACompanyOfTheDeployment(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		seller := object{"company_uuid": nobody, "name": "Sample", "address": "1 Main St", "tax_id": "12-3456789"}
		refused := w.Call(t, w.operator, http.MethodPut, base+"/seller", seller).Refused(t, http.StatusUnprocessableEntity, "billing.invalid_seller")
		require.NotEmpty(t, refused.Get("errors.company_uuid.0").String())
		w.Call(t, w.operator, http.MethodPatch, base+"/tax_rates/"+nobody, object{"until": "2027-12-31"}).Refused(t, http.StatusNotFound, "billing.tax_rate_not_found")
	})
}

func TestPlan_NeedsASeller(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, areas(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		body := object{"code": "pro", "name": "Pro", "interval": "month", "price": "99.00", "currency": "USD", "public": true}
		a.Call(t, a.Operator(t, "*"), http.MethodPost, plans, body).Refused(t, http.StatusConflict, "billing.no_seller")
		require.Empty(t, a.EventNames(t, a.Owner))
	})
}
