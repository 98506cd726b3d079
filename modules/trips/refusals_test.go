package trips_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/carriers"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestTrip_KnowsItsLegsAndItsLoadsAlone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, y yard) {
		path := y.trip(t, object{}, y.load(t, "75201", "33101", car("sedan")))
		unknown := uuid.NewString()
		y.call(t, http.MethodPut, path+"/legs/"+unknown+"/eta", object{"eta": day(3) + "T12:00:00Z"}).Refused(t, http.StatusNotFound, "trips.leg_not_found")
		y.call(t, http.MethodDelete, path+"/loads/"+unknown, nil).Refused(t, http.StatusNotFound, "trips.load_not_found")
		require.Equal(t, int64(2), y.get(t, path).Get("legs.#").Int())
	})
}

func TestTrip_IsNotCanceledWithAVehicleOnTheTruck(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, y yard) {
		load := y.load(t, "75201", "33101", car("sedan"))
		path := y.trip(t, object{"truck_uuid": y.truck(t, 3), "driver_uuid": y.driver}, load)
		y.post(t, path+"/plan", nil).OK(t)
		y.post(t, path+"/dispatch", object{}).OK(t)
		y.post(t, path+"/legs/"+y.get(t, path).Get("legs.0.uuid").String()+"/depart", object{}).OK(t)
		y.post(t, path+"/cancel", object{"reason": "Snow"}).Refused(t, http.StatusConflict, "trips.vehicles_loaded")
		require.Equal(t, "picked_up", y.stateOf(t, load))
		require.NotContains(t, y.EventNames(t, y.Owner), "trips.trip.cancelled")

		other := y.trip(t, object{}, y.load(t, "75201", "33101", car("sedan")))
		y.post(t, other+"/cancel", object{"reason": "Snow"}).OK(t)
		require.Equal(t, []string{"trips.trip.cancelled"}, y.EventNames(t, y.Owner, "trips.trip.cancelled"))
	})
}

func TestTrip_NeedsTheCarrierOfTheSettingsWhenItIsDriven(t *testing.T) {
	t.Parallel()
	eachOf(t, append(areas(), carriers.Module), func(t *testing.T, y yard) {
		t.Helper()
		own := y.post(t, "/carriers/api/v1/carriers", object{"legal_name": "We", "usdot": moduletest.USDOT()}).OK(t).Header.Get("Location")
		y.call(t, http.MethodPatch, base+"/settings", object{"own_carrier_uuid": y.get(t, own).Get("uuid").String()}).OK(t)
		load := y.load(t, "75201", "33101", car("sedan"))
		path := y.trip(t, object{"truck_uuid": y.truck(t, 3), "driver_uuid": y.driver}, load)
		y.post(t, path+"/plan", nil).OK(t)
		y.call(t, http.MethodDelete, own, nil).OK(t)
		y.post(t, path+"/dispatch", object{}).Refused(t, http.StatusConflict, "trips.own_carrier_unknown")
		require.Equal(t, "ready", y.stateOf(t, load))
		require.NotContains(t, y.EventNames(t, y.Owner), "trips.trip.dispatched")
	})
}
