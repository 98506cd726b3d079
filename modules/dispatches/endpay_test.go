package dispatches_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEndPay_IsForCarriersThatDroveForNothingOrAPartOfTheWay(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load, at, _ := d.given(t, 1)
		put := func(at string, body object) []string {
			row := d.call(t, http.MethodPut, at+"/end_pay", body).OK(t)

			return []string{row.Get("end_pay").String(), row.Get("end_pay_kind").String()}
		}
		d.call(t, http.MethodPut, at+"/end_pay", object{"amount": "150.00"}).Refused(t, http.StatusConflict, "dispatches.not_ended")
		d.post(t, at+"/cancel", object{"reason": "breakdown"}).OK(t)
		require.Equal(t, []string{"150.00", "tonu"}, put(at, object{"amount": "150.00"}))
		require.Equal(t, []string{"", ""}, put(at, object{"amount": "0.00"}))
		for _, wrong := range []object{{"amount": "-1.00"}, {"amount": "1.001"}, {"amount": "150.00", "kind": "part"}, {"amount": "0.00", "paid": true}} {
			d.call(t, http.MethodPut, at+"/end_pay", wrong).Refused(t, http.StatusUnprocessableEntity, "dispatches.invalid_dispatch")
		}
		require.Equal(t, []string{"125.00", "tonu"}, put(at, object{"amount": "125.00", "paid": true}))
		require.Equal(t, []string{"125.00", "tonu"}, put(at, object{"amount": "125.00", "paid": true}))
		require.NotEmpty(t, d.get(t, at).Get("end_paid_at").String())
		d.call(t, http.MethodPut, at+"/end_pay", object{"amount": "130.00"}).Refused(t, http.StatusConflict, "dispatches.end_pay_paid")
		require.Equal(t, "900.00", d.get(t, load).Get("carrier_pay").String(), "the next carrier gets that")

		second := d.post(t, base+"/dispatches", object{"load_uuid": idOf(load), "carrier_pay": d.payOf(t, idOf(load)), "carrier_uuid": d.carrier(t, "Tow", 300)}).OK(t).Header.Get("Location")
		d.post(t, second+"/pick_up", object{}).OK(t)
		d.post(t, second+"/abandon", object{"reason": "breakdown", "note": "The axle broke", "place": object{"postal_code": "39401"}}).OK(t)
		require.Equal(t, []string{"400.00", "part"}, put(second, object{"amount": "400.00"}))
		record := d.get(t, load+"/transaction_record").Get("originating_carrier")
		require.Equal(t, []string{"Tow", "400.00"}, []string{record.Get("name").String(), record.Get("end_pay").String()}, "49 CFR 371.3(a)(6)")
	})
}
