package square_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/square/squaretest"
	"github.com/dispatchd/dispatchd/platform/inbound"
)

func TestCustomer_IsListedChangedAndDeletedAtSquare(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		var ids []string
		for _, name := range []string{"Ann", "Ben", "Cleo"} {
			ids = append(ids, d.post(t, base+"/customers", map[string]any{"given_name": name, "note": "new"}).OK(t).Get("customer.id").String())
		}
		first := d.get(t, base+"/customers?limit=2").OK(t)
		require.JSONEq(t, `["Ann", "Ben"]`, first.Get("customers.#.given_name").Raw)
		last := d.get(t, base+"/customers?limit=2&cursor="+first.Get("cursor").String()).OK(t)
		require.JSONEq(t, `["Cleo"]`, last.Get("customers.#.given_name").Raw)
		require.JSONEq(t, "null", last.Get("cursor").Raw)

		path := base + "/customers/" + ids[0]
		changed := d.Call(t, d.Owner.Token, http.MethodPut, path, map[string]any{"family_name": "Lee", "note": ""}).OK(t).Get("customer")
		require.Equal(t, []string{"Ann", "Lee"}, []string{changed.Get("given_name").String(), changed.Get("family_name").String()})
		require.JSONEq(t, "null", changed.Get("note").Raw, "an empty text clears the field")
		require.Equal(t, changed.Raw, d.get(t, path).OK(t).Get("customer").Raw)
		d.Call(t, d.Owner.Token, http.MethodPut, path, map[string]any{"nickname": "A"}).Refused(t, http.StatusUnprocessableEntity, "web.invalid")

		d.Call(t, d.Owner.Token, http.MethodDelete, path, nil).OK(t)
		d.get(t, path).Refused(t, http.StatusNotFound, "square.customer_not_found")
		d.Call(t, d.Owner.Token, http.MethodDelete, path, nil).Refused(t, http.StatusNotFound, "square.customer_not_found")
	})
}

func TestCard_IsDisabledAtSquare(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		path := base + "/cards/" + d.post(t, base+"/cards", map[string]any{"source_id": squaretest.OK}).OK(t).Get("card.uuid").String()
		id := d.until(t, path, "card.state", "active").Get("card.id").String()
		d.post(t, base+"/cards/"+id+"/disable", nil).OK(t)
		d.post(t, path+"/disable", nil).Refused(t, http.StatusConflict, "state.not_allowed")
		require.Equal(t, "removed", d.get(t, path).OK(t).Get("card.state").String())
		d.Eventually(t, func() bool { return d.vendor.Card(id)["enabled"] == false }, "Square has disabled it")
		d.post(t, base+"/payments", order(id)).Refused(t, http.StatusConflict, "cards.card_not_active")
	})
}

func TestRefund_IsOrderedBySquaresNames(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		payment := d.paid(t).Get("payment")
		body := map[string]any{
			"payment_id": payment.Get("id").String(), "idempotency_key": "back 7", "reason": "Late",
			"amount_money": map[string]any{"amount": 500, "currency": "USD"},
		}
		path := base + "/refunds/" + d.post(t, base+"/refunds", body).OK(t).Get("refund.uuid").String()
		require.Equal(t, path, base+"/refunds/"+d.post(t, base+"/refunds", body).OK(t).Get("refund.uuid").String(), "a repeat is the first refund")
		row := d.until(t, path, "refund.status", "PENDING").Get("refund")
		require.Equal(t, "square:back 7", row.Get("reference").String())
		require.Equal(t, int64(500), row.Get("amount_money.amount").Int())
		require.Equal(t, row.Raw, d.get(t, base+"/refunds/"+row.Get("id").String()).OK(t).Get("refund").Raw, "by Square's id")
		there := d.vendor.Refund(row.Get("id").String())
		require.Equal(t, "Late", there["reason"])
		there["status"] = "COMPLETED"
		d.notify(t, "refund.updated", "refund", there).OK(t)
		require.Equal(t, inbound.Processed, d.handled(t).State)
		d.until(t, path, "refund.state", "completed")

		for _, wrong := range []map[string]any{{"amount": 500, "currency": "EUR"}, {"amount": 0, "currency": "USD"}, {"amount": -1, "currency": "USD"}} {
			d.post(t, base+"/refunds", map[string]any{"payment_id": payment.Get("uuid").String(), "amount_money": wrong}).
				Refused(t, http.StatusUnprocessableEntity, "square.invalid")
		}
		much := map[string]any{"payment_id": payment.Get("uuid").String(), "amount_money": map[string]any{"amount": 751, "currency": "USD"}}
		require.Equal(t, "7.50", d.post(t, base+"/refunds", much).Refused(t, http.StatusConflict, "cards.not_refundable").Get("details.max").String())
		d.post(t, base+"/refunds", map[string]any{"payment_id": "unknown"}).Refused(t, http.StatusNotFound, "cards.payment_not_found")
		stranger := d.NewCompany(t)
		d.Call(t, stranger.Token, http.MethodGet, path, nil).Refused(t, http.StatusNotFound, "cards.refund_not_found")
		d.Call(t, stranger.Token, http.MethodPost, base+"/refunds", body).Refused(t, http.StatusNotFound, "cards.payment_not_found")
	})
}
