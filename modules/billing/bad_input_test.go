package billing_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// badInput is a request that is refused.
type badInput struct {
	path   string
	body   any
	code   string
	field  string // in the errors, "" for none
	status int
}

// ids are what requests are about.
type ids struct{ plan, of, invoice, subscription, house string }

const nobody = "01234567-89ab-7def-8123-456789abcdef"

func huge() string { return strings.Repeat("x", 20_000) }

func with(body, more object) object {
	maps.Copy(body, more)

	return body
}

func newPlan(more object) object {
	return with(object{"code": "next", "name": "Next", "interval": "month", "price": "1.00", "currency": "USD"}, more)
}

func newRate(more object) object {
	return with(object{"code": "gst", "name": "GST", "percent": "5", "country": "CA"}, more)
}

// badSetUps are the operator's, about plans and taxes.
func badSetUps() map[string]badInput {
	return map[string]badInput{
		"price with half a cent":          {plans, newPlan(object{"price": "1.005"}), "billing.invalid_plan", "price", 422},
		"price with half a yen":           {plans, newPlan(object{"price": "1.5", "currency": "JPY"}), "billing.invalid_plan", "price", 422},
		"negative price":                  {plans, newPlan(object{"price": "-1.00"}), "billing.invalid_plan", "price", 422},
		"price beyond all bounds":         {plans, newPlan(object{"price": "10000000000.01"}), "billing.invalid_plan", "price", 422},
		"price that is no number":         {plans, newPlan(object{"price": "NaN"}), "web.invalid", "price", 422},
		"price as a float":                {plans, `{"code": "next", "name": "Next", "interval": "month", "price": 1e400, "currency": "USD"}`, "web.malformed_json", "", 400},
		"no such currency":                {plans, newPlan(object{"currency": "XXX"}), "web.invalid", "currency", 422},
		"no such interval":                {plans, newPlan(object{"interval": "week"}), "web.invalid", "interval", 422},
		"negative limit":                  {plans, newPlan(object{"limits": object{"users": -1}}), "billing.invalid_plan", "limits.users", 422},
		"no such limit":                   {plans, newPlan(object{"limits": object{"userz": 5}}), "billing.invalid_plan", "limits.userz", 422},
		"no such area":                    {plans, newPlan(object{"features": object{"areas": []string{"nowhere"}}}), "billing.invalid_plan", "features.areas", 422},
		"code in another script":          {plans, newPlan(object{"code": "план"}), "billing.invalid_plan", "code", 422},
		"huge name":                       {plans, newPlan(object{"name": huge()}), "web.invalid", "name", 422},
		"unknown key of a plan":           {plans, newPlan(object{"quantity": 1}), "web.invalid", "quantity", 422},
		"trial of a thousand days":        {plans, newPlan(object{"trial_days": 1000}), "web.invalid", "trial_days", 422},
		"rate of more than all":           {base + "/tax_rates", newRate(object{"percent": "100.01"}), "billing.invalid_tax_rate", "percent", 422},
		"rate with five decimals":         {base + "/tax_rates", newRate(object{"percent": "5.00001"}), "billing.invalid_tax_rate", "percent", 422},
		"state by its name":               {base + "/tax_rates", newRate(object{"country": "US", "state": "Texas"}), "billing.invalid_tax_rate", "state", 422},
		"no such state":                   {base + "/tax_rates", newRate(object{"country": "us", "state": "ZZ"}), "billing.invalid_tax_rate", "state", 422},
		"no such country":                 {base + "/tax_rates", newRate(object{"country": "ZZ"}), "billing.invalid_tax_rate", "country", 422},
		"negative rate":                   {base + "/tax_rates", newRate(object{"percent": "-5"}), "billing.invalid_tax_rate", "percent", 422},
		"rate that ends before it begins": {base + "/tax_rates", newRate(object{"from": "2027-02-01", "until": "2027-01-01"}), "billing.invalid_tax_rate", "until", 422},
		"no such day":                     {base + "/tax_rates", newRate(object{"from": "2027-02-29"}), "web.invalid", "from", 422},
	}
}

// badCorrections are the operator's, about invoices.
func badCorrections(of ids) map[string]badInput {
	return map[string]badInput{
		"credit with half a cent":    {of.of + "/invoices/" + of.invoice + "/credit", object{"amount": "1.005", "reason": "x"}, "money.scale", "amount", 422},
		"negative credit":            {of.of + "/invoices/" + of.invoice + "/credit", object{"amount": "-1.00", "reason": "x"}, "billing.invalid_credit", "amount", 422},
		"credit of nothing":          {of.of + "/invoices/" + of.invoice + "/credit", object{"amount": "0.00", "reason": "x"}, "billing.invalid_credit", "amount", 422},
		"credit beyond the invoice":  {of.of + "/invoices/" + of.invoice + "/credit", object{"amount": "99.01", "reason": "x"}, "billing.invalid_credit", "amount", 422},
		"credit without a reason":    {of.of + "/invoices/" + of.invoice + "/credit", object{"amount": "1.00"}, "web.invalid", "reason", 422},
		"huge reason":                {of.of + "/invoices/" + of.invoice + "/credit", object{"reason": huge()}, "web.invalid", "reason", 422},
		"credit of no invoice":       {of.of + "/invoices/" + nobody + "/credit", object{"reason": "x"}, "billing.invoice_not_found", "", 404},
		"credit of another company":  {base + "/companies/" + of.house + "/invoices/" + of.invoice + "/credit", object{"reason": "x"}, "billing.invoice_not_found", "", 404},
		"payment of no company":      {base + "/companies/" + nobody + "/invoices/" + of.invoice + "/record_payment", object{"reference": "x"}, "identity.company_not_found", "", 404},
		"payment without reference":  {of.of + "/invoices/" + of.invoice + "/record_payment", object{}, "web.invalid", "reference", 422},
		"card number as a reference": {of.of + "/invoices/" + of.invoice + "/record_payment", object{"reference": "4111 1111 1111 1111"}, "cards.card_number", "", 422},
	}
}

// badOrders are those of a company.
func badOrders(of ids) map[string]badInput {
	return map[string]badInput{
		"card number as a token":       {base + "/cards", object{"token": "4111-1111-1111-1111"}, "cards.card_number", "", 422},
		"no token":                     {base + "/cards", object{}, "web.invalid", "token", 422},
		"huge token":                   {base + "/cards", object{"token": huge()}, "web.invalid", "token", 422},
		"no e-mail address":            {base + "/cards", object{"token": "tok_ok", "email": "nobody"}, "web.invalid", "email", 422},
		"no such plan":                 {base + "/subscriptions/preview", object{"plan_uuid": nobody}, "billing.plan_not_found", "", 404},
		"no plan":                      {base + "/subscriptions/preview", object{}, "billing.invalid_plan_choice", "plan_code", 422},
		"plan that is no id":           {base + "/subscriptions/preview", object{"plan_uuid": "pro"}, "web.invalid", "plan_uuid", 422},
		"second subscription":          {base + "/subscriptions", object{"plan_uuid": of.plan}, "billing.already_subscribed", "", 409},
		"unknown key of a change":      {of.subscription + "/update", object{"plan_code": "pro", "price": "1.00"}, "web.invalid", "price", 422},
		"no such proration":            {of.subscription + "/update", object{"plan_code": "pro", "proration": "seconds"}, "web.invalid", "proration", 422},
		"change of nobody's":           {base + "/subscriptions/" + nobody + "/update", object{"plan_code": "pro"}, "billing.subscription_not_found", "", 404},
		"no such time to cancel":       {of.subscription + "/cancel", object{"when": "yesterday"}, "web.invalid", "when", 422},
		"huge reason to cancel":        {of.subscription + "/cancel", object{"reason": huge()}, "web.invalid", "reason", 422},
		"another's card":               {of.subscription + "/payment_method", object{"card_uuid": nobody}, "billing.card_not_found", "", 404},
		"card that is no id":           {of.subscription + "/payment_method", object{"card_uuid": huge()}, "web.invalid", "card_uuid", 422},
		"invoice that is paid":         {base + "/invoices/" + of.invoice + "/pay", object{}, "billing.nothing_to_pay", "", 409},
		"operator's call by a company": {of.of + "/invoices/" + of.invoice + "/credit", object{"reason": "x"}, "web.operator_only", "", 403},
		"broken JSON":                  {of.subscription + "/cancel", `{"when": `, "web.malformed_json", "", 400},
	}
}

func TestInput_ThatIsBadIsRefusedByFieldAndChangesNothing(t *testing.T) {
	t.Parallel()
	each(t, "2027-06-01", func(t *testing.T, w *world) {
		t.Helper()
		about := ids{plan: w.plan(t, "pro", "99.00", object{"trial_days": 14}), of: base + "/companies/" + w.Owner.ID.String(), house: w.house.ID.String()}
		w.post(t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": w.card(t), "skip_trial": true}).OK(t)
		about.invoice = w.get(t, base+"/invoices").Get("data.0.uuid").String()
		about.subscription = base + "/subscriptions/" + w.get(t, base+"/subscriptions").Get("data.0.uuid").String()
		before, events := w.books(t), len(w.EventNames(t, w.Owner))
		for _, all := range []struct {
			token string
			bad   map[string]badInput
		}{{w.operator, badSetUps()}, {w.operator, badCorrections(about)}, {w.Owner.Token, badOrders(about)}} {
			for name, bad := range all.bad {
				refused := w.Call(t, all.token, http.MethodPost, bad.path, bad.body).Refused(t, bad.status, bad.code)
				if bad.field != "" {
					require.NotEmpty(t, refused.Get("errors").Map()[bad.field].String(), "%s: %s", name, refused.Body)
				}
				require.NotContains(t, string(refused.Body), huge(), name)
			}
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
		file := w.Call(t, w.Owner.Token, http.MethodGet, base+"/invoices/"+invoice.Get("uuid").String()+"/pdf", nil).OK(t)
		require.True(t, strings.HasPrefix(string(file.Body), "%PDF-"))
	})
}
