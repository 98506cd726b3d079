package trips_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/billsoflading"
	"github.com/dispatchd/dispatchd/modules/carriers"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/contacts"
	"github.com/dispatchd/dispatchd/modules/dispatches"
	"github.com/dispatchd/dispatchd/modules/drivers"
	"github.com/dispatchd/dispatchd/modules/fleets"
	"github.com/dispatchd/dispatchd/modules/loads"
	"github.com/dispatchd/dispatchd/modules/routeengine"
	"github.com/dispatchd/dispatchd/modules/trips"
	"github.com/dispatchd/dispatchd/modules/trucks"
	"github.com/dispatchd/dispatchd/modules/vehicles"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const base = "/trips/api/v1"

type object = map[string]any

func areas() []module.Module {
	return []module.Module{
		attachments.Module, companies.Module, contacts.Module, drivers.Module, fleets.Module, loads.Module, routeengine.Module, trips.Module, trucks.Module, vehicles.Module,
	}
}

func TestMain(m *testing.M) { moduletest.Main(m, trips.Module, areas()...) }

// yard is a company with trucks of its own.
type yard struct {
	*moduletest.App

	customer, driver string
}

func each(t *testing.T, test func(t *testing.T, y yard)) {
	t.Helper()
	eachOf(t, areas(), test)
}

func eachOf(t *testing.T, modules []module.Module, test func(t *testing.T, y yard)) {
	t.Helper()
	moduletest.BootEach(t, modules, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		y := yard{App: a}
		y.customer = y.post(t, "/contacts/api/v1/contacts", object{"name": "Ann Lee"}).OK(t).Get("uuid").String()
		y.driver = y.post(t, "/drivers/api/v1/drivers", object{"name": "Bo", "license_expires": day(200)}).OK(t).Get("uuid").String()
		y.post(t, "/drivers/api/v1/drivers/"+y.driver+"/activate", nil).OK(t)
		test(t, y)
	})
}

func (y yard) call(t *testing.T, method, path string, body any) moduletest.Response {
	t.Helper()

	return y.Call(t, y.Owner.Token, method, path, body)
}

func (y yard) post(t *testing.T, path string, body any) moduletest.Response {
	t.Helper()

	return y.call(t, http.MethodPost, path, body)
}

func (y yard) get(t *testing.T, path string) gjson.Result {
	t.Helper()

	return gjson.ParseBytes(y.call(t, http.MethodGet, path, nil).OK(t).Body)
}

func day(days int) string { return clock.System{}.Now().AddDate(0, 0, days).Format(time.DateOnly) }

// load is the uuid of a load of some vehicles that the company carries itself, and that is ready.
func (y yard) load(t *testing.T, from, to string, cars ...object) string {
	t.Helper()
	path := y.post(t, "/loads/api/v1/loads", object{
		"customer_uuid": y.customer, "company_role": "carrier", "available_from": day(1), "vehicles": cars,
		"stops": []object{{"kind": "pickup", "venue": object{"postal_code": from}}, {"kind": "delivery", "venue": object{"postal_code": to}}},
	}).OK(t).Header.Get("Location")
	y.post(t, path+"/payment_plan/propose", object{"template": "full_pay"}).OK(t)
	for _, verb := range []string{"/book", "/clear"} {
		y.post(t, path+verb, nil).OK(t)
	}

	return y.get(t, path).Get("uuid").String()
}

func car(kind string) object {
	return object{"year": 2015, "make": "Ford", "model": "Fusion", "type": kind, "tariff": "700.00", "carrier_pay": "600.00"}
}

// truck is the uuid of a truck that has some slots.
func (y yard) truck(t *testing.T, slots int) string {
	t.Helper()

	return y.post(t, "/trucks/api/v1/trucks", object{"unit": "12", "trailer_kind": "wedge", "slots": slots, "inspection_expires": day(100)}).OK(t).Get("uuid").String()
}

// trip is the path of a trip with some loads, which is planned.
func (y yard) trip(t *testing.T, more object, loads ...string) string {
	t.Helper()
	path := y.post(t, base+"/trips", more).OK(t).Header.Get("Location")
	for _, load := range loads {
		y.post(t, path+"/loads", object{"load_uuid": load}).OK(t)
	}

	return path
}

func (y yard) stateOf(t *testing.T, load string) string {
	t.Helper()

	return y.get(t, "/loads/api/v1/loads/"+load).Get("state").String()
}

// A truck that leaves a stop has the vehicles of it; the loads follow, the trip starts with the first departure and ends with the last.
func TestTrip_TakesItsLoadsAlong(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, y yard) {
		one, two := y.load(t, "75201", "33101", car("sedan")), y.load(t, "77002", "30303", car("sedan"))
		path := y.trip(t, object{"truck_uuid": y.truck(t, 3), "starts_from": "76102", "pay_basis": "percent", "pay_rate": "25.00"}, one, two)
		made := y.get(t, path)
		require.Regexp(t, `^T-\d{4}-00001$`, made.Get("number").String())
		require.Equal(t, `["Dallas, TX","Miami, FL","Houston, TX","Atlanta, GA"]`, made.Get("legs.#.place").Raw)
		require.Equal(t, []string{"300.00", "draft"}, []string{made.Get("pay_amount").String(), made.Get("state").String()})
		require.Positive(t, made.Get("deadhead_miles").Int(), "from where the truck is, and from Miami to Houston")

		better := y.post(t, path+"/optimise", nil).OK(t)
		require.Equal(t, `["Dallas, TX","Houston, TX","Atlanta, GA","Miami, FL"]`, better.Get("trip.legs.#.place").Raw)
		require.Greater(t, better.Get("saved_miles").Int(), int64(1000))
		require.Less(t, better.Get("trip.deadhead_miles").Int(), int64(60), "from Fort Worth to Dallas")

		y.post(t, path+"/plan", nil).OK(t)
		y.post(t, path+"/dispatch", object{}).Refused(t, http.StatusConflict, "trips.incomplete")
		y.call(t, http.MethodPatch, path, object{"driver_uuid": y.driver}).OK(t)
		y.post(t, path+"/dispatch", object{}).OK(t)
		y.post(t, path+"/dispatch", object{}).OK(t)
		require.Equal(t, []string{"dispatched", "dispatched"}, []string{y.stateOf(t, one), y.stateOf(t, two)})
		legs := y.get(t, path).Get("legs.#.uuid").Array()
		at := func(n int) string { return path + "/legs/" + legs[n].String() }
		y.post(t, at(2)+"/depart", object{}).Refused(t, http.StatusConflict, "trips.not_picked_up")
		y.post(t, at(0)+"/arrive", object{"odometer": 1000}).OK(t)
		require.Equal(t, "dispatched", y.get(t, path).Get("state").String())
		for n := range legs {
			y.post(t, at(n)+"/depart", object{}).OK(t)
			y.post(t, at(n)+"/depart", object{}).OK(t)
			after := []string{"picked_up dispatched", "picked_up picked_up", "picked_up delivered", "delivered delivered"}[n]
			require.Equal(t, after, y.stateOf(t, one)+" "+y.stateOf(t, two))
		}
		done := y.get(t, path)
		require.Equal(t, []string{"completed", "1000"}, []string{done.Get("state").String(), done.Get("legs.0.odometer").Raw})
		own := "/loads/api/v1/loads/" + one
		require.Equal(t, `["customer"]`, y.get(t, own).Get("payment_plan.#.from").Raw, "the company does not pay itself")
		y.post(t, own+"/payments", object{"line_uuid": y.get(t, own).Get("payment_plan.0.uuid").String()}).OK(t)
		require.Equal(t, []string{"completed", "0.00"}, []string{y.stateOf(t, one), y.get(t, own).Get("carrier_balance").String()})
		names := y.EventNames(t, y.Owner)
		require.Subset(t, names, []string{"trips.trip.planned", "trips.trip.dispatched", "trips.trip.started", "trips.trip.completed"})
		y.post(t, path+"/cancel", object{}).Refused(t, http.StatusConflict, "state.not_allowed")
	})
}

// A truck or a driver that is on another trip is to be known before a trip is dispatched.
func TestTrip_SaysThatItsTruckOrItsDriverIsOnAnotherOne(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, y yard) {
		truck := y.truck(t, 3)
		first := y.trip(t, object{"truck_uuid": truck, "driver_uuid": y.driver}, y.load(t, "75201", "33101", car("sedan")))
		second := y.trip(t, object{"truck_uuid": truck, "driver_uuid": y.driver}, y.load(t, "77002", "30303", car("sedan")))
		y.post(t, first+"/plan", nil).OK(t)
		y.post(t, second+"/plan", nil).OK(t)
		y.post(t, first+"/dispatch", object{}).OK(t)
		busy := y.post(t, second+"/dispatch", object{}).Refused(t, http.StatusConflict, "trips.busy").Get("details.warnings")
		require.Equal(t, `["truck_busy","driver_busy"]`, busy.Get("#.code").Raw)
		require.Contains(t, busy.Get("0.message").String(), y.get(t, first).Get("number").String())
		y.post(t, first+"/cancel", object{"reason": "No load"}).OK(t)
		y.post(t, second+"/dispatch", object{}).OK(t)
		third := y.trip(t, object{"co_driver_uuid": y.driver}, y.load(t, "77002", "30303", car("sedan")))
		require.Equal(t, `["driver_busy"]`, y.post(t, third+"/loads", object{"load_uuid": y.load(t, "75201", "33101", car("sedan"))}).OK(t).Get("warnings.#.code").Raw)
	})
}

func TestTrip_SaysWhatItsTruckMayNotHold(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, y yard) {
		broken := car("suv")
		broken["operable"] = false
		load := y.load(t, "75201", "33101", car("suv"), broken)
		path := y.trip(t, object{"truck_uuid": y.truck(t, 2), "driver_uuid": y.driver})
		full := y.post(t, path+"/loads", object{"load_uuid": load}).OK(t)
		require.Equal(t, `["slots","winch"]`, full.Get("warnings.#.code").Raw)
		require.Equal(t, "From Dallas, TX on, 2 vehicles take 2.4 of 2 slots.", full.Get("warnings.0.message").String())
		y.post(t, path+"/plan", nil).OK(t)
		y.call(t, http.MethodPatch, base+"/settings", object{"refuse_over_capacity": true}).OK(t)
		y.post(t, path+"/dispatch", object{"acknowledge_warnings": true}).Refused(t, http.StatusConflict, "trips.over_capacity")
		y.call(t, http.MethodPatch, base+"/settings", object{"refuse_over_capacity": nil}).OK(t)
		y.post(t, path+"/dispatch", object{}).Refused(t, http.StatusConflict, "trips.over_capacity")
		require.Equal(t, "ready", y.stateOf(t, load))
		y.post(t, path+"/dispatch", object{"acknowledge_warnings": true}).OK(t)

		y.post(t, path+"/cancel", object{"reason": "Snow"}).OK(t)
		require.Equal(t, "ready", y.stateOf(t, load), "it waits for another trip")
		other := y.trip(t, object{}, load)
		require.Equal(t, "2", y.get(t, other).Get("vehicles.#").Raw)
	})
}

func TestTrip_IsNotDrivenWithExpiredPapers(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, y yard) {
		truck := y.truck(t, 3)
		path := y.trip(t, object{"truck_uuid": truck, "driver_uuid": y.driver}, y.load(t, "75201", "33101", car("sedan")))
		y.post(t, path+"/plan", nil).OK(t)
		y.call(t, http.MethodPatch, "/trucks/api/v1/trucks/"+truck, object{"inspection_expires": day(-2)}).OK(t)
		y.post(t, "/drivers/api/v1/drivers/"+y.driver+"/deactivate", nil).OK(t)
		why := y.post(t, path+"/dispatch", object{}).Refused(t, http.StatusConflict, "trips.not_fit")
		require.Equal(t, `["truck","driver"]`, why.Get("details.problems.#.what").Raw)
	})
}

func TestTrip_WarnsOfPapersThatExpireOnTheWay(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, y yard) {
		truck := y.truck(t, 3)
		y.call(t, http.MethodPatch, "/trucks/api/v1/trucks/"+truck, object{"inspection_expires": day(1)}).OK(t)
		path := y.trip(t, object{"truck_uuid": truck, "driver_uuid": y.driver}, y.load(t, "75201", "33101", car("sedan"))) // 1,300 miles
		y.post(t, path+"/plan", nil).OK(t)
		refused := y.post(t, path+"/dispatch", object{}).Refused(t, http.StatusConflict, "trips.document_expires")
		require.Contains(t, refused.Get("details.warnings.0.message").String(), "The inspection of the truck expires on "+day(1))
		y.post(t, path+"/dispatch", object{"acknowledge_warnings": true}).OK(t)

		legs := y.get(t, path).Get("legs.#.uuid").Array()
		y.post(t, path+"/legs/"+legs[0].String()+"/depart", object{"odometer": 5000}).OK(t)
		back := y.post(t, path+"/legs/"+legs[1].String()+"/arrive", object{"odometer": 4000}).OK(t)
		require.Contains(t, back.Get("warnings.#.code").Raw, "odometer_back")
	})
}

// A vehicle is on one trip at a time; the vehicles of a load may be on several.
func TestVehicle_IsOnOneTrip(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, y yard) {
		load := y.load(t, "75201", "33101", car("sedan"), car("sedan"))
		first := y.get(t, "/loads/api/v1/loads/"+load).Get("vehicles.0.uuid").String()
		one, two := y.trip(t, object{}), y.trip(t, object{})
		y.post(t, one+"/loads", object{"load_uuid": load, "vehicle_uuids": []string{first}}).OK(t)
		y.post(t, two+"/loads", object{"load_uuid": load, "vehicle_uuids": []string{first}}).Refused(t, http.StatusConflict, "trips.vehicle_taken")
		y.post(t, two+"/loads", object{"load_uuid": load}).OK(t)
		require.Equal(t, "1", y.get(t, two).Get("vehicles.#").Raw)
		y.post(t, one+"/loads", object{"load_uuid": load}).Refused(t, http.StatusConflict, "trips.vehicle_taken")

		y.call(t, http.MethodDelete, one+"/loads/"+load, nil).OK(t)
		require.Equal(t, `[[],[]]`, y.get(t, one).Get("[legs,vehicles]").Raw)
		y.post(t, two+"/loads", object{"load_uuid": load}).OK(t)
		y.call(t, http.MethodDelete, two, nil).OK(t)
		y.post(t, one+"/loads", object{"load_uuid": load}).OK(t)
		require.Equal(t, "2", y.get(t, one).Get("vehicles.#").Raw)
		y.post(t, two+"/restore", nil).Refused(t, http.StatusConflict, "trips.vehicle_taken")
	})
}

func TestTrip_FollowsItsLoads(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, y yard) {
		load, other := y.load(t, "75201", "33101", car("sedan")), y.load(t, "77002", "30303", car("sedan"))
		path := y.trip(t, object{}, load, other)
		stop := y.get(t, "/loads/api/v1/loads/"+load).Get("stops.1.uuid").String()
		y.call(t, http.MethodPatch, "/loads/api/v1/loads/"+load+"/stops/"+stop, object{"venue": object{"postal_code": "32801", "city": nil, "state": nil}}).OK(t)
		y.Eventually(t, func() bool { return y.get(t, path).Get("legs.1.place").String() == "Orlando, FL" }, "the trip goes there")
		y.post(t, "/loads/api/v1/loads/"+other+"/cancel", object{"reason": "customer"}).OK(t)
		y.Eventually(t, func() bool { return y.get(t, path).Get("legs.#").Int() == 2 }, "the trip goes without the load")
		legs := y.get(t, path).Get("legs.#.uuid").Array()
		y.call(t, http.MethodPut, path+"/legs/order", object{"legs": []string{legs[1].String(), legs[0].String()}}).Refused(t, http.StatusUnprocessableEntity, "trips.invalid_trip")
		y.call(t, http.MethodPut, path+"/legs/order", object{"legs": []string{legs[0].String(), legs[1].String()}}).OK(t)
		y.call(t, http.MethodPut, path+"/legs/"+legs[0].String()+"/eta", object{"eta": day(2) + "T15:00:00Z"}).OK(t)
		require.NotEmpty(t, y.get(t, path).Get("legs.0.eta").String())
	})
}

func TestTrip_EndsWhenTheRestOfItsLoadsIsCanceled(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, y yard) {
		one, two := y.load(t, "75201", "77002", car("sedan")), y.load(t, "77002", "30303", car("sedan"))
		path := y.trip(t, object{"truck_uuid": y.truck(t, 3), "driver_uuid": y.driver}, one, two)
		y.post(t, path+"/plan", nil).OK(t)
		y.post(t, path+"/dispatch", object{}).OK(t)
		legs := y.get(t, path).Get("legs.#.uuid").Array()
		for _, l := range legs[:2] {
			y.post(t, path+"/legs/"+l.String()+"/depart", object{}).OK(t)
		}
		y.post(t, "/loads/api/v1/loads/"+two+"/uncover", object{"reason": "The customer waits"}).OK(t)
		y.post(t, path+"/legs/"+legs[2].String()+"/depart", object{}).Refused(t, http.StatusConflict, "trips.load_not_ready")
		y.post(t, "/loads/api/v1/loads/"+two+"/cancel", object{"reason": "customer"}).OK(t)
		y.Eventually(t, func() bool { return y.get(t, path).Get("state").String() == "completed" }, "nothing is left to do")
		require.Contains(t, y.EventNames(t, y.Owner), "trips.trip.completed")
		require.Equal(t, "none", y.get(t, "/loads/api/v1/loads/"+one).Get("coverage").String(), "nobody was asked")
	})
}

func TestTrip_RefusesWhatIsNotTheCompanysToCarry(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, y yard) {
		path := y.trip(t, object{})
		y.post(t, path+"/plan", nil).Refused(t, http.StatusConflict, "trips.incomplete")
		y.post(t, path+"/loads", object{"load_uuid": y.customer}).Refused(t, http.StatusUnprocessableEntity, "trips.invalid_trip")
		load := y.load(t, "75201", "33101", car("sedan"))
		y.call(t, http.MethodPatch, "/loads/api/v1/loads/"+load, object{"company_role": "broker"}).OK(t)
		y.post(t, path+"/loads", object{"load_uuid": load}).Refused(t, http.StatusConflict, "trips.load_not_carried")
		y.call(t, http.MethodPatch, path, object{"pay_basis": "percent", "pay_rate": "101.00"}).Refused(t, http.StatusUnprocessableEntity, "trips.invalid_trip")
		y.call(t, http.MethodPatch, path, object{"expenses": []object{{"category": "fuel", "amount": "-1.00"}}}).Refused(t, http.StatusUnprocessableEntity, "trips.invalid_trip")
		y.call(t, http.MethodPatch, path, object{"expenses": []object{{"category": "fuel", "amount": "80.00", "reimbursable": true}}, "advances": []object{{"amount": "100.00"}}}).OK(t)
		y.Call(t, y.NewCompany(t).Token, http.MethodGet, path, nil).Refused(t, http.StatusNotFound, "trips.trip_not_found")
	})
}

func TestTrip_HasOneLinkForItsDriver(t *testing.T) {
	t.Parallel()
	eachOf(t, append(areas(), billsoflading.Module, carriers.Module, dispatches.Module), func(t *testing.T, y yard) {
		t.Helper()
		own := y.post(t, "/carriers/api/v1/carriers", object{"legal_name": "Own Fleet LLC", "usdot": moduletest.USDOT(), "insurance": []object{{
			"kind": "cargo", "insurer": "Sample Insurance", "policy": "C-1", "each_occurrence": "100000.00", "expires": day(300), "verified": day(-20),
		}}}).OK(t).Get("uuid").String()
		y.call(t, http.MethodPatch, base+"/settings", object{"own_carrier_uuid": own}).OK(t)
		one, two := y.load(t, "75201", "33101", car("sedan")), y.load(t, "77002", "30303", car("sedan"))
		path := y.trip(t, object{"truck_uuid": y.truck(t, 3), "driver_uuid": y.driver}, one, two)
		trip := y.get(t, path)
		links := "/bills_of_lading/api/v1/trips/" + trip.Get("uuid").String() + "/driver_links"
		y.post(t, links, object{}).Refused(t, http.StatusNotFound, "bills_of_lading.trip_not_found")
		y.Call(t, y.NewCompany(t).Token, http.MethodPost, links, object{}).Refused(t, http.StatusNotFound, "bills_of_lading.trip_not_found")
		y.post(t, path+"/plan", nil).OK(t)
		y.post(t, path+"/dispatch", object{}).OK(t)
		link := y.post(t, links, object{}).OK(t).Get("url").String()
		seen := y.Call(t, "", http.MethodGet, link, nil).OK(t)
		require.Equal(t, []string{trip.Get("number").String(), "2", "2"}, []string{seen.Get("load_number").String(), seen.Get("loads.#").Raw, seen.Get("bols.#").Raw})
		for _, n := range []string{"0", "1"} {
			vehicle := seen.Get("bols." + n + ".vehicles.0.vehicle.uuid").String()
			y.Call(t, "", http.MethodPost, link+"/inspections", object{"vehicle_uuid": vehicle, "stage": "pickup", "odometer": 10}).OK(t)
		}
		y.Call(t, "", http.MethodPost, link+"/positions", object{"positions": []object{{"at": clock.System{}.Now(), "position": object{"lat": 31.3, "lng": -89.2}}}}).OK(t)
		require.Contains(t, string(y.Call(t, "", http.MethodGet, link, nil, "Accept", "text/html").OK(t).Body), "Trip "+trip.Get("number").String())
		require.Equal(t, "1", y.get(t, links).Get("data.#").Raw)
	})
}

// What a load pays the company's own carrier is nothing that it has to confirm.
func TestTrip_GoesOnWhateverItsLoadsPayTheOwnCarrier(t *testing.T) {
	t.Parallel()
	eachOf(t, append(areas(), billsoflading.Module, carriers.Module, dispatches.Module), func(t *testing.T, y yard) {
		t.Helper()
		own := y.post(t, "/carriers/api/v1/carriers", object{"legal_name": "Own Fleet LLC", "usdot": moduletest.USDOT(), "insurance": []object{{
			"kind": "cargo", "insurer": "Sample Insurance", "policy": "C-1", "each_occurrence": "100000.00", "expires": day(300), "verified": day(-20),
		}}}).OK(t).Get("uuid").String()
		y.call(t, http.MethodPatch, base+"/settings", object{"own_carrier_uuid": own}).OK(t)
		load := y.load(t, "75201", "33101", car("sedan"))
		path := y.trip(t, object{"truck_uuid": y.truck(t, 3), "driver_uuid": y.driver}, load)
		y.post(t, path+"/plan", nil).OK(t)
		y.post(t, path+"/dispatch", object{}).OK(t)
		y.Eventually(t, func() bool { return y.get(t, "/dispatches/api/v1/dispatches").Get("data.#").Int() == 1 }, "the load has a dispatch")
		y.call(t, http.MethodPut, "/loads/api/v1/loads/"+load+"/price", object{"carrier_pay": "500.00"}).OK(t)
		y.post(t, path+"/legs/"+y.get(t, path).Get("legs.0.uuid").String()+"/depart", object{}).OK(t)
		require.Equal(t, "picked_up", y.stateOf(t, load))
	})
}

func TestTrip_StaysAsItWasDispatched(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, y yard) {
		load := y.load(t, "75201", "33101", car("sedan"))
		path := y.trip(t, object{"truck_uuid": y.truck(t, 3), "driver_uuid": y.driver, "pay_basis": "flat", "pay_rate": "100.00"}, load)
		again := y.post(t, path+"/loads", object{"load_uuid": load}).Refused(t, http.StatusConflict, "trips.vehicle_taken")
		require.Equal(t, "The vehicles are on this trip already.", again.Get("message").String())
		y.call(t, http.MethodPatch, path, object{"co_driver_uuid": y.driver}).Refused(t, http.StatusUnprocessableEntity, "trips.invalid_trip")
		y.post(t, path+"/plan", nil).OK(t)
		refused := y.call(t, http.MethodPatch, base+"/settings", object{"own_carrier_uuid": load}).Refused(t, http.StatusUnprocessableEntity, "trips.invalid_settings")
		require.Equal(t, "`own_carrier_uuid` must be a carrier of the company.", refused.Get("errors.own_carrier_uuid.0").String())
		y.post(t, path+"/dispatch", object{}).OK(t)

		change := object{"driver_uuid": nil, "truck_uuid": nil, "pay_rate": "9.00"}
		y.call(t, http.MethodPatch, path, change).Refused(t, http.StatusConflict, "trips.under_way")
		legs := y.get(t, path).Get("legs.#.uuid").Array()
		now := clock.System{}.Now()
		y.post(t, path+"/legs/"+legs[0].String()+"/arrive", object{"odometer": 1000, "at": now}).OK(t)
		for _, wrong := range []object{{"at": now.Add(-time.Hour)}, {"odometer": 999}} {
			y.post(t, path+"/legs/"+legs[0].String()+"/depart", wrong).Refused(t, http.StatusUnprocessableEntity, "trips.invalid_trip")
		}
		y.post(t, path+"/legs/"+legs[0].String()+"/depart", object{}).OK(t)
		y.post(t, path+"/legs/"+legs[1].String()+"/depart", object{"at": now.Add(-time.Hour)}).Refused(t, http.StatusUnprocessableEntity, "trips.invalid_trip")
		y.post(t, path+"/legs/"+legs[1].String()+"/depart", object{}).OK(t)
		require.Equal(t, "completed", y.get(t, path).Get("state").String())
		y.call(t, http.MethodPatch, path, change).Refused(t, http.StatusConflict, "trips.over")
		y.call(t, http.MethodDelete, path, nil).Refused(t, http.StatusConflict, "trips.over")
		y.call(t, http.MethodPatch, path, object{"expenses": []object{{"category": "fuel", "amount": "80.00", "attachment_uuid": load}}}).Refused(t, http.StatusUnprocessableEntity, "trips.invalid_trip")
		y.call(t, http.MethodPatch, path, object{"expenses": []object{{"category": "fuel", "amount": "80.00"}}, "notes": "Rain"}).OK(t)
	})
}

func TestTrip_DoesNotCarryALoadWhoseChangesAreUnsigned(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, y yard) {
		load := y.load(t, "75201", "33101", car("sedan"))
		at := "/loads/api/v1/loads/" + load
		y.post(t, at+"/signatures", object{"name": "Ann Lee", "method": "phone"}).OK(t)
		y.call(t, http.MethodPatch, at, object{"available_from": day(2)}).OK(t)
		require.Equal(t, "changed", y.get(t, at).Get("signature").String())
		trip := y.trip(t, object{"driver_uuid": y.driver, "truck_uuid": y.truck(t, 4)}, load)
		y.post(t, trip+"/plan", nil).OK(t)
		y.post(t, trip+"/dispatch", object{}).Refused(t, http.StatusConflict, "loads.change_order_unsigned")
		y.post(t, at+"/signatures", object{"name": "Ann Lee", "method": "phone"}).OK(t)
		y.post(t, trip+"/dispatch", object{}).OK(t)
		require.Equal(t, "dispatched", y.stateOf(t, load))
	})
}
