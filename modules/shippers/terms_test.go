package shippers_test

import (
	"maps"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// hauler is the uuid of a carrier that the rules allow.
func (c caller) hauler(t *testing.T, name string, more object) string {
	t.Helper()
	made := object{"legal_name": name, "usdot": moduletest.USDOT(), "insurance": []object{{
		"kind": "cargo", "insurer": "Sample Insurance", "policy": "C-1", "each_occurrence": "100000.00", "expires": day(300), "verified": day(-20),
	}}}
	maps.Copy(made, more)

	return c(http.MethodPost, "/carriers/api/v1/carriers", made).OK(t).Get("uuid").String()
}

func TestNetDays_AreThoseOfThePayersInvoices(t *testing.T) {
	t.Parallel()
	eachTrade(t, func(t *testing.T, call caller) {
		t.Helper()
		customer, shipper := call.newShipper(t, "Lee Motors")
		call(http.MethodPatch, base+"/shippers/"+shipper, object{"net_days": 14}).OK(t)
		load := call.load(t, customer, "account", "1000.00")
		require.JSONEq(t, `[14, 15]`, call(http.MethodGet, load, nil).OK(t).Get("payment_plan.#.due_days").Raw)

		call(http.MethodPatch, base+"/shippers/"+shipper, object{"net_days": 45}).OK(t)
		row := call(http.MethodPut, load+"/price", object{"tariff": "1100.00"}).OK(t)
		require.Equal(t, []string{"[14,15]", `["1100.00","300.00"]`}, []string{row.Get("payment_plan.#.due_days").Raw, row.Get("payment_plan.#.amount").Raw}, "what was proposed stays")
		other := call(http.MethodPost, "/contacts/api/v1/contacts", object{"name": "Bo Auctions", "net_days": 7}).OK(t).Get("uuid").String()
		row = call(http.MethodPatch, load, object{"bill_to_uuid": other}).OK(t)
		require.Equal(t, "[7,15]", row.Get("payment_plan.#.due_days").Raw, "of whoever pays")

		lines := row.Get("payment_plan").Value().([]any)
		lines[0].(object)["due_days"] = 60
		call(http.MethodPut, load+"/payment_plan", object{"payment_plan": lines}).OK(t)
		row = call(http.MethodPatch, load, object{"bill_to_uuid": nil}).OK(t)
		require.Equal(t, "[60,15]", row.Get("payment_plan.#.due_days").Raw, "people wrote it")
	})
}

func TestCarrierDays_AreThoseOnWhichACarrierIsPaid(t *testing.T) {
	t.Parallel()
	eachTrade(t, func(t *testing.T, call caller) {
		t.Helper()
		customer, _ := call.newShipper(t, "Lee Motors")
		quick, plain := call.hauler(t, "Quick Haul", object{"payment_terms_days": 2}), call.hauler(t, "Plain Haul", nil)
		load := call.load(t, customer, "full_pay", "1000.00")
		call(http.MethodPost, load+"/book", nil).OK(t)
		call(http.MethodPost, load+"/clear", nil).OK(t)
		require.Equal(t, "[5]", call(http.MethodGet, load, nil).OK(t).Get("payment_plan.#.due_days").Raw)

		offers := call(http.MethodPost, "/dispatches/api/v1/offers", object{
			"load_uuid": load[len("/loads/api/v1/loads/"):], "carrier_uuids": []string{quick, plain}, "mode": "broadcast", "channels": []string{},
		}).OK(t)
		shown := map[string]string{}
		for _, one := range offers.Get("offers").Array() {
			page := call(http.MethodGet, one.Get("share.url").String(), nil).OK(t)
			shown[one.Get("offer.carrier_uuid").String()] = page.Get("load.payment_plan.#.due_days").Raw
		}
		require.Equal(t, map[string]string{quick: "[2]", plain: "[5]"}, shown, "each is shown what it would get")

		covered := call(http.MethodPost, load+"/cover", object{"carrier_uuid": quick, "carrier_pay": call(http.MethodGet, load, nil).OK(t).Get("carrier_pay").String()}).OK(t)
		require.Equal(t, "2", covered.Get("payment_plan.1.due_days").Raw)
		require.False(t, covered.Get("payment_plan.1.business_days").Bool())
		call(http.MethodPost, load+"/uncover", object{"reason": "It broke down"}).OK(t)
		covered = call(http.MethodPost, load+"/cover", object{"carrier_uuid": plain, "carrier_pay": call(http.MethodGet, load, nil).OK(t).Get("carrier_pay").String()}).OK(t)
		require.Equal(t, "5", covered.Get("payment_plan.1.due_days").Raw, "another carrier is paid by its own terms")
		require.True(t, covered.Get("payment_plan.1.business_days").Bool())
		call(http.MethodPost, load+"/uncover", object{"reason": "It broke down"}).OK(t)

		lines := covered.Get("payment_plan").Value().([]any)
		lines[1].(object)["due_days"] = 20
		call(http.MethodPut, load+"/payment_plan", object{"payment_plan": lines}).OK(t)
		require.Equal(t, "20", call(http.MethodPost, load+"/cover", object{"carrier_uuid": quick, "carrier_pay": call(http.MethodGet, load, nil).OK(t).Get("carrier_pay").String()}).OK(t).Get("payment_plan.1.due_days").Raw, "people wrote it")
	})
}

func TestDefaultTerms_ChooseThePlanOfNewLoads(t *testing.T) {
	t.Parallel()
	eachTrade(t, func(t *testing.T, call caller) {
		t.Helper()
		for terms, want := range map[string]string{
			"invoice": `account[30,15]["invoice","invoice"]`, "cod": `deposit_cod[]["booking","delivery"]`,
			"cop": `deposit_cod[]["booking","pickup"]`, "prepaid": `full_pay[5]["booking","signed_bol"]`,
		} {
			customer, shipper := call.newShipper(t, "Lee Motors "+terms)
			call(http.MethodPatch, base+"/shippers/"+shipper, object{"default_terms": terms}).OK(t)
			row := call(http.MethodGet, call.load(t, customer, "", "1000.00"), nil).OK(t)
			require.Equal(t, want, row.Get("plan_template").String()+row.Get("payment_plan.#.due_days").Raw+row.Get("payment_plan.#.due_event").Raw, terms)
			if terms != "cop" {
				continue
			}
			at := "/loads/api/v1/loads/" + row.Get("uuid").String()
			row = call(http.MethodPut, at+"/price", object{"tariff": "1100.00", "carrier_pay": "400.00"}).OK(t)
			require.Equal(t, `["700.00","400.00"]["booking","pickup"]cop`, row.Get("payment_plan.#.amount").Raw+row.Get("payment_plan.#.due_event").Raw+row.Get("payment_plan.1.kind").String())
			require.Equal(t, "account", call(http.MethodPost, at+"/payment_plan/propose", object{"template": "account"}).OK(t).Get("plan_template").String(), "people may choose another one")
		}
		stranger := call(http.MethodPost, "/contacts/api/v1/contacts", object{"name": "Ann"}).OK(t).Get("uuid").String()
		load := call.load(t, stranger, "", "1000.00")
		require.Empty(t, call(http.MethodGet, load, nil).OK(t).Get("plan_template").String())
		payer, _ := call.newShipper(t, "Payer")
		require.Equal(t, "account", call(http.MethodPatch, load, object{"bill_to_uuid": payer}).OK(t).Get("plan_template").String())
	})
}
