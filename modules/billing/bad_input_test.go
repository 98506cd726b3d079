package billing_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestInput_ThatIsBadIsRefusedByFieldAndChangesNothing(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		plan := w.plan(t, "pro", "99.00", object{"trial_days": 14})
		w.post(t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": w.card(t), "skip_trial": true}).OK(t)
		invoice := w.get(t, base+"/invoices").Get("data.0.uuid").String()
		sub := base + "/subscriptions/" + w.get(t, base+"/subscriptions").Get("data.0.uuid").String()
		of := base + "/companies/" + w.Owner.ID.String()
		before, events := w.books(t), len(w.EventNames(t, w.Owner))
		huge, nobody := strings.Repeat("x", 20_000), uuid.NewString()
		newPlan := func(more object) object {
			body := object{"code": "next", "name": "Next", "interval": "month", "price": "1.00", "currency": "USD"}
			for key, value := range more {
				body[key] = value
			}

			return body
		}
		rate := func(more object) object {
			body := object{"code": "gst", "name": "GST", "percent": "5", "country": "CA"}
			for key, value := range more {
				body[key] = value
			}

			return body
		}
		for name, bad := range map[string]struct {
			operator   bool
			path       string
			body       any
			code       string
			field      string
			httpStatus int
		}{
			"price with half a cent":          {true, plans, newPlan(object{"price": "1.005"}), "billing.invalid_plan", "price", 422},
			"price with half a yen":           {true, plans, newPlan(object{"price": "1.5", "currency": "JPY"}), "billing.invalid_plan", "price", 422},
			"negative price":                  {true, plans, newPlan(object{"price": "-1.00"}), "billing.invalid_plan", "price", 422},
			"price beyond all bounds":         {true, plans, newPlan(object{"price": "10000000000.01"}), "billing.invalid_plan", "price", 422},
			"price that is no number":         {true, plans, newPlan(object{"price": "NaN"}), "web.invalid", "price", 422},
			"price as a float":                {true, plans, `{"code": "next", "name": "Next", "interval": "month", "price": 1e400, "currency": "USD"}`, "web.malformed_json", "", 400},
			"no such currency":                {true, plans, newPlan(object{"currency": "XXX"}), "web.invalid", "currency", 422},
			"no such interval":                {true, plans, newPlan(object{"interval": "week"}), "web.invalid", "interval", 422},
			"negative limit":                  {true, plans, newPlan(object{"limits": object{"users": -1}}), "billing.invalid_plan", "limits.users", 422},
			"no such area":                    {true, plans, newPlan(object{"features": object{"areas": []string{"nowhere"}}}), "billing.invalid_plan", "features.areas", 422},
			"code in another script":          {true, plans, newPlan(object{"code": "план"}), "billing.invalid_plan", "code", 422},
			"huge name":                       {true, plans, newPlan(object{"name": huge}), "web.invalid", "name", 422},
			"unknown key of a plan":           {true, plans, newPlan(object{"quantity": 1}), "web.invalid", "quantity", 422},
			"trial of a thousand days":        {true, plans, newPlan(object{"trial_days": 1000}), "web.invalid", "trial_days", 422},
			"rate of more than all":           {true, base + "/tax_rates", rate(object{"percent": "100.01"}), "billing.invalid_tax_rate", "percent", 422},
			"rate with five decimals":         {true, base + "/tax_rates", rate(object{"percent": "5.00001"}), "billing.invalid_tax_rate", "percent", 422},
			"negative rate":                   {true, base + "/tax_rates", rate(object{"percent": "-5"}), "billing.invalid_tax_rate", "percent", 422},
			"rate that ends before it begins": {true, base + "/tax_rates", rate(object{"from": "2027-02-01", "until": "2027-01-01"}), "billing.invalid_tax_rate", "until", 422},
			"no such day":                     {true, base + "/tax_rates", rate(object{"from": "2027-02-29"}), "web.invalid", "from", 422},

			"credit with half a cent":    {true, of + "/invoices/" + invoice + "/credit", object{"amount": "1.005", "reason": "x"}, "money.scale", "amount", 422},
			"negative credit":            {true, of + "/invoices/" + invoice + "/credit", object{"amount": "-1.00", "reason": "x"}, "billing.invalid_credit", "amount", 422},
			"credit of nothing":          {true, of + "/invoices/" + invoice + "/credit", object{"amount": "0.00", "reason": "x"}, "billing.invalid_credit", "amount", 422},
			"credit beyond the invoice":  {true, of + "/invoices/" + invoice + "/credit", object{"amount": "99.01", "reason": "x"}, "billing.invalid_credit", "amount", 422},
			"credit without a reason":    {true, of + "/invoices/" + invoice + "/credit", object{"amount": "1.00"}, "web.invalid", "reason", 422},
			"huge reason":                {true, of + "/invoices/" + invoice + "/credit", object{"reason": huge}, "web.invalid", "reason", 422},
			"credit of no invoice":       {true, of + "/invoices/" + nobody + "/credit", object{"reason": "x"}, "billing.invoice_not_found", "", 404},
			"credit of another company":  {true, base + "/companies/" + w.house.ID.String() + "/invoices/" + invoice + "/credit", object{"reason": "x"}, "billing.invoice_not_found", "", 404},
			"payment of no company":      {true, base + "/companies/" + nobody + "/invoices/" + invoice + "/record_payment", object{"reference": "x"}, "identity.company_not_found", "", 404},
			"payment without reference":  {true, of + "/invoices/" + invoice + "/record_payment", object{}, "web.invalid", "reference", 422},
			"card number as a reference": {true, of + "/invoices/" + invoice + "/record_payment", object{"reference": "4111 1111 1111 1111"}, "cards.card_number", "", 422},

			"card number as a token":       {false, base + "/cards", object{"token": "4111-1111-1111-1111"}, "cards.card_number", "", 422},
			"no token":                     {false, base + "/cards", object{}, "web.invalid", "token", 422},
			"huge token":                   {false, base + "/cards", object{"token": huge}, "web.invalid", "token", 422},
			"no e-mail address":            {false, base + "/cards", object{"token": "tok_ok", "email": "nobody"}, "web.invalid", "email", 422},
			"no such plan":                 {false, base + "/subscriptions/preview", object{"plan_uuid": nobody}, "billing.plan_not_found", "", 404},
			"plan that is no id":           {false, base + "/subscriptions/preview", object{"plan_uuid": "pro"}, "web.invalid", "plan_uuid", 422},
			"second subscription":          {false, base + "/subscriptions", object{"plan_uuid": plan}, "billing.already_subscribed", "", 409},
			"unknown key of a change":      {false, sub + "/update", object{"plan_code": "pro", "price": "1.00"}, "web.invalid", "price", 422},
			"no such proration":            {false, sub + "/update", object{"plan_code": "pro", "proration": "seconds"}, "web.invalid", "proration", 422},
			"change of nobody's":           {false, base + "/subscriptions/" + nobody + "/update", object{"plan_code": "pro"}, "billing.subscription_not_found", "", 404},
			"no such time to cancel":       {false, sub + "/cancel", object{"when": "yesterday"}, "web.invalid", "when", 422},
			"huge reason to cancel":        {false, sub + "/cancel", object{"reason": huge}, "web.invalid", "reason", 422},
			"another's card":               {false, sub + "/payment_method", object{"card_uuid": nobody}, "billing.card_not_found", "", 404},
			"card that is no id":           {false, sub + "/payment_method", object{"card_uuid": huge}, "web.invalid", "card_uuid", 422},
			"invoice that is paid":         {false, base + "/invoices/" + invoice + "/pay", object{}, "billing.nothing_to_pay", "", 409},
			"operator's call by a company": {false, of + "/invoices/" + invoice + "/credit", object{"reason": "x"}, "web.operator_only", "", 403},
			"broken JSON":                  {false, sub + "/cancel", `{"when": `, "web.malformed_json", "", 400},
		} {
			token := w.Owner.Token
			if bad.operator {
				token = w.operator
			}
			refused := w.Call(t, token, http.MethodPost, bad.path, bad.body)
			require.Equal(t, bad.httpStatus, refused.Status, "%s: %s", name, refused.Body)
			require.Equal(t, bad.code, refused.Get("code").String(), "%s: %s", name, refused.Body)
			if bad.field != "" {
				require.NotEmpty(t, refused.Get("errors").Map()[bad.field].String(), "%s: %s", name, refused.Body)
			}
			require.NotContains(t, string(refused.Body), huge, name)
		}
		require.Equal(t, before, w.books(t))
		require.Len(t, w.EventNames(t, w.Owner), events)
	})
}

func TestInput_InOtherScriptsIsKept(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		made := w.Call(t, w.operator, http.MethodPost, plans, object{
			"code": "all", "name": "Для всех 全員 لكل 👩‍👩‍👧", "description": "Zażółć gęślą jaźń\nשלום", "interval": "month", "price": "9", "currency": "JPY", "public": true,
		}).OK(t)
		require.Equal(t, "Для всех 全員 لكل 👩‍👩‍👧", made.Get("name").String())
		require.Equal(t, "9.00", made.Get("price").String())
		w.post(t, base+"/subscriptions", object{"plan_code": "all", "card_uuid": w.card(t)}).OK(t)
		invoice := w.get(t, base+"/invoices").Get("data.0")
		require.Contains(t, invoice.Get("lines.0.description").String(), "全員")
		var file moduletest.Response = w.Call(t, w.Owner.Token, http.MethodGet, base+"/invoices/"+invoice.Get("uuid").String()+"/pdf", nil).OK(t)
		require.True(t, strings.HasPrefix(string(file.Body), "%PDF-"))
	})
}
