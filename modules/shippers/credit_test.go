package shippers_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/carriers"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/contacts"
	"github.com/dispatchd/dispatchd/modules/dispatches"
	"github.com/dispatchd/dispatchd/modules/loads"
	"github.com/dispatchd/dispatchd/modules/routeengine"
	"github.com/dispatchd/dispatchd/modules/shippers"
	"github.com/dispatchd/dispatchd/modules/vehicles"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

var trade = []module.Module{
	attachments.Module, carriers.Module, companies.Module, contacts.Module, dispatches.Module, loads.Module, routeengine.Module, shippers.Module, vehicles.Module,
}

// eachTrade runs a test on each database with all that a load takes to be carried.
func eachTrade(t *testing.T, test func(t *testing.T, call caller)) {
	t.Helper()
	moduletest.BootEach(t, trade, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		test(t, func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		})
	})
}

func TestCreditHold_IsOverriddenWithAReasonAndTheScope(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, trade, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		call := caller(func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		})
		customer, shipper := call.newShipper(t, "Lee Motors")
		call(http.MethodPatch, base+"/shippers/"+shipper, object{"credit_hold": true, "hold_reason": "Two checks bounced"}).OK(t)
		load := call.load(t, customer, "account", "1000.00")
		call(http.MethodPost, load+"/book", nil).Refused(t, http.StatusConflict, "shippers.credit_hold")
		call(http.MethodPost, load+"/book", object{"reason": " "}).Refused(t, http.StatusConflict, "shippers.credit_hold")
		writes := a.Token(t, a.Owner, "loads:read", "loads:write", "loads:margins")
		a.Call(t, writes, http.MethodPost, load+"/book", object{"reason": "The owner said so"}).Refused(t, http.StatusConflict, "shippers.credit_hold")

		may := a.Token(t, a.Owner, "loads:read", "loads:write", "loads:margins", "loads:override")
		booked := a.Call(t, may, http.MethodPost, load+"/book", object{"reason": "Paid the old invoices today"}).OK(t)
		require.Equal(t, []string{"booked", `["loads.credit_overridden"]`}, []string{booked.Get("state").String(), booked.Get("warnings.#.code").Raw})
		call(http.MethodPut, load+"/price", object{"tariff": "1200.00"}).Refused(t, http.StatusConflict, "shippers.credit_hold")
	})
}

func day(days int) string { return clock.System{}.Now().AddDate(0, 0, days).Format(time.DateOnly) }

// load is the path of a load of a contact, by a template of payment plans.
func (c caller) load(t *testing.T, customer, template, tariff string) string {
	t.Helper()
	at := c(http.MethodPost, "/loads/api/v1/loads", object{
		"customer_uuid": customer, "available_from": day(1),
		"stops": []object{
			{"kind": "pickup", "venue": object{"postal_code": "75201"}, "window": object{"from": day(2), "to": day(6)}},
			{"kind": "delivery", "venue": object{"postal_code": "33101"}, "window": object{"from": day(4), "to": day(12)}},
		},
		"vehicles": []object{{"year": 2003, "make": "Honda", "model": "Accord", "tariff": tariff, "carrier_pay": "300.00"}},
	}).OK(t).Header.Get("Location")
	if template != "" {
		c(http.MethodPost, at+"/payment_plan/propose", object{"template": template}).OK(t)
	}

	return at
}

func TestCredit_RefusesLoadsOnAccount(t *testing.T) {
	t.Parallel()
	eachTrade(t, func(t *testing.T, call caller) {
		t.Helper()
		customer, shipper := call.newShipper(t, "Lee Motors")
		of := base + "/shippers/" + shipper
		call(http.MethodPatch, of, object{"credit_limit": "500.00"}).OK(t)
		over := call(http.MethodPost, call.load(t, customer, "account", "1000.00")+"/book", nil).Refused(t, http.StatusConflict, "shippers.credit_limit")
		require.Equal(t, []string{"500.00", "1000.00"}, []string{over.Get("details.credit_limit").String(), over.Get("details.amount").String()})

		call(http.MethodPost, call.load(t, customer, "account", "400.00")+"/book", nil).OK(t)
		second := call.load(t, customer, "account", "200.00")
		refused := call(http.MethodPost, second+"/book", nil).Refused(t, http.StatusConflict, "shippers.credit_limit")
		require.Equal(t, "400.00", refused.Get("details.owed").String(), "what is open counts")
		call(http.MethodPost, call.load(t, customer, "", "200.00")+"/book", nil).Refused(t, http.StatusConflict, "shippers.credit_limit")
		call(http.MethodPost, call.load(t, customer, "deposit_cod", "5000.00")+"/book", nil).OK(t)

		call(http.MethodPatch, of, object{"credit_limit": "600.00"}).OK(t)
		call(http.MethodPost, second+"/book", nil).OK(t)
		call(http.MethodPut, second+"/price", object{"tariff": "300.00"}).Refused(t, http.StatusConflict, "shippers.credit_limit")

		call(http.MethodPatch, of, object{"credit_limit": nil, "credit_hold": true, "hold_reason": "Two checks bounced"}).OK(t)
		third := call.load(t, customer, "account", "10.00")
		held := call(http.MethodPost, third+"/book", nil).Refused(t, http.StatusConflict, "shippers.credit_hold")
		require.Equal(t, "Two checks bounced", held.Get("details.hold_reason").String())
		call(http.MethodPatch, of, object{"credit_hold": false}).OK(t)
		call(http.MethodPost, third+"/book", nil).OK(t)

		plain := call(http.MethodPost, "/contacts/api/v1/contacts", object{"name": "Bo", "credit_hold": true}).OK(t).Get("uuid").String()
		call(http.MethodPost, call.load(t, plain, "account", "10.00")+"/book", nil).Refused(t, http.StatusConflict, "shippers.credit_hold")
	})
}

func TestCarriers_ThatAShipperDeniesHaulNoneOfItsLoads(t *testing.T) {
	t.Parallel()
	eachTrade(t, func(t *testing.T, call caller) {
		t.Helper()
		customer, shipper := call.newShipper(t, "Lee Motors")
		carrier := func(name string) string {
			return call(http.MethodPost, "/carriers/api/v1/carriers", object{"legal_name": name, "usdot": moduletest.USDOT(), "insurance": []object{{
				"kind": "cargo", "insurer": "Sample Insurance", "policy": "C-1", "each_occurrence": "100000.00", "expires": day(300), "verified": day(-20),
			}}}).OK(t).Get("uuid").String()
		}
		denied, other := carrier("Haul Co"), carrier("Tow Co")
		call(http.MethodPatch, base+"/shippers/"+shipper, object{"denied_carriers": []string{denied}}).OK(t)
		load := call.load(t, customer, "deposit_cod", "500.00")
		call(http.MethodPost, load+"/book", nil).OK(t)
		call(http.MethodPost, load+"/clear", nil).OK(t)
		id, pay := load[len("/loads/api/v1/loads/"):], call(http.MethodGet, load, nil).OK(t).Get("carrier_pay").String()
		offers := call(http.MethodPost, "/dispatches/api/v1/offers", object{"load_uuid": id, "carrier_uuids": []string{denied, other}, "mode": "broadcast"}).OK(t)
		require.Equal(t, int64(1), offers.Get("offers.#").Int())
		require.Equal(t, []string{denied, "shippers.carrier_denied"}, []string{offers.Get("refused.0.carrier_uuid").String(), offers.Get("refused.0.code").String()})
		call(http.MethodPost, "/dispatches/api/v1/dispatches", object{"load_uuid": id, "carrier_uuid": denied, "carrier_pay": pay}).Refused(t, http.StatusConflict, "shippers.carrier_denied")
		call(http.MethodPost, load+"/cover", object{"carrier_uuid": denied, "carrier_pay": pay}).Refused(t, http.StatusConflict, "shippers.carrier_denied")
		call(http.MethodPatch, base+"/shippers/"+shipper, object{"denied_carriers": []string{}, "allowed_carriers": []string{other}}).OK(t)
		call(http.MethodPost, load+"/cover", object{"carrier_uuid": denied, "carrier_pay": pay}).Refused(t, http.StatusConflict, "shippers.carrier_denied")
		call(http.MethodPost, load+"/cover", object{"carrier_uuid": other, "carrier_pay": pay}).OK(t)
	})
}

func TestCredit_OfAnotherCurrencyIsUnknown(t *testing.T) {
	t.Parallel()
	eachTrade(t, func(t *testing.T, call caller) {
		t.Helper()
		customer := call(http.MethodPost, "/contacts/api/v1/contacts", object{"kind": "company", "name": "Maple Motors", "credit_limit": "5000.00", "credit_currency": "CAD"}).OK(t).Get("uuid").String()
		refused := call(http.MethodPost, call.load(t, customer, "account", "100.00")+"/book", nil).Refused(t, http.StatusConflict, "shippers.credit_currency")
		require.Equal(t, []string{"5000.00", "CAD"}, []string{refused.Get("details.credit_limit").String(), refused.Get("details.currency").String()})
	})
}
