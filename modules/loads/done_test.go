package loads_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/collections"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// What was signed names the place, so a stop stays where it is once vehicles were picked up or delivered there.
func TestStop_StaysAsItIsOnceItIsDone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		body := o.sold(car("500.00", "400.00"), car("500.00", "400.00"))
		body["stops"].([]object)[0]["window"] = object{"from": "2026-12-01", "to": "2026-12-03"}
		path := o.made(t, body)
		o.step(t, path, "book", "clear", "cover")
		first, last := path+"/stops/"+o.get(t, path).Get("stops.0.uuid").String(), path+"/stops/"+o.get(t, path).Get("stops.1.uuid").String()
		o.call(t, http.MethodPatch, first, object{"venue": object{"line1": "2 Main St"}}).OK(t)
		vehicle := path + "/vehicles/" + o.get(t, path).Get("vehicles.0.uuid").String()
		o.post(t, vehicle+"/pick_up", object{}).OK(t)

		for _, wrong := range []object{
			{"venue": object{"postal_code": "10001"}},
			{"venue": object{"line1": "3 Main St"}},
			{"venue": object{"line1": nil}},
			{"kind": "transfer"},
			{"window": object{"from": "2026-12-02"}},
			{"window": nil},
			{"venue": object{"postal_code": nil, "city": "Waco", "state": "TX"}},
		} {
			o.call(t, http.MethodPatch, first, wrong).Refused(t, http.StatusConflict, "loads.stop_done")
		}
		refused := o.call(t, http.MethodPatch, first, object{"venue": object{"postal_code": "10001"}}).Refused(t, http.StatusConflict, "loads.stop_done")
		require.Contains(t, refused.Get("message").String(), "Dallas, TX")
		o.call(t, http.MethodPatch, path, object{"stops": stops()}).Refused(t, http.StatusConflict, "loads.stop_done")
		o.post(t, path+"/stops?position=0", object{"kind": "pickup", "venue": object{"postal_code": "60601"}}).OK(t) // after the pickups
		require.Equal(t, "75201", o.get(t, path).Get("stops.0.venue.postal_code").String())
		o.call(t, http.MethodPatch, first, object{"notes": "Gate 4", "contacts": []object{{"name": "Al"}}, "venue": object{"hours": "9-5"}}).OK(t)
		o.call(t, http.MethodPatch, last, object{"venue": object{"postal_code": "33130"}}).OK(t)
		o.call(t, http.MethodPatch, vehicle, object{"pickup_stop_uuid": o.get(t, path).Get("stops.1.uuid").String()}).Refused(t, http.StatusConflict, "loads.stop_done")

		o.post(t, vehicle+"/put_back", object{"reason": "The wrong car"}).OK(t)
		o.call(t, http.MethodPatch, first, object{"venue": object{"line1": "3 Main St"}}).OK(t)
	})
}

func TestStop_AlwaysHasAKind(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(car("500.00", "400.00")))
		first := path + "/stops/" + o.get(t, path).Get("stops.0.uuid").String()
		o.call(t, http.MethodPatch, first, object{"kind": nil}).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		require.Equal(t, "pickup", o.get(t, path).Get("stops.0.kind").String())
	})
}

// Where a vehicle is, and when a truck came, is set by operations of their own; a patch that says otherwise is refused and names them.
func TestPatch_RefusesWhatOnlyTheServiceSets(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(car("500.00", "400.00")))
		row := o.get(t, path)
		vehicle, first := path+"/vehicles/"+row.Get("vehicles.0.uuid").String(), path+"/stops/"+row.Get("stops.0.uuid").String()
		refused := o.call(t, http.MethodPatch, vehicle, object{"custody": "delivered"}).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		require.Contains(t, refused.Get("errors.vehicles\\.0\\.custody.0").String(), "Use pick_up, deliver, remove or put_back")
		o.call(t, http.MethodPatch, vehicle, object{"picked_up_at": "2026-12-01T10:00:00Z"}).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		o.call(t, http.MethodPatch, first, object{"arrived_at": "2026-12-01T10:00:00Z"}).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		o.call(t, http.MethodPatch, path, object{"vehicles": row.Get("vehicles").Value(), "stops": row.Get("stops").Value()}).OK(t)
		o.call(t, http.MethodPatch, vehicle, object{"custody": "waiting", "color": "red"}).OK(t)
	})
}

func TestRevert_EndsOnceACarrierHasTheLoad(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, append(areas(), collections.Module), func(t *testing.T, a *moduletest.App) {
		o := office{App: a}
		o.customer = o.post(t, "/contacts/api/v1/contacts", object{"name": "Ann Lee"}).OK(t).Get("uuid").String()
		path := o.made(t, o.sold(car("500.00", "400.00")))
		first := path + "/stops/" + o.get(t, path).Get("stops.0.uuid").String()
		o.call(t, http.MethodPatch, first, object{"venue": object{"line1": "2 Main St"}}).OK(t)
		rows := "/collections/api/v1/collections/loads.load/items/" + o.get(t, path).Get("uuid").String()
		o.post(t, rows+"/revert", object{"version": 1}).OK(t)
		require.Equal(t, "1 Main St", o.get(t, path).Get("stops.0.venue.line1").String())
		o.step(t, path, "book", "clear", "cover")
		refused := o.post(t, rows+"/revert", object{"version": 1}).Refused(t, http.StatusConflict, "loads.covered")
		require.Equal(t, "dispatched", refused.Get("details.state").String())
		o.step(t, path, "pick_up")
		o.post(t, rows+"/revert", object{"version": 2, "fields": []string{"stops"}}).Refused(t, http.StatusConflict, "loads.covered")
	})
}

// A load that was canceled on the way starts anew when it is reopened: its vehicles wait, and it says so.
func TestReopen_HasVehiclesWaitThatWereOnBoard(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(car("500.00", "400.00"), car("500.00", "400.00")))
		o.step(t, path, "book", "clear", "cover")
		o.post(t, path+"/vehicles/"+o.get(t, path).Get("vehicles.0.uuid").String()+"/pick_up", object{}).OK(t)
		o.post(t, path+"/cancel", object{"reason": "customer", "note": "Sold"}).OK(t)
		row := o.post(t, path+"/reopen", object{"reason": "After all"}).OK(t)
		require.Equal(t, []string{"ready", "", "waiting", "2", "0", ""}, []string{
			row.Get("state").String(), row.Get("carrier_uuid").String(), row.Get("vehicles.0.custody").String(), row.Get("waiting_count").String(), row.Get("picked_up_count").String(),
			row.Get("picked_up_at").String(),
		})
		require.Contains(t, row.Get("warnings.#.code").Raw, "loads.vehicle_put_back")
		o.step(t, path, "cover")
		require.Equal(t, "dispatched", o.get(t, path).Get("state").String())
		o.step(t, path, "pick_up", "deliver")
	})
}

func TestLoad_WarnsOfLossesAndOfWindowsThatCannotBe(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		body := o.sold(car("500.00", "600.00"))
		body["stops"].([]object)[0]["window"], body["stops"].([]object)[1]["window"] = object{"from": "2026-12-01"}, object{"to": "2026-12-01"}
		made := o.post(t, loadsPath, body).OK(t)
		require.JSONEq(t, `["loads.sold_at_loss", "loads.window_impossible"]`, made.Get("warnings.#.code").Raw)
		last := made.Header.Get("Location") + "/stops/" + made.Get("stops.1.uuid").String()
		row := o.call(t, http.MethodPatch, last, object{"window": object{"to": "2026-12-04"}}).OK(t)
		require.JSONEq(t, `["loads.sold_at_loss"]`, row.Get("warnings.#.code").Raw)
	})
}

func TestStatusUpdate_CannotReachADeliveryBeforeAnyPickup(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(car("500.00", "400.00")))
		o.step(t, path, "book", "clear", "cover")
		row := o.get(t, path)
		arrived := func(stop string) object {
			return object{"load_uuid": row.Get("uuid").String(), "kind": "arrived", "stop_uuid": row.Get(stop).String()}
		}
		o.post(t, base+"/status_updates", arrived("stops.1.uuid")).Refused(t, http.StatusConflict, "loads.vehicles_waiting")
		o.post(t, base+"/status_updates", arrived("stops.0.uuid")).OK(t)
		o.step(t, path, "pick_up")
		o.post(t, base+"/status_updates", arrived("stops.1.uuid")).OK(t)
	})
}
