package loads_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/carriers"
	"github.com/dispatchd/dispatchd/modules/catalog"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/contacts"
	"github.com/dispatchd/dispatchd/modules/loads"
	"github.com/dispatchd/dispatchd/modules/routeengine"
	"github.com/dispatchd/dispatchd/modules/vehicles"
	"github.com/dispatchd/dispatchd/modules/walks/scene"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const (
	base      = "/loads/api/v1"
	loadsPath = base + "/loads"
)

type object = map[string]any

func areas() []module.Module {
	return []module.Module{attachments.Module, carriers.Module, catalog.Module, companies.Module, contacts.Module, loads.Module, routeengine.Module, vehicles.Module}
}

func TestMain(m *testing.M) { moduletest.Main(m, loads.Module, areas()...) }

// office is a company that sells transports, with a customer.
type office struct {
	*moduletest.App

	customer string
}

// each runs a test on each database.
func each(t *testing.T, test func(t *testing.T, o office)) {
	t.Helper()
	moduletest.BootEach(t, areas(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		o := office{App: a}
		o.customer = o.post(t, "/contacts/api/v1/contacts", object{"name": "Ann Lee"}).OK(t).Get("uuid").String()
		test(t, o)
	})
}

func (o office) call(t *testing.T, method, path string, body any) moduletest.Response {
	t.Helper()

	return o.Call(t, o.Owner.Token, method, path, body)
}

func (o office) post(t *testing.T, path string, body any) moduletest.Response {
	t.Helper()

	return o.call(t, http.MethodPost, path, body)
}

func (o office) get(t *testing.T, path string) gjson.Result {
	t.Helper()

	return gjson.ParseBytes(o.call(t, http.MethodGet, path, nil).OK(t).Body)
}

// from Dallas to Miami.
func stops() []object {
	return []object{
		{"kind": "pickup", "venue": object{"postal_code": "75201", "line1": "1 Main St"}},
		{"kind": "delivery", "venue": object{"postal_code": "33101"}},
	}
}

func car(tariff, pay string) object {
	return object{"year": 2003, "make": "Honda", "model": "Accord", "tariff": tariff, "carrier_pay": pay}
}

// sold is a load with prices, ready to be booked.
func (o office) sold(cars ...object) object {
	return object{"customer_uuid": o.customer, "available_from": "2026-12-01", "stops": stops(), "vehicles": cars}
}

// made creates a load, and returns its path.
func (o office) made(t *testing.T, body object) string {
	t.Helper()

	return o.post(t, loadsPath, body).OK(t).Header.Get("Location")
}

// day is a day from now on.
func day(days int) string { return clock.System{}.Now().AddDate(0, 0, days).Format(time.DateOnly) }

// carrier is a carrier with cargo insurance for some days.
func (o office) carrier(t *testing.T, days int) string {
	t.Helper()
	s := scene.Of(o.App)

	return s.Carrier(t, object{"insurance": []object{s.Insurance(days)}})
}

// step takes steps of the life of a load.
func (o office) step(t *testing.T, path string, verbs ...string) gjson.Result {
	t.Helper()
	var last moduletest.Response
	for _, verb := range verbs {
		var body any
		if verb == "cover" {
			body = object{"carrier_uuid": o.carrier(t, 300), "carrier_pay": o.get(t, path).Get("carrier_pay").String()}
		}
		last = o.post(t, path+"/"+verb, body).OK(t)
	}

	return gjson.ParseBytes(last.Body)
}

func TestLoad_KnowsItsMilesItsTotalsAndItsPlaces(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		made := o.post(t, loadsPath, o.sold(car("1100.00", "900.00"), object{"vin": "1HGCM82633A004352", "conditions": []string{"no_start"}})).OK(t)
		require.Regexp(t, `^L-\d{4}-00001$`, made.Get("number").String())
		require.Equal(t, "lead", made.Get("state").String())
		require.InDelta(t, 1277, made.Get("miles").Int(), 60)
		require.Equal(t, []string{"Dallas", "TX", "America/Chicago"}, []string{
			made.Get("stops.0.venue.city").String(), made.Get("stops.0.venue.state").String(), made.Get("stops.0.venue.time_zone").String(),
		})
		require.Equal(t, []string{"1100.00", "900.00", "200.00"}, []string{made.Get("tariff").String(), made.Get("carrier_pay").String(), made.Get("broker_fee").String()})
		require.Equal(t, "200.00", made.Get("vehicles.0.broker_fee").String())
		require.Equal(t, []string{"2003", "Honda", "Accord", "coupe"}, []string{
			made.Get("vehicles.1.year").String(), made.Get("vehicles.1.make").String(), made.Get("vehicles.1.model").String(), made.Get("vehicles.1.type").String(),
		}, "by its VIN")
		require.False(t, made.Get("vehicles.1.operable").Bool())
		require.Equal(t, []int64{2, 1, 2}, []int64{made.Get("vehicle_count").Int(), made.Get("inop_count").Int(), made.Get("waiting_count").Int()})
		require.Equal(t, []string{"752", "331"}, []string{made.Get("origin_zip3").String(), made.Get("destination_zip3").String()})
		for _, q := range []string{"004352", "Miami", made.Get("number").String()} {
			require.Len(t, o.get(t, loadsPath+"?q="+q).Get("data").Array(), 1, q)
		}
		require.Len(t, o.get(t, loadsPath+"?filter[destination_state]=FL&filter[state]=lead").Get("data").Array(), 1)
	})
}

func TestLoad_IsFoundByItsCustomer(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		o.call(t, http.MethodPatch, "/contacts/api/v1/contacts/"+o.customer, object{
			"phones": []object{{"number": "214 555 0143"}}, "emails": []object{{"address": "ann@example.com"}},
		}).OK(t)
		o.made(t, o.sold(car("1100.00", "900.00")))
		o.made(t, object{"stops": stops()})
		found := func(token, q string) int64 {
			return o.Call(t, token, http.MethodGet, loadsPath+"?q="+q, nil).OK(t).Get("data.#").Int()
		}
		for _, q := range []string{"ann+lee", "2145550143", "555-0143", "ann@example"} {
			require.Equal(t, int64(1), found(o.Owner.Token, q), q)
		}
		require.Zero(t, found(o.Token(t, o.Owner, "loads:read"), "ann+lee"), "who may not read contacts does not find them")
		o.call(t, http.MethodPatch, "/contacts/api/v1/contacts/"+o.customer, object{"name": "Ann Ray"}).OK(t)
		require.Equal(t, []int64{1, 0}, []int64{found(o.Owner.Token, "ann+ray"), found(o.Owner.Token, "ann+lee")})
	})
}

func TestVehicle_WaitsWhateverIsSaidOfIt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		gone := car("1.00", "1.00")
		gone["custody"], gone["delivered_at"] = "delivered", "2026-11-20T08:00:00Z"
		o.post(t, loadsPath, o.sold(gone)).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		made := o.post(t, loadsPath, o.sold(car("1.00", "1.00"))).OK(t)
		require.Equal(t, []string{"waiting", "1", ""}, []string{
			made.Get("vehicles.0.custody").String(), made.Get("waiting_count").Raw, made.Get("vehicles.0.delivered_at").String(),
		})
		gone["uuid"] = made.Get("vehicles.0.uuid").String()
		changed := o.call(t, http.MethodPatch, made.Header.Get("Location"), object{"vehicles": []object{gone, gone}}).
			Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		require.Contains(t, changed.Get("errors").Raw, "Another part of the load has this uuid.")
		o.call(t, http.MethodPatch, made.Header.Get("Location"), object{"vehicles": []object{gone}}).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		require.Equal(t, "waiting", o.get(t, made.Header.Get("Location")).Get("vehicles.0.custody").String())
	})
}

func TestLoad_GoesThroughItsLife(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, object{"stops": stops()})
		missing := o.post(t, path+"/book", nil).Refused(t, http.StatusConflict, "loads.not_bookable").Get("details.missing")
		require.JSONEq(t, `["available_from", "customer", "tariff", "vehicles"]`, missing.Raw)
		path = o.made(t, o.sold(car("1100.00", "900.00")))
		o.step(t, path, "book", "clear", "cover", "pick_up", "deliver")
		row := gjson.ParseBytes(o.post(t, path+"/complete", object{"note": "Paid in another system"}).OK(t).Body)
		require.Equal(t, "completed", row.Get("state").String())
		require.Equal(t, "delivered", row.Get("vehicles.0.custody").String(), "the vehicles go with the load")
		for _, at := range []string{"booked_at", "ready_at", "dispatched_at", "picked_up_at", "delivered_at", "completed_at"} {
			require.NotEmpty(t, row.Get(at).String(), at)
		}
		require.Subset(t, o.EventNames(t, o.Owner), []string{
			"loads.load.created", "loads.load.booked", "loads.load.ready", "loads.load.covered", "loads.load.picked_up", "loads.vehicle.picked_up",
			"loads.load.delivered", "loads.vehicle.delivered", "loads.load.completed",
		})
		o.post(t, path+"/reopen", object{"reason": "A claim"}).OK(t)
		o.call(t, http.MethodDelete, path, nil).Refused(t, http.StatusConflict, "loads.not_deletable")
	})
}

func TestPart_IsChangedByAMergePatch(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(car("1100.00", "900.00")))
		l := o.get(t, path)
		stop, vehicle := path+"/stops/"+l.Get("stops.0.uuid").String(), path+"/vehicles/"+l.Get("vehicles.0.uuid").String()
		patch := func(of string, body object) moduletest.Response { return o.call(t, http.MethodPatch, of, body) }

		at := patch(stop, object{"notes": "Ring twice", "venue": object{"line1": "2 Main St"}}).OK(t).Get("stops.0")
		require.Equal(t, []string{"Ring twice", "2 Main St", "75201", "pickup"}, []string{at.Get("notes").String(), at.Get("venue.line1").String(), at.Get("venue.postal_code").String(), at.Get("kind").String()})
		require.False(t, patch(stop, object{"notes": nil}).OK(t).Get("stops.0.notes").Exists(), "null takes it away")

		prices := func(body object) []string {
			v := patch(vehicle, body).OK(t).Get("vehicles.0")

			return []string{v.Get("tariff").String(), v.Get("carrier_pay").String(), v.Get("broker_fee").String(), v.Get("model").String()}
		}
		require.Equal(t, []string{"1200.00", "900.00", "300.00", "Accord"}, prices(object{"tariff": "1200.00"}))
		require.Equal(t, []string{"1200.00", "1000.00", "200.00", "Accord"}, prices(object{"broker_fee": "200.00"}))
		require.Equal(t, []string{"1300.00", "1100.00", "200.00", "Accord"}, prices(object{"carrier_pay": "1100.00", "broker_fee": "200.00", "tariff": nil}))

		for field, wrong := range map[string]object{"colour": {"colour": "red"}, "year": {"year": 3}, "vin": {"make": nil, "model": nil}, "tariff": {"tariff": "1,5"}} {
			refused := patch(vehicle, wrong)
			require.Equal(t, http.StatusUnprocessableEntity, refused.Status)
			require.Contains(t, refused.Get("errors").Raw, field)
		}
		require.Equal(t, "Accord", o.get(t, path).Get("vehicles.0.model").String())
	})
}

func TestLoad_IsBookedAtOnceWhereTheSettingsSaySo(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		o.change(t, base+"/settings", object{"start_booked": true})
		l := o.get(t, o.made(t, o.sold(car("1100.00", "900.00"))))
		require.Equal(t, "booked", l.Get("state").String())
		require.NotEmpty(t, l.Get("booked_at").String())
		require.Equal(t, "lead", o.get(t, o.made(t, object{"stops": stops()})).Get("state").String(), "booking takes more")
		steps := o.get(t, loadsPath+"/"+l.Get("uuid").String()+"/transitions")
		require.Contains(t, steps.Raw, "book")
	})
}
