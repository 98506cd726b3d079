package loads_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/clock"
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
