package dispatches_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/quotes"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestDispatch_WarnsOfAPickupAfterThePromisedDay(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, append(areas(), quotes.Module), func(t *testing.T, a *moduletest.App) {
		d := desk{a}
		hauler, buyer := d.carrier(t, "Haul", 300), d.post(t, "/contacts/api/v1/contacts", object{"name": "Ann Lee"}).OK(t).Get("uuid").String()
		load := d.post(t, loadsPath, object{
			"customer_uuid": buyer, "available_from": day(2), "vehicles": []object{{"vin": secretVIN, "tariff": "1100.00", "carrier_pay": "900.00"}},
			"stops": []object{{"kind": "pickup", "venue": object{"postal_code": "75201"}}, {"kind": "delivery", "venue": object{"postal_code": "33101"}}},
		}).OK(t).Header.Get("Location")
		options := []object{{"key": "standard"}, {"key": "priority", "surcharge": "150.00", "pickup_within_days": 2}}
		quote := d.post(t, "/quotes/api/v1/quotes", object{"load_uuid": idOf(load), "options": options}).OK(t).Header.Get("Location")
		d.post(t, quote+"/send", object{"tariff": "1100.00"}).OK(t)
		d.post(t, quote+"/accept", object{"option": "priority", "tariff": "1250.00", "note": "On the phone"}).OK(t)
		d.post(t, load+"/clear", nil).OK(t)
		d.call(t, http.MethodPatch, load, object{"stops": []object{ // the window is open again
			{"kind": "pickup", "venue": object{"postal_code": "75201"}}, {"kind": "delivery", "venue": object{"postal_code": "33101"}},
		}}).OK(t)
		made := d.post(t, base+"/dispatches", object{"load_uuid": idOf(load), "carrier_pay": d.payOf(t, idOf(load)), "carrier_uuid": hauler, "pickup_date": day(5), "note": "On the phone"}).OK(t)
		require.Equal(t, []string{"dispatches.after_promise", "pickup_date"}, []string{made.Get("warnings.0.code").String(), made.Get("warnings.0.field").String()})
		require.Empty(t, d.call(t, http.MethodPatch, base+"/dispatches/"+made.Get("uuid").String(), object{"pickup_date": day(4)}).OK(t).Get("warnings").Array())
	})
}
