package loads_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestBooked_KeepsWhatBookingTakes(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(car("500.00", "400.00")))
		refused := func(missing string, body object) {
			t.Helper()
			require.Equal(t, missing, o.call(t, http.MethodPatch, path, body).Refused(t, http.StatusConflict, "loads.not_bookable").Get("details.missing").Raw)
		}
		o.call(t, http.MethodPatch, path, object{"available_from": nil}).OK(t)
		o.call(t, http.MethodPatch, path, object{"available_from": "2026-12-01"}).OK(t)
		for _, verb := range []string{"book", "clear", "cover"} {
			o.step(t, path, verb)
			refused(`["available_from","customer","stops","tariff","vehicles"]`, object{"customer_uuid": nil, "available_from": nil, "stops": []object{}, "vehicles": []object{}})
		}
		vehicle := path + "/vehicles/" + o.get(t, path).Get("vehicles.0.uuid").String()
		o.post(t, vehicle+"/remove", object{"reason": "Sold"}).Refused(t, http.StatusConflict, "loads.not_bookable")
		o.call(t, http.MethodPut, path+"/price", object{"tariff": "0.00", "carrier_pay": "0.00"}).Refused(t, http.StatusConflict, "loads.not_bookable")
		o.step(t, path, "pick_up", "deliver")
		refused(`["stops"]`, object{"stops": []object{}})
		refused(`["customer"]`, object{"customer_uuid": nil})
		o.call(t, http.MethodPatch, path, object{"instructions_private": "Call first"}).OK(t)
	})
}

func TestMoney_FixesTheCurrencyAndTheCustomer(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(car("500.00", "400.00")))
		euros := object{"currency": "EUR"}
		o.call(t, http.MethodPatch, path, euros).OK(t)
		o.call(t, http.MethodPatch, path, object{"currency": "USD"}).OK(t)
		row := o.post(t, path+"/payment_plan/propose", object{"template": "deposit_cod"}).OK(t)
		line := row.Get("payment_plan.0.uuid").String()
		o.post(t, path+"/payments", object{"line_uuid": line, "amount": "50.00"}).OK(t)
		require.Equal(t, "currency", o.call(t, http.MethodPatch, path, euros).Refused(t, http.StatusConflict, "loads.fixed").Get("details.field").String())
		other := object{"customer_uuid": o.post(t, "/contacts/api/v1/contacts", object{"name": "Bob Ray"}).OK(t).Get("uuid").String()}
		o.call(t, http.MethodPatch, path, other).Refused(t, http.StatusConflict, "loads.fixed")
		o.call(t, http.MethodPatch, path, object{"customer_uuid": nil}).Refused(t, http.StatusConflict, "loads.fixed")
		o.post(t, path+"/payments", object{"line_uuid": line, "amount": "-50.00"}).OK(t)
		o.call(t, http.MethodPatch, path, other).OK(t)
		o.call(t, http.MethodPatch, path, euros).Refused(t, http.StatusConflict, "loads.fixed")

		booked := o.made(t, o.sold(car("500.00", "400.00")))
		o.step(t, booked, "book")
		o.call(t, http.MethodPatch, booked, euros).Refused(t, http.StatusConflict, "loads.fixed")
		o.call(t, http.MethodPatch, booked, other).OK(t)
	})
}

func TestErase_WaitsForLoads(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		erase := "/contacts/api/v1/contacts/" + o.customer + "/erase"
		path := o.made(t, o.sold(car("500.00", "400.00")))
		o.step(t, path, "book")
		refused := o.post(t, erase, nil).Refused(t, http.StatusConflict, "loads.contact_retained")
		require.Equal(t, o.get(t, path).Get("uuid").String(), refused.Get("details.load_uuid").String())
		o.step(t, path, "clear", "cover", "pick_up", "deliver")
		o.post(t, path+"/complete", object{"note": "It is paid in kind"}).OK(t)
		require.Empty(t, o.post(t, erase, nil).Refused(t, http.StatusConflict, "loads.contact_retained").Get("details.retained_until").String(), "it has not paid")
		o.call(t, http.MethodPut, path+"/price", object{"tariff": "1.00", "carrier_pay": "0.00"}).OK(t)
		line := o.post(t, path+"/payment_plan/propose", object{"template": "full_pay"}).OK(t).Get("payment_plan.0.uuid").String()
		o.post(t, path+"/payments", object{"line_uuid": line}).OK(t)
		refused = o.post(t, erase, nil).Refused(t, http.StatusConflict, "loads.contact_retained")
		require.Equal(t, clock.System{}.Now().UTC().AddDate(3, 0, 1).Format(time.DateOnly), refused.Get("details.retained_until").String())

		other := o.post(t, "/contacts/api/v1/contacts", object{"name": "Bob Ray"}).OK(t).Get("uuid").String()
		lead := o.sold(car("500.00", "400.00"))
		lead["customer_uuid"] = other
		path = o.made(t, lead)
		o.step(t, path, "book")
		o.post(t, path+"/cancel", object{"reason": "customer"}).OK(t)
		o.post(t, "/contacts/api/v1/contacts/"+other+"/erase", nil).OK(t)
	})
}

func TestWindows_AreInTheOrderOfTheStops(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		windows := func(pickup, delivery object) object {
			all := stops()
			all[0]["window"], all[1]["window"] = pickup, delivery

			return object{"stops": all}
		}
		for _, wrong := range []object{{"from": "2026-12-01", "to": "2026-12-02"}, {"from": "2026-12-09"}, {"to": "2026-12-09"}} {
			refused := o.post(t, loadsPath, windows(object{"from": "2026-12-10"}, wrong)).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
			require.NotEmpty(t, refused.Get(`errors.stops\.0\.window\.from`).Raw)
			require.NotEmpty(t, refused.Get(`errors.stops\.1\.window\.from`).Raw)
		}
		o.post(t, loadsPath, windows(object{"from": "2026-12-10T08:30"}, object{"from": "2026-12-10T09:00"})).
			Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load") // Miami is an hour ahead
		o.post(t, loadsPath, windows(object{"from": "2026-12-10"}, object{"from": "2026-12-10"})).OK(t)
		o.post(t, loadsPath, windows(object{"from": "2026-12-10T08:30"}, object{"from": "2026-12-10"})).OK(t)
		o.post(t, loadsPath, windows(object{"to": "2026-12-10"}, object{"from": "2026-12-01"})).OK(t)
	})
}

func TestLoad_IsPickedUpAndDeliveredWhenItsVehiclesWere(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(car("500.00", "400.00"), car("500.00", "400.00")))
		o.step(t, path, "book", "clear", "cover")
		ids := o.get(t, path).Get("vehicles.#.uuid").Array()
		say := func(i int, verb string, days int) (at string, r moduletest.Response) {
			at = clock.System{}.Now().UTC().AddDate(0, 0, -days).Format(time.RFC3339)

			return at, o.post(t, path+"/vehicles/"+ids[i].String()+"/"+verb, object{"at": at})
		}
		_, long := say(0, "pick_up", 91)
		long.Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		_, later := say(0, "pick_up", 3)
		later.OK(t)
		_, early := say(0, "deliver", 4)
		require.NotEmpty(t, early.Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load").Get("errors.at").Raw)
		_, second := say(1, "pick_up", 2)
		second.OK(t)
		last, dropped := say(1, "deliver", 1)
		dropped.OK(t)
		_, first := say(0, "deliver", 2)
		row := first.OK(t)
		require.Equal(t, row.Get("vehicles.0.picked_up_at").String(), row.Get("picked_up_at").String())
		require.Equal(t, []string{"delivered", last}, []string{row.Get("state").String(), row.Get("delivered_at").String()})
	})
}

func TestLoad_HasAtMostTwentyStops(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, object{"stops": stops()})
		for range 18 {
			o.post(t, path+"/stops", stops()[0]).OK(t)
		}
		o.post(t, path+"/stops", stops()[0]).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
	})
}

func TestVehicle_HasAVINOrAMakeAndAModel(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		for _, part := range []string{"make", "model"} {
			o.post(t, loadsPath, object{"vehicles": []object{{part: "Honda"}}}).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		}
		for _, reasons := range []string{"hold_reasons", "lost_reasons", "cancel_reasons"} {
			o.call(t, http.MethodPatch, base+"/settings", object{reasons: []object{}}).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		}
	})
}

func TestReopen_GoesBackToWhereTheLoadWas(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		reopened := func(path string) string {
			return o.post(t, path+"/reopen", object{"reason": "A mistake"}).OK(t).Get("state").String()
		}
		path := o.made(t, o.sold(car("500.00", "400.00")))
		o.post(t, path+"/lose", object{"reason": "price"}).OK(t)
		require.Equal(t, "lead", reopened(path))
		o.step(t, path, "quote")
		o.post(t, path+"/lose", object{"reason": "price"}).OK(t)
		require.Equal(t, "quoted", reopened(path))
		o.step(t, path, "book")
		o.post(t, path+"/cancel", object{"reason": "customer"}).OK(t)
		require.Equal(t, "booked", reopened(path))
		o.step(t, path, "clear", "cover")
		o.post(t, path+"/cancel", object{"reason": "customer"}).OK(t)
		require.Equal(t, "ready", reopened(path))
		require.Empty(t, o.get(t, path).Get("carrier_uuid").String(), "no carrier has it")
		o.step(t, path, "cover", "pick_up", "deliver")
		require.Equal(t, "picked_up", reopened(path))
		row := o.get(t, path)
		require.Equal(t, []string{"picked_up", "", ""}, []string{row.Get("vehicles.0.custody").String(), row.Get("vehicles.0.delivered_at").String(), row.Get("delivered_at").String()})

		o.post(t, path+"/vehicles/"+row.Get("vehicles.0.uuid").String()+"/put_back", object{"reason": "The wrong car"}).OK(t)
		row = o.get(t, path)
		require.Equal(t, []string{"dispatched", ""}, []string{row.Get("state").String(), row.Get("picked_up_at").String()})
		require.NotContains(t, o.get(t, path+"/transitions").Raw, `"put_back"`)
		require.Equal(t, "ready", o.step(t, path, "uncover").Get("state").String())
	})
}

func TestCancel_OnTheWayTakesANote(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(car("500.00", "400.00")))
		o.step(t, path, "book", "clear", "cover", "pick_up")
		refused := o.post(t, path+"/cancel", object{"reason": "customer"}).Refused(t, http.StatusUnprocessableEntity, "loads.note_required")
		require.NotEmpty(t, refused.Get("errors.note").Raw)
		o.post(t, path+"/cancel", object{"reason": "customer", "note": "The truck burned down"}).OK(t)
	})
}

func TestCurrency_IsTheCompanysUnlessALoadHasAnother(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		o.call(t, http.MethodPatch, "/companies/api/v1/company", object{"currency": "JPY"}).OK(t)
		yen := o.sold(car("110000", "90000"))
		path := o.made(t, yen)
		require.Equal(t, "JPY", o.get(t, path).Get("currency").String())
		refused := o.call(t, http.MethodPatch, path, object{"vehicles": []object{car("1100.50", "900")}}).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		require.Equal(t, "The tariff must be an amount in JPY without decimals, at least 0 and at most 10000000000.", refused.Get(`errors.vehicles\.0\.tariff.0`).String())
		quick := object{"from": "75201", "to": "33101", "vehicles": []string{"2012 BMW X6"}, "customer_uuid": o.customer, "tariff": "110000", "carrier_pay": "90000"}
		require.Equal(t, "JPY", o.post(t, base+"/quick_loads", quick).OK(t).Get("load.currency").String())
		delete(quick, "tariff")
		delete(quick, "carrier_pay")
		none := o.post(t, base+"/quick_loads", quick).OK(t)
		require.Equal(t, []string{"none", "loads.unpriced"}, []string{none.Get("priced_by").String(), none.Get("load.warnings.#(code==loads.unpriced).code").String()})
		require.Contains(t, none.Get("load.warnings.#(code==loads.unpriced).message").String(), "JPY")
		lead := o.sends(t, o.source(t), "mail", fmt.Sprintf(inquiryMail, "1"))[0]
		require.Equal(t, "JPY", o.get(t, loadsPath+"/"+lead.Get("uuid").String()).Get("currency").String())

		yen["currency"] = "USD"
		path = o.made(t, yen)
		require.Equal(t, "USD", o.post(t, path+"/duplicate", object{}).OK(t).Get("loads.0.currency").String())
		require.Equal(t, "JPY", o.call(t, http.MethodPatch, path, object{"currency": nil}).OK(t).Get("currency").String())
	})
}

func TestStop_IsInACountryThatThereIs(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		ends := stops()
		ends[0]["venue"] = object{"city": "Nowhere", "state": "NO", "country": "zz"}
		refused := o.post(t, loadsPath, object{"stops": ends}).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		require.NotEmpty(t, refused.Get(`errors.stops\.0\.venue\.country`).Array())
	})
}
