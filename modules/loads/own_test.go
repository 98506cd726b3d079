package loads_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// own is a load that the company carries itself.
func (o office) own(cars ...object) object {
	body := o.sold(cars...)
	body["company_role"] = "carrier"

	return body
}

// inWords is a payment plan in words.
func inWords(row gjson.Result) []string {
	all := []string{}
	for _, p := range row.Get("payment_plan").Array() {
		all = append(all, p.Get("from").String()+" "+p.Get("to").String()+" "+p.Get("amount").String())
	}

	return all
}

func TestOwnLoad_HasWhatTheCustomerPaysAlone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.own(car("1100.00", "900.00")))
		for template, lines := range map[string][]string{
			"deposit_cod":         {"customer broker 200.00", "customer carrier 900.00"},
			"full_pay":            {"customer broker 1100.00"},
			"carrier_pays_broker": {"customer carrier 1100.00"},
			"account":             {"customer broker 1100.00"},
		} {
			o.post(t, path+"/payment_plan/propose", object{"template": template}).OK(t)
			require.Equal(t, lines, inWords(o.get(t, path)), template)
		}
		refused := o.call(t, http.MethodPut, path+"/payment_plan", object{"payment_plan": byWire()}).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		require.Contains(t, refused.Get(`errors.payment_plan\.1\.from.0`).String(), "carries this load itself")

		o.written(t, path, line("customer", "broker", "deposit", "300.00", "wire", "booking"), line("customer", "carrier", "cod", "800.00", "cash", "delivery"))
		o.call(t, http.MethodPut, path+"/price", object{"carrier_pay": "700.00"}).OK(t)
		o.post(t, path+"/charges", object{"kind": "storage", "amount": "75.00", "payee": "carrier"}).OK(t)
		require.Equal(t, []string{"customer broker 300.00", "customer carrier 800.00", "customer broker 75.00"}, inWords(o.get(t, path)))
		for _, p := range o.get(t, path).Get("payment_plan.#.uuid").Array() {
			o.post(t, path+"/payments", object{"line_uuid": p.String()}).OK(t)
		}
		require.Equal(t, []string{"paid", "0.00", "0.00"}, o.owed(t, path))
		o.step(t, path, "book", "clear")
		o.post(t, path+"/cover", object{}).OK(t)
		o.step(t, path, "pick_up", "deliver")
		require.Equal(t, "completed", o.get(t, path).Get("state").String(), "nothing is left to pay")
	})
}

func TestOwnLoad_FollowsWhoCarriesIt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.own(car("1100.00", "900.00")))
		role := func(is string) gjson.Result {
			return gjson.ParseBytes(o.call(t, http.MethodPatch, path, object{"company_role": is}).OK(t).Body)
		}
		o.post(t, path+"/payment_plan/propose", object{"template": "full_pay"}).OK(t)
		require.Equal(t, []string{"customer broker 1100.00", "broker carrier 900.00"}, inWords(role("broker")))
		require.Equal(t, []string{"customer broker 1100.00"}, inWords(role("carrier")))

		o.written(t, path, line("customer", "broker", "balance", "1100.00", "wire", "booking"))
		sold := role("broker")
		require.Equal(t, []string{"customer broker 1100.00", "broker carrier 900.00"}, inWords(sold))
		require.Equal(t, []string{"wire", ""}, []string{sold.Get("payment_plan.0.method").String(), sold.Get("plan_template").String()})
		require.Equal(t, []string{"customer broker 1100.00"}, inWords(role("carrier")))
		o.post(t, path+"/payments", object{"line_uuid": role("broker").Get("payment_plan.1.uuid").String()}).OK(t)
		o.call(t, http.MethodPatch, path, object{"company_role": "carrier"}).Refused(t, http.StatusConflict, "loads.line_paid")

		o.step(t, path, "book", "clear", "cover")
		o.post(t, path+"/payments", object{"line_uuid": o.get(t, path).Get("payment_plan.1.uuid").String(), "amount": "-900.00"}).OK(t)
		refused := o.call(t, http.MethodPatch, path, object{"company_role": "carrier"}).Refused(t, http.StatusConflict, "loads.fixed")
		require.Equal(t, "company_role", refused.Get("details.field").String())
	})
}

func TestOwnLoad_IsSplitAndMergedWithWhatTheCustomerPays(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		for plan, parts := range map[string][][]string{
			"":            {{"customer broker 163.63", "customer carrier 436.37"}, {"customer broker 136.37", "customer carrier 363.63"}},
			"deposit_cod": {{"customer broker 200.00", "customer carrier 400.00"}, {"customer broker 100.00", "customer carrier 400.00"}},
			"full_pay":    {{"customer broker 600.00"}, {"customer broker 500.00"}},
		} {
			path := o.made(t, o.own(car("600.00", "400.00"), car("500.00", "400.00")))
			if plan == "" {
				o.written(t, path, line("customer", "broker", "deposit", "300.00", "wire", "booking"), line("customer", "carrier", "cod", "800.00", "cash", "delivery"))
			} else {
				o.post(t, path+"/payment_plan/propose", object{"template": plan}).OK(t)
			}
			o.step(t, path, "book")
			both := o.post(t, path+"/split", object{"vehicle_uuids": []string{o.get(t, path).Get("vehicles.1.uuid").String()}, "reason": "No room"}).OK(t)
			require.ElementsMatch(t, parts, [][]string{inWords(both.Get("load")), inWords(both.Get("new_load"))}, plan)
			ids := []string{both.Get("load.uuid").String(), both.Get("new_load.uuid").String()}
			one := o.post(t, base+"/loads/merge", object{"load_uuids": ids}).OK(t)
			require.Equal(t, []string{"1100.00", "carrier"}, []string{one.Get("tariff").String(), one.Get("company_role").String()})
			require.NotContains(t, one.Get("payment_plan.#.from").Raw, "broker")
		}
		first, second := o.made(t, o.own(car("1100.00", "900.00"))), o.made(t, o.sold(car("1100.00", "900.00")))
		o.step(t, first, "book")
		o.step(t, second, "book")
		refused := o.post(t, base+"/loads/merge", object{"load_uuids": []string{o.get(t, first).Get("uuid").String(), o.get(t, second).Get("uuid").String()}})
		require.Contains(t, refused.Refused(t, http.StatusConflict, "loads.not_mergeable").Get("details.why").String(), "itself")
	})
}
