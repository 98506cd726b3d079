package deliveries_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/billsoflading"
	"github.com/dispatchd/dispatchd/modules/carriers"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/contacts"
	"github.com/dispatchd/dispatchd/modules/deliveries"
	"github.com/dispatchd/dispatchd/modules/loads"
	"github.com/dispatchd/dispatchd/modules/routeengine"
	"github.com/dispatchd/dispatchd/modules/vehicles"
	"github.com/dispatchd/dispatchd/modules/walks/scene"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const base = "/deliveries/api/v1/deliveries"

type object = map[string]any

func areas() []module.Module {
	return []module.Module{
		attachments.Module, billsoflading.Module, carriers.Module, companies.Module, contacts.Module, deliveries.Module, loads.Module, routeengine.Module, vehicles.Module,
	}
}

func TestMain(m *testing.M) { moduletest.Main(m, deliveries.Module, areas()...) }

// desk is a company that has loads carried.
type desk struct{ *moduletest.App }

func each(t *testing.T, test func(t *testing.T, d desk)) {
	t.Helper()
	moduletest.BootEach(t, areas(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		test(t, desk{a})
	})
}

func (d desk) call(t *testing.T, method, path string, body any) moduletest.Response {
	t.Helper()

	return d.Call(t, d.Owner.Token, method, path, body)
}

func (d desk) post(t *testing.T, path string, body any) moduletest.Response {
	t.Helper()

	return d.call(t, http.MethodPost, path, body)
}

func (d desk) get(t *testing.T, path string) gjson.Result {
	t.Helper()

	return gjson.ParseBytes(d.call(t, http.MethodGet, path, nil).OK(t).Body)
}

func day(days int) string { return clock.System{}.Now().AddDate(0, 0, days).Format(time.DateOnly) }

// covered is the path of a load that a carrier has, whose two vehicles go to two places.
func (d desk) covered(t *testing.T) string {
	t.Helper()
	const atlanta, miami = "0190d0c0-0000-7000-8000-00000000000a", "0190d0c0-0000-7000-8000-00000000000b"
	load := scene.Of(d.App).Covered(t, object{
		"stops": []object{
			{"kind": "pickup", "venue": object{"postal_code": "75201", "name": "Lone Star Auto"}},
			{"uuid": atlanta, "kind": "delivery", "venue": object{"postal_code": "30301", "name": "Peach Cars"}},
			{"uuid": miami, "kind": "delivery", "venue": object{"postal_code": "33101"}, "contacts": []object{{"name": "Cy Ray", "phones": []string{"+13055550143"}}}},
		},
		"vehicles": []object{
			{"year": 2003, "make": "Honda", "model": "Accord", "delivery_stop_uuid": atlanta, "tariff": "600.00", "carrier_pay": "500.00"},
			{"year": 2015, "make": "Ford", "model": "F-150", "tariff": "700.00", "carrier_pay": "600.00"},
		},
	})
	d.Eventually(t, func() bool { return d.get(t, base).Get("data.#").Int() == 2 }, "there is a delivery for each stop")

	return load
}

// to is the delivery to a place.
func (d desk) to(t *testing.T, place string) gjson.Result {
	t.Helper()
	for _, one := range d.get(t, base+"?filter[state][ne]=cancelled").Get("data").Array() {
		if strings.Contains(one.Get("title").String(), place) {
			return one
		}
	}

	return gjson.Result{}
}

// A load has a delivery for each stop at which vehicles are delivered. Saying that it is done tells the load, and the other way round.
func TestDelivery_IsAMirrorOfItsLoad(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load := d.covered(t)
		atlanta, miami := base+"/"+d.to(t, "Atlanta").Get("uuid").String(), base+"/"+d.to(t, "Miami").Get("uuid").String()
		require.Equal(t, []string{"scheduled", "Cy Ray", "1"}, []string{d.get(t, miami).Get("state").String(), d.get(t, miami).Get("contact_name").String(), d.get(t, miami).Get("vehicle_count").String()})
		require.Regexp(t, `^\+1\d{10}$`, d.get(t, miami).Get("contact_phone").String(), "of the contact at the stop")
		d.call(t, http.MethodPatch, miami, object{"scheduled_from": day(5) + "T15:00:00Z", "scheduled_to": day(4) + "T15:00:00Z"}).Refused(t, http.StatusUnprocessableEntity, "deliveries.invalid_delivery")
		d.call(t, http.MethodPatch, miami, object{"scheduled_from": day(5) + "T15:00:00Z", "appointment_number": "A-7"}).OK(t)

		for verb, body := range map[string]object{"deliver": {}, "fail": {"reason": "refused"}, "go_out": {}} {
			code := map[bool]string{true: "loads.vehicles_waiting", false: "deliveries.not_picked_up"}[verb == "deliver"]
			d.post(t, atlanta+"/"+verb, body).Refused(t, http.StatusConflict, code)
		}
		require.Equal(t, "dispatched", d.get(t, load).Get("state").String())
		d.post(t, load+"/pick_up", nil).OK(t)
		d.post(t, atlanta+"/deliver", object{"recipient": "Pat Dow"}).OK(t)
		d.post(t, atlanta+"/deliver", object{}).OK(t)
		require.Equal(t, []string{"delivered", "Pat Dow", "1"}, []string{d.get(t, atlanta).Get("state").String(), d.get(t, atlanta).Get("recipient").String(), d.get(t, atlanta).Get("attempts.#").String()})
		l := d.get(t, load)
		require.Equal(t, []string{"picked_up", "1", "1"}, []string{l.Get("state").String(), l.Get("delivered_count").String(), l.Get("picked_up_count").String()})

		d.post(t, miami+"/go_out", nil).OK(t)
		d.post(t, miami+"/fail", object{"reason": "nobody_there", "note": "Rang twice"}).OK(t)
		d.post(t, miami+"/reschedule", object{"scheduled_from": day(6) + "T15:00:00Z"}).OK(t)
		require.Equal(t, []string{"scheduled", "nobody_there"}, []string{d.get(t, miami).Get("state").String(), d.get(t, miami).Get("attempts.0.reason").String()})
		last := load + "/vehicles/" + l.Get("vehicles.1.uuid").String()
		d.post(t, last+"/deliver", object{}).OK(t)
		d.Eventually(t, func() bool { return d.get(t, miami).Get("state").String() == "delivered" }, "the load says so")
		d.post(t, miami+"/fail", object{"reason": "refused"}).Refused(t, http.StatusConflict, "state.not_allowed")
		require.Subset(t, d.EventNames(t, d.Owner), []string{"deliveries.delivery.out_for_delivery", "deliveries.delivery.failed", "deliveries.delivery.delivered"})
	})
}

func TestDelivery_EndsWithTheCarriersTurn(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load := d.covered(t)
		miami := base + "/" + d.to(t, "Miami").Get("uuid").String()
		d.post(t, load+"/uncover", object{"reason": "Broke down"}).OK(t)
		d.Eventually(t, func() bool { return d.get(t, miami).Get("state").String() == "cancelled" }, "nobody delivers it")
		d.post(t, miami+"/deliver", object{}).Refused(t, http.StatusConflict, "deliveries.not_picked_up")
	})
}

// The bill of lading that was signed at the delivery is the proof.
func TestDelivery_HasTheSignedBillOfLadingAsItsProof(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load := d.covered(t)
		made := d.post(t, "/bills_of_lading/api/v1/bols", object{"load_uuid": load[strings.LastIndex(load, "/")+1:]}).OK(t)
		require.Equal(t, int64(2), made.Get("bols.#").Int())
		for _, b := range made.Get("bols").Array() {
			path := "/bills_of_lading/api/v1/bols/" + b.Get("uuid").String()
			for _, stage := range []string{"pickup", "delivery"} {
				d.post(t, path+"/submissions", object{"vehicle_uuid": b.Get("vehicles.0.vehicle.uuid").String(), "stage": stage}).OK(t)
				for _, role := range []string{"driver", map[string]string{"pickup": "releasing", "delivery": "receiving"}[stage]} {
					d.post(t, path+"/signatures", object{"stage": stage, "role": role, "name": "Sam " + role}).OK(t)
				}
			}
		}
		require.Equal(t, "delivered", d.get(t, load).Get("state").String())
		d.Eventually(t, func() bool {
			return d.to(t, "Atlanta").Get("proof_uuid").String() != "" && d.to(t, "Miami").Get("proof_uuid").String() != ""
		}, "each has the bill of its stop")
		one := d.to(t, "Atlanta")
		require.Equal(t, []string{"delivered", "Sam receiving"}, []string{one.Get("state").String(), one.Get("recipient").String()})
		require.Equal(t, "application/pdf", d.get(t, "/attachments/api/v1/attachments/"+one.Get("proof_uuid").String()).Get("media_type").String())
	})
}

func TestDelivery_ThatWentBackIsDeliveredIfTheLoadSaysSo(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load := d.covered(t)
		miami := base + "/" + d.to(t, "Miami").Get("uuid").String()
		d.post(t, load+"/pick_up", nil).OK(t)
		d.post(t, miami+"/deliver", object{"at": day(-2) + "T12:00:00Z"}).Refused(t, http.StatusUnprocessableEntity, "deliveries.invalid_delivery")
		d.post(t, miami+"/fail", object{"reason": "refused"}).OK(t)
		d.post(t, miami+"/return", nil).OK(t)
		d.post(t, load+"/deliver", nil).OK(t)
		d.Eventually(t, func() bool { return d.get(t, miami).Get("state").String() == "delivered" }, "the load knows it better")
	})
}
