package loads_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
)

func (o office) put(t *testing.T, path string, body object) gjson.Result {
	t.Helper()

	return gjson.ParseBytes(o.call(t, http.MethodPut, path, body).OK(t).Body)
}

func TestCharge_IsTheQuantityTimesTheUnitPrice(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(car("1100.00", "900.00")))
		o.post(t, path+"/payment_plan/propose", object{"template": "deposit_cod"}).OK(t)
		service := o.post(t, "/catalog/api/v1/services", object{"code": "wait", "name": "Waiting"}).OK(t).Get("uuid").String()
		row := o.put(t, path+"/charges", object{"charges": []object{
			{"kind": "detention", "quantity": "2.5", "unit_price": "33.33", "service_uuid": service}, {"kind": "storage", "unit_price": "20", "payee": "carrier"}, {"kind": "fuel", "amount": "10.00"},
		}})
		require.JSONEq(t, `["83.33","20.00","10.00"]`, row.Get("charges.#.amount").Raw, "83.325 is rounded up")
		require.Equal(t, "1.00", row.Get("charges.1.quantity").String())
		require.Equal(t, []string{"1213.33", "920.00"}, []string{row.Get("tariff").String(), row.Get("carrier_pay").String()})
		require.JSONEq(t, `["293.33","920.00"]`, row.Get("payment_plan.#.amount").Raw, "the plan follows its template")
		for name, wrong := range map[string]object{
			"charges.0.amount":       {"kind": "fuel", "quantity": "2", "unit_price": "5", "amount": "11.00"},
			"charges.0.unit_price":   {"kind": "fuel", "quantity": "-2", "unit_price": "-5"},
			"charges.0.service_uuid": {"kind": "fuel", "amount": "1.00", "service_uuid": o.customer},
		} {
			require.NotEmpty(t, o.call(t, http.MethodPut, path+"/charges", object{"charges": []object{wrong}}).
				Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load").Get("errors."+strings.ReplaceAll(name, ".", `\.`)).Raw, name)
		}
		require.Empty(t, o.put(t, path+"/charges", object{"charges": []object{}}).Get("charges").Array())
	})
}

// What a charge with a quantity comes to is never off by more than half of the smallest unit, and its amount is the same when it is sent again.
func TestCharge_IsStableWhateverItsFactors(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SampledFrom([]money.Currency{"USD", "JPY", "KWD"}).Draw(t, "currency")
		decimal := rapid.StringMatching(`[0-9]{1,3}(\.[0-9]{1,6})?`) // no product is more than a load may cost
		of := func(name string) money.Amount {
			amount, err := money.ParseAmount(decimal.Draw(t, name))
			require.NoError(t, err)

			return amount
		}
		c := plan.Charge{Kind: "other", Quantity: of("quantity"), UnitPrice: of("unit_price")}
		none := errs.New(errs.Invalid, "x", "x")
		require.Empty(t, c.Check("c", in, none).Fields)
		again := c
		require.Empty(t, again.Check("c", in, none).Fields)
		require.Equal(t, c, again)
		exact, err := money.Money{Amount: c.UnitPrice, Currency: in}.Mul(c.Quantity)
		require.NoError(t, err)
		off, err := exact.Sub(money.Money{Amount: c.Amount, Currency: in})
		require.NoError(t, err)
		two, err := off.Mul("2")
		require.NoError(t, err)
		unit := money.OfUnits(1, in)
		under, err := two.Compare(unit)
		require.NoError(t, err)
		require.LessOrEqual(t, under, 0)
	})
}

func TestGoods_AreHazardousOnlyWhereTheCompanyCarriesThat(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		body := o.sold(car("1100.00", "900.00"))
		body["commodities"] = []object{{"description": "Batteries", "pieces": 2, "length_in": 48, "width_in": 40, "height_in": 36, "stackable": true, "hazmat": object{"un_number": "UN3480", "class": "9"}}}
		o.post(t, loadsPath, body).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		o.change(t, base+"/settings", object{"allow_hazmat": true})
		path := o.made(t, body)
		o.change(t, base+"/settings", object{"allow_hazmat": false})
		row := o.change(t, path, object{"instructions_private": "Call first."})
		require.Equal(t, []string{"UN3480", "48", "true"}, []string{row.Get("commodities.0.hazmat.un_number").String(), row.Get("commodities.0.length_in").Raw, row.Get("commodities.0.stackable").Raw})
		o.call(t, http.MethodPatch, path, object{"commodities": []object{{"description": "Fuel", "hazmat": object{"un_number": "UN1203", "class": "3"}}}}).
			Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		o.call(t, http.MethodPatch, path, object{"commodities": []object{{"description": "Fuel", "hazmat": object{"un_number": "1203", "class": "10"}}}}).
			Refused(t, http.StatusUnprocessableEntity, "web.invalid")
	})
}

func TestGoods_WarnOfMorePersonalEffectsThanIsCustomary(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		body := o.sold(car("1100.00", "900.00"))
		warned := func(pounds int) bool {
			body["commodities"] = []object{{"description": "Boxes", "kind": "household_in_vehicle", "weight_lb": pounds}}
			codes := o.post(t, loadsPath, body).OK(t).Get("warnings.#.code").Raw

			return strings.Contains(codes, "loads.household_heavy")
		}
		require.False(t, warned(100))
		require.True(t, warned(101))
		o.change(t, base+"/settings", object{"household_limit_lb": 150})
		require.False(t, warned(101))
	})
}

func TestSettings_AreWhatNewLoadsHaveByDefault(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		o.change(t, base+"/settings", object{
			"transport_type": "enclosed", "inspection_type": "aiag", "plan_template": "full_pay", "vehicle_sizes": []object{{"type": "coupe", "size": "small"}},
		})
		of := func(l gjson.Result) []string {
			return []string{l.Get("transport_type").String(), l.Get("inspection_type").String(), l.Get("plan_template").String(), l.Get("vehicles.0.size").String()}
		}
		coupe := car("1100.00", "900.00")
		coupe["type"] = "coupe"
		body := o.sold(coupe)
		path := o.made(t, body)
		require.Equal(t, []string{"enclosed", "aiag", "full_pay", "small"}, of(o.get(t, path)))
		quick := o.post(t, base+"/quick_loads", object{"from": "75201", "to": "33101", "vehicles": []string{"2012 BMW X5"}, "customer_uuid": o.customer, "tariff": "900.00"}).OK(t).Get("load")
		require.Equal(t, []string{"enclosed", "aiag", "full_pay", "large"}, of(quick))
		body["transport_type"], body["inspection_type"] = "open", "standard"
		require.Equal(t, []string{"open", "standard", "full_pay", "small"}, of(o.get(t, o.made(t, body))))
		vehicle := path + "/vehicles/" + o.get(t, path).Get("vehicles.0.uuid").String()
		require.Equal(t, "xlarge", o.change(t, vehicle, object{"type": "van"}).Get("vehicles.0.size").String(), "the size follows the type")
		require.Equal(t, "wide", o.change(t, vehicle, object{"size": "wide"}).Get("vehicles.0.size").String())
		require.Equal(t, "enclosed", o.change(t, path, object{"transport_type": nil}).Get("transport_type").String())
		o.call(t, http.MethodPatch, base+"/settings", object{"vehicle_sizes": []object{{"type": "spaceship", "size": "wide"}}}).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_settings")
	})
}

func TestBooking_ByALinkMakesTheLoadReadyIfThatWasTheLast(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		o.change(t, base+"/settings", object{"required_for_ready": []string{"signature", "carrier_pay"}})
		path, _ := o.ordered(t, car("1100.00", "900.00"))
		row := o.get(t, path)
		require.Equal(t, "ready", row.Get("state").String())
		require.NotEmpty(t, row.Get("booked_at").String())
		require.Equal(t, row.Get("booked_at").String(), row.Get("ready_at").String())
		names := o.EventNames(t, o.Owner)
		require.Equal(t, []int{1, 1}, []int{count(names, "loads.load.booked"), count(names, "loads.load.ready")})
	})
}

func TestDocuments_OfALoadAreThoseThatAreMeantForItsCustomer(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path, link := o.ordered(t, car("1100.00", "900.00"))
		_, other := o.ordered(t, car("1100.00", "900.00"))
		file := func(title, visibility string) string {
			return o.SendForm(t, o.Owner.Token, "/attachments/api/v1/attachments", title+".txt", []byte(title), "owner_type", "loads.load", "owner_uuid", path[len(loadsPath)+1:], "title", title, "visibility", visibility).OK(t).Get("uuid").String()
		}
		gate, secret := file("Gate pass", "customer"), file("Margin", "internal")
		all := o.read(t, link+"/documents").Get("data")
		require.ElementsMatch(t, []string{"Gate pass", "Signed order"}, stringsOf(all.Get("#.title")))
		page := string(o.Call(t, "", http.MethodGet, link+"/documents", nil, "Accept", "text/html").OK(t).Body)
		require.Contains(t, page, `href="documents/`+gate)
		signed := all.Get(`#(kind=="signature").uuid`).String()
		require.True(t, strings.HasPrefix(string(o.Call(t, "", http.MethodGet, link+"/documents/"+signed, nil).OK(t).Body), "%PDF-"))
		require.Equal(t, "Gate pass", string(o.Call(t, "", http.MethodGet, link+"/documents/"+gate, nil).OK(t).Body))
		o.Call(t, "", http.MethodGet, link+"/documents/"+secret, nil).Refused(t, http.StatusNotFound, "document.not_found")
		o.Call(t, "", http.MethodGet, other+"/documents/"+gate, nil).Refused(t, http.StatusNotFound, "document.not_found")
		o.Call(t, "", http.MethodGet, other+"/documents/"+signed, nil).Refused(t, http.StatusNotFound, "document.not_found")
	})
}

func TestStop_IsDerivedAgainWhereItMoves(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, object{"stops": stops()})
		at := path + "/stops/" + o.get(t, path).Get("stops.1.uuid").String()
		is := func(row gjson.Result) []any {
			v := row.Get("stops.1.venue")

			return []any{v.Get("city").String(), v.Get("state").String(), v.Get("position.lat").Num, v.Get("time_zone").String()}
		}
		miami := is(o.get(t, path))
		require.Equal(t, []any{"Miami", "FL", "America/New_York"}, []any{miami[0], miami[1], miami[3]})
		moved := o.call(t, http.MethodPatch, at, object{"venue": object{"postal_code": "90001", "city": "Los Angeles", "state": "CA"}, "window": object{"from": "2026-12-01T08:00"}}).OK(t)
		la := is(gjson.ParseBytes(moved.Body))
		require.Equal(t, []any{"Los Angeles", "CA", "America/Los_Angeles"}, []any{la[0], la[1], la[3]})
		require.NotEqual(t, miami[2], la[2])
		require.Equal(t, "2026-12-01T16:00:00Z", moved.Get("stops.1.window.from_at").String())

		all := o.get(t, path).Get("stops").Value().([]any)
		all[1].(object)["venue"].(object)["postal_code"] = "33101"
		require.Equal(t, miami, is(gjson.ParseBytes(o.call(t, http.MethodPatch, path, object{"stops": all}).OK(t).Body)), "the city and the state follow, too")

		here := object{"position": object{"lat": 33.9, "lng": -118.2}, "time_zone": "America/Denver", "postal_code": "90001"}
		row := o.call(t, http.MethodPatch, at, object{"venue": here}).OK(t)
		require.Equal(t, []string{"33.9", "America/Denver"}, []string{row.Get("stops.1.venue.position.lat").Raw, row.Get("stops.1.venue.time_zone").String()})
		row = o.call(t, http.MethodPatch, at, object{"notes": "Ring twice"}).OK(t)
		require.Equal(t, "33.9", row.Get("stops.1.venue.position.lat").Raw, "it did not move")
		row = o.call(t, http.MethodPatch, at, object{"venue": object{"postal_code": nil, "city": "Denver", "state": "CO"}}).OK(t)
		require.Empty(t, row.Get("stops.1.venue.position").Raw)
		require.Equal(t, "America/Denver", row.Get("stops.1.venue.time_zone").String(), "by the city")
	})
}
