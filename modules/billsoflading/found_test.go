package billsoflading_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/share"
)

// A VIN that is found on a vehicle without one is the load's from then on, unless it is of another vehicle.
func TestVIN_ThatIsFoundIsCheckedAndTakenOver(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		car := func() object {
			return object{"year": 2003, "make": "Honda", "model": "Accord", "tariff": "1100.00", "carrier_pay": "900.00"}
		}
		h := d.covered(t, "standard", car())
		row := h.enter(t, "inspections", object{"vin_scanned": vin}).OK(t).Get("uuid").String()
		require.Equal(t, "matches", d.get(t, base+"/inspections/"+row).Get("vin_check").String())
		require.Equal(t, []string{vin, vin}, []string{d.get(t, h.load).Get("vehicles.0.vin").String(), d.get(t, h.bol).Get("vehicles.0.vin").String()})
		h.enter(t, "inspections", object{"keys_count": 2}).OK(t)
		require.Equal(t, "matches", d.get(t, base+"/inspections/"+row).Get("vin_check").String(), "what is left out stays")
		d.post(t, base+"/inspections/"+row+"/accept_vin", object{"reason": "Fine"}).Refused(t, http.StatusConflict, "bills_of_lading.vin_not_different")

		other := d.covered(t, "standard", car())
		row = other.enter(t, "inspections", object{"vin_scanned": "1FTFW1ET5DFC10312"}).OK(t).Get("uuid").String()
		other.enter(t, "submissions", object{}).OK(t)
		refused := other.sign(t, "pickup", "driver", nil).Refused(t, http.StatusConflict, "bills_of_lading.vin_differs")
		require.Regexp(t, `2003 Honda Accord is 1FTFW1ET5DFC10312\. By it, the vehicle is a 2013 Ford`, refused.Get("message").String())
		require.Empty(t, d.get(t, other.load).Get("vehicles.0.vin").String(), "it is not taken over")
		d.post(t, base+"/inspections/"+row+"/accept_vin", object{"reason": "Swapped at the auction"}).OK(t)
		require.Equal(t, "1FTFW1ET5DFC10312", d.get(t, other.load).Get("vehicles.0.vin").String(), "the company has accepted it")
		other.sign(t, "pickup", "driver", nil).OK(t)
	})
}

func TestVIN_ThatTheLoadHasByNowLetsTheVehicleGo(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "standard")
		const found = "1HGCM82633A004353"
		h.enter(t, "inspections", object{"vin_scanned": found}).OK(t)
		h.enter(t, "submissions", object{}).OK(t)
		vehicle := h.load + "/vehicles/" + h.vehicles[0]
		refused := d.post(t, vehicle+"/pick_up", object{}).Refused(t, http.StatusConflict, "bills_of_lading.vin_differs")
		require.Contains(t, refused.Get("message").String(), "The VIN found on the 2003 Honda Accord is "+found+", that of the load is "+vin)
		require.Equal(t, []string{found, vin, h.vehicles[0]}, []string{
			refused.Get("details.vin_scanned").String(), refused.Get("details.vin").String(), refused.Get("details.vehicle_uuid").String(),
		})
		d.call(t, http.MethodPatch, vehicle, object{"vin": found}).OK(t)
		h.sign(t, "pickup", "driver", nil).OK(t)
		require.Equal(t, found, d.get(t, h.bol).Get("vehicles.0.vin").String(), "the driver signs for the vehicle that is there")
		require.Equal(t, "matches", d.get(t, base+"/inspections").Get("data.0.vin_check").String())
		d.post(t, vehicle+"/pick_up", object{}).OK(t)
	})
}

func TestEntry_WithTheIDOfAnotherOneIsRefused(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "standard")
		id := uuid.NewString()
		dent := func(side string) object {
			return object{"kind": "damage", "data": object{"client_id": id, "vehicle_uuid": h.vehicles[0], "stage": "pickup", "code": "D", "side": side}}
		}
		both := h.ask(t, http.MethodPost, h.link+"/sync", object{"operations": []object{dent("left"), dent("right"), dent("left")}}).OK(t)
		require.JSONEq(t, `[200, 422, 200]`, both.Get("results.#.status").Raw)
		require.Equal(t, "bills_of_lading.client_id_used", both.Get("results.1.code").String())
		require.Equal(t, int64(1), d.get(t, base+"/damages?filter[load_uuid]="+idOf(h.load)).Get("data.#").Int())
		require.Zero(t, d.get(t, base+"/damages?filter[load_uuid]="+uuid.NewString()).Get("data.#").Int())
		h.photo(t, 1, object{"client_id": id}).OK(t)
		h.photo(t, 1, object{"client_id": id}).OK(t)
		h.photo(t, 2, object{"client_id": id}).Refused(t, http.StatusUnprocessableEntity, "bills_of_lading.client_id_used")
	})
}

func TestDriver_EntersAtMostSoMuchOfAVehicle(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "standard")
		all := make([]object, 200)
		for i := range all {
			all[i] = object{"kind": "damage", "data": object{"vehicle_uuid": h.vehicles[0], "stage": "pickup", "code": "D"}}
		}
		h.ask(t, http.MethodPost, h.link+"/sync", object{"operations": all}).OK(t)
		more := h.ask(t, http.MethodPost, h.link+"/sync", object{"operations": all[:2]}).OK(t)
		require.JSONEq(t, `["bills_of_lading.too_many", "bills_of_lading.too_many"]`, more.Get("results.#.code").Raw)
		h.enter(t, "damages", object{"code": "SC"}).Refused(t, http.StatusConflict, "bills_of_lading.too_many")
		links := func(count int) object {
			return object{"vehicle_uuid": h.vehicles[0], "stage": "pickup", "subject": "front", "count": count}
		}
		for range 3 {
			h.ask(t, http.MethodPost, h.link+"/upload_links", links(60)).OK(t)
		}
		h.ask(t, http.MethodPost, h.link+"/upload_links", links(21)).Refused(t, http.StatusConflict, "bills_of_lading.too_many")
		h.ask(t, http.MethodPost, h.link+"/upload_links", links(20)).OK(t)
	})
}

func TestDriver_SendsAtMostSoManyPhotosOfAVehicle(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "standard")
		for n := range 200 {
			h.photo(t, n, nil).OK(t)
		}
		refused := h.photo(t, 200, nil).Refused(t, http.StatusConflict, "bills_of_lading.too_many")
		require.Equal(t, "The vehicle already has 200 photos at the pickup, the maximum.", refused.Get("message").String())
	})
}

func TestDriver_EntersAtMostSoMuchOfALoad(t *testing.T) {
	t.Parallel()
	moduletest.Each(t, areas(), func(t *testing.T, boot func(...moduletest.Option) *moduletest.App) {
		t.Helper()
		var given *share.Service
		d := desk{boot(halfPast(), moduletest.With(fx.Populate(&given)))}
		h := d.covered(t, "standard")
		h.enter(t, "damages", object{"code": "D"}).OK(t)
		ctx := principal.With(t.Context(), principal.ForCompany(d.Owner.ID))
		require.NoError(t, given.AllowEntries(ctx, "load "+idOf(h.load), 2_999, 3_000, 6_000))
		h.enter(t, "damages", object{"code": "D"}).Refused(t, http.StatusTooManyRequests, "link.too_often")
	})
}

func TestDriver_PhotosOfABillAreNotLargerThanTwoGigabytesTogether(t *testing.T) {
	t.Parallel()
	moduletest.Each(t, areas(), func(t *testing.T, boot func(...moduletest.Option) *moduletest.App) {
		var db *database.DB
		d := desk{boot(moduletest.With(fx.Populate(&db)))}
		h := d.covered(t, "standard")
		h.photo(t, 1, nil).OK(t)
		require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
			return db.Raw(ctx, "a test").Exec("UPDATE bills_of_lading_photos SET size_bytes = ?", int64(2<<30)).Error
		}))
		h.photo(t, 2, nil).Refused(t, http.StatusConflict, "bills_of_lading.photos_full")
	})
}

// What comes by a driver's link is limited by the load, however many links there are to it.
func TestDriver_SendsAtMostSoManyPositionsAndLinks(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, areas(), func(t *testing.T, a *moduletest.App) {
		d := desk{a}
		h := d.covered(t, "standard")
		positions := make([]object, 100)
		for i := range positions {
			positions[i] = object{"at": clock.System{}.Now().Add(-time.Duration(i) * time.Minute).UTC().Format(time.RFC3339), "position": object{"lat": 32.7, "lng": -96.8}}
		}
		for range 60 {
			h.ask(t, http.MethodPost, h.link+"/positions", object{"positions": positions}).OK(t)
		}
		refused := h.ask(t, http.MethodPost, h.link+"/positions", object{"positions": positions[:1]}).Refused(t, http.StatusTooManyRequests, "link.too_often")
		require.Regexp(t, `^Too many requests by this link\. Try again in [0-9]+ (second|minute)s?\.$`, refused.Get("message").String())
		require.NotEmpty(t, refused.Header.Get("Retry-After"))
		for range 20 {
			h.ask(t, http.MethodPost, h.link+"/sign_links", object{"bol_uuid": idOf(h.bol)}).OK(t)
		}
		h.ask(t, http.MethodPost, h.link+"/sign_links", object{"bol_uuid": idOf(h.bol)}).Refused(t, http.StatusTooManyRequests, "link.too_often")
		h.enter(t, "damages", object{"code": "SC"}).OK(t)
	}, halfPast())
}

// Of many who sign at the same moment, one signs for each side.
func TestSignature_IsTheOnlyOneOfItsSide(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "standard")
		h.enter(t, "submissions", object{}).OK(t)
		var wait sync.WaitGroup
		var mutex sync.Mutex
		answers := map[int]int{}
		for i := range 24 {
			wait.Go(func() {
				role := []string{"driver", "releasing"}[i%2]
				body := object{"bol_uuid": idOf(h.bol), "stage": "pickup", "role": role, "name": "Bo", "client_id": uuid.NewString()}
				status := h.Call(t, "", http.MethodPost, h.link+"/signatures", body).Status
				mutex.Lock()
				defer mutex.Unlock()
				answers[status]++
			})
		}
		wait.Wait()
		require.Equal(t, map[int]int{http.StatusOK: 2, http.StatusConflict: 22}, answers)
		require.Equal(t, "picked_up", d.get(t, h.load).Get("state").String())
	})
}

func TestCompare_WaitsForTheDelivery(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "standard")
		h.enter(t, "damages", object{"code": "D", "side": "left"}).OK(t)
		h.enter(t, "inspections", object{"odometer": 41200}).OK(t)
		h.enter(t, "submissions", object{}).OK(t)
		counts := func() []int64 {
			c := d.get(t, h.bol+"/compare")

			return []int64{c.Get("resolved.#").Int(), c.Get("pending.#").Int()}
		}
		require.Equal(t, []int64{0, 1}, counts())
		for _, role := range []string{"driver", "releasing"} {
			h.sign(t, "pickup", role, nil).OK(t)
		}
		back := d.post(t, h.bol+"/inspections", object{"vehicle_uuid": h.vehicles[0], "stage": "delivery", "odometer": 41100}).OK(t)
		require.Equal(t, "odometer_back", back.Get("warnings.0.code").String())
		further := d.post(t, h.bol+"/inspections", object{"vehicle_uuid": h.vehicles[0], "stage": "delivery", "odometer": 68000, "odometer_unit": "km"}).OK(t)
		require.False(t, further.Get("warnings").Exists())
		require.Equal(t, []int64{0, 1}, counts())
		h.enter(t, "submissions", object{"stage": "delivery"}).OK(t)
		require.Equal(t, []int64{1, 0}, counts())
	})
}
