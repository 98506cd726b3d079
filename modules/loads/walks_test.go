package loads_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestLoad_MovesWithItsVehicles(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(car("500.00", "400.00"), car("500.00", "400.00"), car("100.00", "100.00")))
		ids := o.get(t, path).Get("vehicles.#.uuid").Array()
		at := func(i int) string { return path + "/vehicles/" + ids[i].String() }
		o.post(t, at(0)+"/pick_up", object{}).Refused(t, http.StatusConflict, "loads.not_covered")
		o.step(t, path, "book", "clear", "cover")
		when := day(-8) + "T08:00:00Z"
		row := o.post(t, at(0)+"/pick_up", object{"at": when}).OK(t)
		require.Equal(t, []string{"picked_up", "picked_up"}, []string{row.Get("state").String(), row.Get("vehicles.0.custody").String()})
		require.Equal(t, when, row.Get("vehicles.0.picked_up_at").String())
		version := o.post(t, at(0)+"/pick_up", object{}).OK(t).Get("version").Int()
		require.Equal(t, row.Get("version").Int(), version, "said twice is said once")
		o.post(t, at(1)+"/deliver", object{}).Refused(t, http.StatusConflict, "loads.vehicle_moved")
		o.post(t, path+"/uncover", nil).Refused(t, http.StatusConflict, "state.not_allowed")
		o.post(t, path+"/deliver", nil).Refused(t, http.StatusConflict, "loads.vehicles_waiting")

		o.post(t, at(2)+"/remove", object{}).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		row = o.post(t, at(2)+"/remove", object{"reason": "Sold to somebody else"}).OK(t)
		require.Equal(t, []string{"1000.00", "2"}, []string{row.Get("tariff").String(), row.Get("vehicle_count").Raw}, "it is no longer paid for")
		o.post(t, at(1)+"/pick_up", object{}).OK(t)
		o.post(t, at(1)+"/put_back", object{"reason": "The wrong car"}).OK(t)
		o.post(t, at(1)+"/pick_up", object{}).OK(t)
		o.post(t, at(0)+"/deliver", object{}).OK(t)
		row = o.post(t, at(1)+"/deliver", object{}).OK(t)
		require.Equal(t, "delivered", row.Get("state").String(), "all that are on it were delivered")
		require.Equal(t, 1, count(o.EventNames(t, o.Owner), "loads.load.picked_up"))
		require.Equal(t, 1, count(o.EventNames(t, o.Owner), "loads.vehicle.removed"))
		o.call(t, http.MethodPatch, path, object{"vehicles": []object{}}).Refused(t, http.StatusConflict, "loads.vehicles_loaded")
	})
}

func count(all []string, one string) (n int) {
	for _, name := range all {
		if name == one {
			n++
		}
	}

	return n
}

func TestDecode_ComparesAVehicleWithItsVIN(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(object{"vin": "1HGCM82633A004352", "make": "Honda", "model": "Civic", "year": 2003}))
		decode := path + "/vehicles/" + o.get(t, path).Get("vehicles.0.uuid").String() + "/decode"
		require.JSONEq(t, `[{"field": "model", "was": "Civic", "by_vin": "Accord"}]`, o.post(t, decode, object{}).OK(t).Get("differences").Raw)
		require.Equal(t, "Civic", o.get(t, path).Get("vehicles.0.model").String(), "it was only asked")
		require.True(t, o.post(t, decode, object{"apply": true}).OK(t).Get("applied").Bool())
		require.Equal(t, "Accord", o.get(t, path).Get("vehicles.0.model").String())
		require.JSONEq(t, "[]", o.post(t, decode, object{}).OK(t).Get("differences").Raw)
	})
}

func TestDuplicates_AreFoundForWhoeverCalls(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		quick := object{"from": "75201", "to": "33101", "vehicles": []string{"1HGCM82633A004352"}, "customer": object{"name": "Bob Ray", "phone": "214 555 0143"}}
		made := o.post(t, base+"/quick_loads", quick).OK(t).Get("load.uuid").String()
		asked := func(query string) []string {
			found := o.get(t, base+"/duplicates?"+query).Get("data")
			if len(found.Array()) == 0 {
				return nil
			}
			require.Equal(t, made, found.Get("0.uuid").String())

			return []string{found.Get("0.why").String(), found.Get("0.score").Raw}
		}
		require.Equal(t, []string{"vin", "100"}, asked("vin=1hgcm82633a004352"))
		require.Equal(t, []string{"customer", "40"}, asked("phone=%2B12145550143"))
		require.Equal(t, []string{"lane", "60"}, asked("phone=2145550143&from=75202&to=33130"))
		require.Empty(t, asked("phone=2145550143&from=60601&to=33130"))
		require.Empty(t, asked("email=nobody@example.com"))
		o.call(t, http.MethodGet, base+"/duplicates?from=75201&to=33101", nil).Refused(t, http.StatusUnprocessableEntity, "loads.nothing_to_compare")
		require.Empty(t, gjson.ParseBytes(o.Call(t, o.NewCompany(t).Token, http.MethodGet, base+"/duplicates?vin=1HGCM82633A004352", nil).OK(t).Body).Get("data").Array())
	})
}

// Walk 3 of the trade: what a carrier did not take goes on another load, and no cent is lost.
func TestSplit_GivesTheRestToAnotherCarrier(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(car("333.34", "300.00"), car("333.33", "300.00"), car("333.33", "299.99")))
		o.post(t, path+"/payment_plan/propose", object{"template": "full_pay"}).OK(t)
		ids := o.get(t, path).Get("vehicles.#.uuid").Array()
		o.step(t, path, "book", "clear", "cover")
		for _, id := range ids[:2] {
			o.post(t, path+"/vehicles/"+id.String()+"/pick_up", object{}).OK(t)
		}
		row := o.get(t, path)
		require.Equal(t, []int64{1, 2, 0}, []int64{row.Get("waiting_count").Int(), row.Get("picked_up_count").Int(), row.Get("delivered_count").Int()})
		o.post(t, path+"/split", object{"vehicle_uuids": []string{ids[0].String()}, "reason": "x"}).Refused(t, http.StatusConflict, "loads.vehicles_loaded")
		both := o.post(t, path+"/split", object{"vehicle_uuids": []string{ids[2].String()}, "reason": "No room"}).OK(t)
		require.Equal(t, []string{"picked_up", "ready"}, []string{both.Get("load.state").String(), both.Get("new_load.state").String()})
		require.Equal(t, []string{"666.67", "333.33"}, []string{both.Get("load.tariff").String(), both.Get("new_load.tariff").String()})
		require.Equal(t, []string{"600.00", "299.99"}, []string{both.Get("load.carrier_pay").String(), both.Get("new_load.carrier_pay").String()})
		require.JSONEq(t, `["333.33", "299.99"]`, both.Get("new_load.payment_plan.#.amount").Raw, "the plan follows")
		require.Equal(t, o.get(t, path).Get("uuid").String(), both.Get("new_load.split_from_uuid").String())
		require.Len(t, both.Get("new_load.vehicles").Array(), 1)
	})
}

func TestPlan_AddsUpOrIsRefused(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(car("1100.00", "900.00")))
		line := func(from, to, kind, amount string) object {
			return object{"from": from, "to": to, "kind": kind, "amount": amount, "due_event": "delivery", "method": "cash"}
		}
		refused := o.call(t, http.MethodPut, path+"/payment_plan", object{"payment_plan": []object{
			line("customer", "carrier", "cod", "850.00"), line("customer", "broker", "deposit", "200.00"),
		}}).Refused(t, http.StatusUnprocessableEntity, "loads.plan_unbalanced")
		require.Equal(t, []string{"1050.00", "1100.00"}, []string{refused.Get("details.customer").String(), refused.Get("details.tariff").String()})
		o.call(t, http.MethodPut, path+"/payment_plan", object{"payment_plan": []object{
			line("customer", "carrier", "cod", "900.00"), line("customer", "broker", "deposit", "200.00"),
		}}).OK(t)
		o.call(t, http.MethodPut, path+"/price", object{"tariff": "1200.00"}).Refused(t, http.StatusUnprocessableEntity, "loads.plan_unbalanced")
		odd := line("customer", "broker", "balance", "1100.00")
		odd["due_days"] = 30
		require.Contains(t, o.call(t, http.MethodPut, path+"/payment_plan", object{"payment_plan": []object{odd}}).
			Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load").Get("errors").Raw, "With the method cash, due_days is one of 0, 2, 5.")

		for template, want := range map[string]string{
			"deposit_cod": `["200.00", "900.00"]`, "full_pay": `["1100.00", "900.00"]`, "carrier_pays_broker": `["1100.00", "200.00"]`, "account": `["1100.00", "900.00"]`,
		} {
			row := o.post(t, path+"/payment_plan/propose", object{"template": template}).OK(t)
			require.JSONEq(t, want, row.Get("payment_plan.#.amount").Raw, template)
		}
		o.post(t, path+"/payment_plan/propose", object{"template": "deposit_cod"}).OK(t)
		row := o.call(t, http.MethodPut, path+"/price", object{"carrier_pay": "1250.00"}).OK(t)
		require.Equal(t, "-150.00", row.Get("broker_fee").String(), "sold at a loss")
		require.JSONEq(t, `["1100.00", "150.00"]`, row.Get("payment_plan.#.amount").Raw, "the broker adds what is missing")
	})
}

func TestPrice_IsSharedToTheCent(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		bare := object{"make": "Honda", "model": "Accord"}
		path := o.made(t, o.sold(bare, bare, bare))
		row := o.call(t, http.MethodPut, path+"/price", object{"tariff": "100.00", "carrier_pay": "80.00"}).OK(t)
		require.JSONEq(t, `["33.34", "33.33", "33.33"]`, row.Get("vehicles.#.tariff").Raw)
		require.Equal(t, []string{"100.00", "80.00", "20.00"}, []string{row.Get("tariff").String(), row.Get("carrier_pay").String(), row.Get("broker_fee").String()})
		charges := []object{{"kind": "fuel", "amount": "50.00", "payee": "carrier"}, {"kind": "discount", "amount": "10.00"}, {"kind": "detention", "amount": "25.00", "payer": "broker", "payee": "carrier"}}
		row = o.call(t, http.MethodPatch, path, object{"charges": charges}).OK(t)
		require.Equal(t, []string{"140.00", "155.00", "-15.00"}, []string{row.Get("tariff").String(), row.Get("carrier_pay").String(), row.Get("broker_fee").String()})
		row = o.call(t, http.MethodPut, path+"/price", object{"tariff": "200.00", "carrier_pay": "180.00"}).OK(t)
		require.Equal(t, []string{"200.00", "180.00"}, []string{row.Get("tariff").String(), row.Get("carrier_pay").String()}, "charges included")
		below := o.call(t, http.MethodPut, path+"/price", object{"tariff": "200.00", "carrier_pay": "74.99"}).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		require.Contains(t, below.Get("errors.carrier_pay.0").String(), "75.00")
		for _, wrong := range []object{
			{"kind": "fuel", "amount": "-1.00"}, {"kind": "fuel", "amount": "1.005"}, {"kind": "fuel", "amount": "99999999999999"}, {"kind": "fuel", "amount": "1.00", "payer": "broker"},
		} {
			o.call(t, http.MethodPatch, path, object{"charges": []object{wrong}}).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		}
	})
}

func TestVehicle_OnTwoOpenLoadsIsWarnedOfOrRefused(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		vin := object{"vin": "1hgcm82633a004352"}
		first := o.post(t, loadsPath, o.sold(vin)).OK(t)
		second := o.post(t, loadsPath, o.sold(vin)).OK(t)
		require.Equal(t, "loads.vin_open_elsewhere", second.Get("warnings.0.code").String())
		require.Contains(t, second.Get("warnings.0.message").String(), first.Get("number").String())
		similar := o.get(t, second.Header.Get("Location")+"/duplicates").Get("data")
		require.Equal(t, []string{first.Get("uuid").String(), "100", "vin"}, []string{
			similar.Get("0.uuid").String(), similar.Get("0.score").Raw, similar.Get("0.why").String(),
		})
		o.call(t, http.MethodPatch, base+"/settings", object{"refuse_duplicate_vin": true}).OK(t)
		refused := o.post(t, loadsPath, o.sold(vin)).Refused(t, http.StatusConflict, "loads.vin_taken")
		require.NotEmpty(t, refused.Get("details.load_uuid").String())
		for _, path := range []string{first.Header.Get("Location"), second.Header.Get("Location")} {
			o.post(t, path+"/lose", object{"reason": "price"}).OK(t)
		}
		o.post(t, loadsPath, o.sold(vin)).OK(t) // the others are over
	})
}

func TestWindow_IsWhatClocksAtTheStopShow(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		at := func(zip, from, to string) object {
			s := stops()
			s[0]["venue"], s[0]["window"] = object{"postal_code": zip}, object{"from": from, "to": to}

			return object{"stops": s}
		}
		row := o.post(t, loadsPath, at("60601", "2026-12-01T08:00", "2026-12-01")).OK(t)
		require.Equal(t, []string{"2026-12-01T14:00:00Z", "2026-12-02T05:59:00Z"}, []string{
			row.Get("stops.0.window.from_at").String(), row.Get("stops.0.window.to_at").String(),
		}, "Chicago is six hours behind, and a day is meant to its end")
		require.Equal(t, "2026-12-01T14:00:00Z", row.Get("pickup_from").String())
		refused := o.post(t, loadsPath, at("60601", "2026-03-08T02:30", "")).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		require.Contains(t, refused.Get("errors").Raw, "clocks go forward over it")
		row = o.post(t, loadsPath, at("60601", "2026-11-01T01:30", "")).OK(t)
		require.Equal(t, "2026-11-01T06:30:00Z", row.Get("stops.0.window.from_at").String(), "the first of the two")
		require.Equal(t, "loads.local_time_twice", row.Get("warnings.0.code").String())
		nowhere := at("60601", "2026-12-01", "")
		nowhere["stops"].([]object)[0]["venue"] = object{"city": "Sprngfield", "state": "IL"}
		require.Contains(t, o.post(t, loadsPath, nowhere).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load").Get("errors").Raw, "stops.0.venue.time_zone")
		nowhere["stops"].([]object)[0]["venue"] = object{"city": "Springfield", "state": "IL"}
		require.Equal(t, "America/Chicago", o.post(t, loadsPath, nowhere).OK(t).Get("stops.0.venue.time_zone").String(), "by the city")
		o.post(t, loadsPath, at("85001", "2026-03-08T02:30", "")).OK(t) // Arizona keeps its clocks
		for _, wrong := range [][2]string{{"2026-12-02", "2026-12-01"}, {"tomorrow", ""}, {"2026-13-01", ""}, {"2026-12-01T25:00", ""}, {"2026-12-01T08:00Z", ""}} {
			if len(wrong[0]) <= 16 {
				o.post(t, loadsPath, at("60601", wrong[0], wrong[1])).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
			}
		}
	})
}

func TestHold_StopsWhatGoesOn(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(car("1.00", "1.00")))
		o.post(t, path+"/hold", object{"reason": "moon"}).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		o.post(t, path+"/hold", object{"reason": "payment", "until": "2001-01-01T00:00:00Z"}).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		o.post(t, path+"/hold", object{"reason": "payment", "note": "Deposit"}).OK(t)
		o.post(t, path+"/book", nil).Refused(t, http.StatusConflict, "loads.on_hold")
		require.Equal(t, int64(1), o.get(t, base+"/dashboard").Get("held").Int())
		o.post(t, path+"/release", nil).OK(t)
		o.step(t, path, "book")
		require.Equal(t, []int64{0, 1}, []int64{o.get(t, base+"/dashboard").Get("held").Int(), o.get(t, base+"/dashboard").Get("states.booked").Int()})
	})
}

// The verdict is on this load: what its vehicles are worth, and when it is delivered.
func TestCover_RefusesACarrierThatTheRulesBlock(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		carrier := o.carrier(t, 20)
		ends := stops()
		ends[1]["window"] = object{"from": day(28), "to": day(30) + "T17:00"}
		body := o.sold(car("1100.00", "900.00"), object{"make": "Ferrari", "model": "F8", "declared_value": "150000.00", "tariff": "2000.00", "carrier_pay": "1500.00"})
		body["stops"] = ends
		path := o.made(t, body)
		o.step(t, path, "book", "clear")
		refused := o.post(t, path+"/cover", object{"carrier_uuid": carrier, "carrier_pay": o.get(t, path).Get("carrier_pay").String()}).Refused(t, http.StatusConflict, "carriers.blocked")
		require.JSONEq(t, `["cargo_low", "cargo_expires"]`, refused.Get("details.blockers.#.code").Raw)
		require.Equal(t, "ready", o.get(t, path).Get("state").String())
		for _, code := range []string{"cargo_low", "cargo_expires"} {
			o.post(t, "/carriers/api/v1/overrides", object{"carrier_uuid": carrier, "code": code, "reason": "They buy more cover.", "until": day(40)}).OK(t)
		}
		covered := o.post(t, path+"/cover", object{"carrier_uuid": carrier, "carrier_pay": o.get(t, path).Get("carrier_pay").String()}).OK(t)
		require.Equal(t, []string{"dispatched", carrier}, []string{covered.Get("state").String(), covered.Get("carrier_uuid").String()})
	})
}

func TestReady_TakesWhatTheCompanyAsksFor(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		o.call(t, http.MethodPatch, base+"/settings", object{"required_for_ready": []string{"vin", "windows", "payment_plan"}}).OK(t)
		path := o.made(t, o.sold(car("1100.00", "900.00")))
		o.step(t, path, "book")
		require.JSONEq(t, `["vin", "windows", "payment_plan"]`, o.post(t, path+"/clear", nil).Refused(t, http.StatusConflict, "loads.not_ready").Get("details.missing").Raw)
		s := o.get(t, path).Get("stops")
		vehicle := o.get(t, path).Get("vehicles.0.uuid").String()
		withWindows := []object{}
		for _, one := range s.Array() {
			withWindows = append(withWindows, object{"uuid": one.Get("uuid").String(), "kind": one.Get("kind").String(), "venue": object{"postal_code": one.Get("venue.postal_code").String()}, "window": object{"from": "2026-12-01"}})
		}
		o.call(t, http.MethodPatch, path, object{"stops": withWindows}).OK(t)
		o.call(t, http.MethodPatch, path+"/vehicles/"+vehicle, object{"vin": "1HGCM82633A004352", "tariff": "1100.00", "carrier_pay": "900.00"}).OK(t)
		o.post(t, path+"/payment_plan/propose", object{"template": "deposit_cod"}).OK(t)
		require.Equal(t, "ready", o.get(t, path).Get("state").String(), "by itself, with the last that was missing")
		require.Equal(t, 1, count(o.EventNames(t, o.Owner), "loads.load.ready"))
	})
}

func TestStops_KeepThePickupBeforeTheDelivery(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, object{"stops": append(stops(), object{"kind": "delivery", "venue": object{"city": "Tampa", "state": "FL", "postal_code": "33602"}}), "vehicles": []object{{"make": "Honda", "model": "Accord"}}})
		row := o.get(t, path)
		ids := row.Get("stops.#.uuid").Array()
		vehicle := row.Get("vehicles.0.uuid").String()
		o.call(t, http.MethodPatch, path+"/vehicles/"+vehicle, object{"make": "Honda", "pickup_stop_uuid": ids[0].String(), "delivery_stop_uuid": ids[1].String()}).OK(t)
		order := func(of ...int) []string {
			var all []string
			for _, i := range of {
				all = append(all, ids[i].String())
			}

			return all
		}
		miles := row.Get("miles").Int()
		row = gjson.ParseBytes(o.call(t, http.MethodPut, path+"/stops/order", object{"stops": order(0, 2, 1)}).OK(t).Body)
		require.NotEqual(t, miles, row.Get("miles").Int(), "the way is another one")
		o.call(t, http.MethodPut, path+"/stops/order", object{"stops": order(1, 0, 2)}).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		o.call(t, http.MethodPut, path+"/stops/order", object{"stops": order(0, 1)}).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		o.call(t, http.MethodDelete, path+"/stops/"+ids[1].String(), nil).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		o.call(t, http.MethodDelete, path+"/stops/"+ids[2].String(), nil).OK(t)
		row = gjson.ParseBytes(o.post(t, path+"/stops", object{"kind": "pickup", "venue": object{"postal_code": "77001"}}).OK(t).Body)
		require.JSONEq(t, `["Dallas", "Houston", "Miami"]`, row.Get("stops.#.venue.city").Raw, "after the last pickup")
		o.call(t, http.MethodPatch, path+"/stops/"+vehicle, object{"kind": "pickup", "venue": object{"postal_code": "77001"}}).Refused(t, http.StatusNotFound, "loads.part_not_found")
	})
}

func TestQuickLoad_IsReadFromAFewWords(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		body := object{
			"from": "75201", "to": "Miami, FL", "vehicles": []string{"2012 BMW X6 INOP", "2x 05 f150"}, "tariff": "1100.00", "carrier_pay": "900.00",
			"customer": object{"name": "Bob Ray", "phone": "214 555 0143"},
		}
		made := o.post(t, base+"/quick_loads", body).OK(t)
		row := made.Get("load")
		require.Equal(t, "lead", row.Get("state").String())
		require.JSONEq(t, `["BMW", "Ford", "Ford"]`, row.Get("vehicles.#.make").Raw)
		require.False(t, row.Get("vehicles.0.operable").Bool())
		require.JSONEq(t, `["366.67", "366.67", "366.66"]`, row.Get("vehicles.#.tariff").Raw)
		require.Equal(t, "200.00", row.Get("broker_fee").String())
		require.Positive(t, row.Get("miles").Int())
		require.False(t, made.Get("customer_known").Bool())
		body["customer"] = object{"name": "Robert", "phone": "(214) 555-0143"}
		again := o.post(t, base+"/quick_loads", body).OK(t)
		require.True(t, again.Get("customer_known").Bool())
		require.Equal(t, row.Get("customer_uuid").String(), again.Get("load.customer_uuid").String())

		body["vehicles"] = []string{"2012 BMW X6", "????"}
		require.Contains(t, o.post(t, base+"/quick_loads", body).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load").Get("errors").Raw, "vehicles.1")
		unknown := stops()
		unknown[0]["venue"] = object{"postal_code": "00000", "city": "Newtown", "state": "TX"}
		require.Equal(t, "loads.unknown_zip", o.post(t, loadsPath, object{"stops": unknown}).OK(t).Get("warnings.0.code").String())
		body["vehicles"], body["from"] = []string{"2012 BMW X6"}, "00000"
		require.Contains(t, o.post(t, base+"/quick_loads", body).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load").Get("errors").Raw, "ZIP code")
		body["from"], body["customer"] = "75201", object{"name": "Bob", "phone": "12"}
		require.Contains(t, o.post(t, base+"/quick_loads", body).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load").Get("errors").Raw, "customer.phone")
	})
}

func TestDuplicate_CopiesWhatIsTheSameAgain(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		body := o.sold(object{"vin": "1HGCM82633A004352", "tariff": "1100.00", "carrier_pay": "900.00"})
		body["external_id"] = "X-1"
		path := o.made(t, body)
		o.post(t, path+"/payment_plan/propose", object{"template": "full_pay"}).OK(t)
		o.step(t, path, "book", "clear", "cover")
		all := o.post(t, path+"/duplicate", object{"count": 2}).OK(t).Get("loads").Array()
		require.Len(t, all, 2)
		for _, one := range all {
			require.Equal(t, []string{"lead", "", "", "null", "null"}, []string{
				one.Get("state").String(), one.Get("external_id").String(), one.Get("vehicles.0.vin").String(), one.Get("carrier_uuid").Raw, one.Get("booked_at").Raw,
			})
			require.Equal(t, []string{"Honda", "1100.00", "full_pay"}, []string{
				one.Get("vehicles.0.make").String(), one.Get("tariff").String(), one.Get("plan_template").String(),
			})
			require.NotEqual(t, o.get(t, path).Get("vehicles.0.uuid").String(), one.Get("vehicles.0.uuid").String())
		}
	})
}

func TestMerge_PutsLoadsOfOneLaneTogether(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		first, second := o.made(t, o.sold(car("100.00", "90.00"))), o.made(t, o.sold(car("200.00", "150.00")))
		other := o.sold(car("1.00", "1.00"))
		other["stops"] = []object{{"kind": "pickup", "venue": object{"postal_code": "60601"}}, {"kind": "delivery", "venue": object{"postal_code": "33101"}}}
		third := o.made(t, other)
		id := func(path string) string { return path[strings.LastIndex(path, "/")+1:] }
		for _, path := range []string{first, second, third} {
			o.step(t, path, "book")
		}
		refused := o.post(t, loadsPath+"/merge", object{"load_uuids": []string{id(first), id(third)}}).Refused(t, http.StatusConflict, "loads.not_mergeable")
		require.Equal(t, "The stops differ.", refused.Get("details.why").String())
		row := o.post(t, loadsPath+"/merge", object{"load_uuids": []string{id(first), id(second)}}).OK(t)
		require.Equal(t, []string{"300.00", "240.00"}, []string{row.Get("tariff").String(), row.Get("carrier_pay").String()})
		require.Equal(t, "cancelled", o.get(t, second).Get("state").String())
	})
}

func TestRates_AreThoseOfTheLane(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(car("1.00", "1.00")))
		require.Equal(t, "none", o.get(t, path+"/previous_rates").Get("by").String())
		for _, tariff := range []string{"1000.00", "1100.00", "1300.00"} {
			o.step(t, o.made(t, o.sold(car(tariff, "800.00"))), "book")
		}
		rates := o.get(t, path+"/previous_rates")
		require.Equal(t, []string{"zip3", "3", "1100.00", "800.00"}, []string{
			rates.Get("by").String(), rates.Get("loads").Raw, rates.Get("tariff.p50").String(), rates.Get("carrier_pay.p50").String(),
		})
	})
}

func TestClient_HasItsLoads(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		client := base + "/clients/" + o.customer + "/loads"
		require.JSONEq(t, `{"customer_uuid": "`+o.customer+`", "open": 0, "states": {}, "customer_balance": {}, "data": []}`, o.get(t, client).Raw)
		first := o.made(t, o.sold(car("1.00", "1.00")))
		o.post(t, first+"/lose", object{"reason": "price"}).OK(t)
		second := o.made(t, o.sold(car("2.00", "1.00")))
		body := o.sold(car("3.00", "1.00"))
		body["customer_uuid"] = o.post(t, "/contacts/api/v1/contacts", object{"name": "Bo Chen"}).OK(t).Get("uuid").String()
		o.made(t, body)
		got := o.get(t, client)
		require.JSONEq(t, `{"lead": 1, "lost": 1}`, got.Get("states").Raw)
		require.Equal(t, int64(1), got.Get("open").Int())
		require.JSONEq(t, `["`+o.get(t, second).Get("uuid").String()+`", "`+o.get(t, first).Get("uuid").String()+`"]`, got.Get("data.#.uuid").Raw)
		o.Call(t, o.NewCompany(t).Token, http.MethodGet, client, nil).Refused(t, http.StatusNotFound, "loads.client_not_found")
	})
}

func TestBilling_SaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(car("1100.00", "900.00")))
		require.JSONEq(t, `["delivered", "custody", "payment_plan"]`, o.get(t, path+"/billing_readiness").Get("missing.#.what").Raw)
		o.post(t, path+"/payment_plan/propose", object{"template": "full_pay"}).OK(t)
		o.step(t, path, "book", "clear", "cover", "pick_up", "deliver")
		require.True(t, o.get(t, path+"/billing_readiness").Get("ready").Bool())
	})
}

func TestLoad_OfAnotherCompanyIsNotFound(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(car("1.00", "1.00")))
		stranger := o.NewCompany(t)
		for _, at := range []string{path, path + "/duplicates", path + "/previous_rates", path + "/billing_readiness"} {
			o.Call(t, stranger.Token, http.MethodGet, at, nil).Refused(t, http.StatusNotFound, "loads.load_not_found")
		}
		for _, verb := range []string{"/hold", "/split", "/duplicate", "/price"} {
			body, method := object{"reason": "payment", "vehicle_uuids": []string{"0190d0c0-0000-7000-8000-0000000000ff"}}, http.MethodPost
			switch verb {
			case "/hold":
				delete(body, "vehicle_uuids")
			case "/price":
				body, method = object{}, http.MethodPut
			case "/duplicate":
				body = object{}
			}
			o.Call(t, stranger.Token, method, path+verb, body).Refused(t, http.StatusNotFound, "loads.load_not_found")
		}
		theirs := o.Call(t, stranger.Token, http.MethodPost, "/contacts/api/v1/contacts", object{"name": "Theirs"}).OK(t).Get("uuid").String()
		body := object{"stops": []object{{"kind": "pickup", "venue": object{"postal_code": "75201", "contact_uuid": theirs}}}}
		require.Contains(t, o.post(t, loadsPath, body).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load").Get("errors").Raw, "There is no such contact.")
		o.post(t, loadsPath, object{"customer_uuid": theirs}).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
	})
}

func TestLoad_OfTwoDispatchersOneIsFirst(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(car("1.00", "1.00")))
		tag := o.call(t, http.MethodGet, path, nil).OK(t).Header.Get("ETag")
		patch := func() moduletest.Response {
			return o.Call(t, o.Owner.Token, http.MethodPatch, path, object{"priority": "expedited"}, "If-Match", tag)
		}
		patch().OK(t)
		patch().Refused(t, http.StatusPreconditionFailed, "web.stale")
		o.step(t, path, "book", "clear")
		carrier := o.carrier(t, 300)
		var all sync.WaitGroup
		statuses := make([]int, 8)
		for i := range statuses {
			all.Go(func() {
				statuses[i] = o.post(t, path+"/cover", object{"carrier_uuid": carrier, "carrier_pay": o.get(t, path).Get("carrier_pay").String()}).Status
			})
		}
		all.Wait()
		slices.Sort(statuses)
		require.Equal(t, http.StatusOK, statuses[0])
		require.Equal(t, http.StatusConflict, statuses[1])
		require.Equal(t, 1, count(o.EventNames(t, o.Owner), "loads.load.covered"))
	})
}

// A load of nine vehicles is one row: it takes the statements that one of one takes.
func TestCreate_TakesNoMoreStatementsForNineVehicles(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		cars := func(n int, vin string) (all []object) {
			for i := range n {
				all = append(all, object{"vin": vin + strconv.Itoa(i), "make": "Honda", "tariff": "100.00", "carrier_pay": "80.00"})
			}

			return all
		}
		o.made(t, o.sold(cars(1, "1HGCM82633A0043")...)) // what is read once is read
		one := o.Sent(func() { o.made(t, o.sold(cars(1, "1HGCM82633A0044")...)) })
		nine := o.Sent(func() { o.made(t, o.sold(cars(9, "1HGCM82633A0045")...)) })
		require.Equal(t, one, nine)
		require.LessOrEqual(t, nine, int64(16))
	})
}

func TestQuickQuote_TakesAllTypesOfVehicles(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		var all []object
		for _, kind := range o.get(t, "/vehicles/api/v1/types").Get("data.#.type").Array() {
			all = append(all, object{"make": "Sample", "type": kind.String()})
		}
		require.Len(t, all, 23)
		o.post(t, "/route_engine/api/v1/quick_quote", object{"from": "75201", "to": "33101", "vehicles": all}).OK(t)
	})
}

func TestQuickLoad_LosesNoVehicle(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		quick := func(vehicles ...string) object {
			return object{"from": "75201", "to": "33101", "customer_uuid": o.customer, "vehicles": vehicles}
		}
		for _, many := range []string{"51x BMW X6", "qty 100 BMW X6", "30x BMW X6, 30x Honda Accord"} {
			refused := o.post(t, base+"/quick_loads", quick(many)).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
			require.NotEmpty(t, refused.Get(`errors.vehicles\.0`).Raw, many)
		}
		o.post(t, base+"/quick_loads", quick("30x BMW X6", "30x Honda Accord")).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		require.EqualValues(t, 50, o.post(t, base+"/quick_loads", quick("50x BMW X6")).OK(t).Get("load.vehicle_count").Int())
		require.EqualValues(t, 1, o.post(t, base+"/quick_loads", quick("2020 Fiat 500X")).OK(t).Get("load.vehicle_count").Int())
	})
}
