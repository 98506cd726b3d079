package loads_test

import (
	"context"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/collections"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/paper/papertest"
)

// colleague makes a user of the company.
func (o office) colleague(t *testing.T, name string) string {
	t.Helper()
	user, err := o.Identity.CreateUser(context.WithoutCancel(t.Context()), identity.NewUser{
		Company: o.Owner.ID, Name: name, Email: name + "-" + uuid.NewString() + "@example.com", Role: identity.Dispatcher,
	})
	require.NoError(t, err)

	return user.ID.String()
}

func TestAssignment_TakesTurnsHoweverManyLoadsComeAtOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		users := []string{o.colleague(t, "ann"), o.colleague(t, "ben")}
		o.post(t, base+"/assignment_rules", object{"name": "Texas", "position": 1, "origin_states": []string{"tx"}, "user_uuids": users}).OK(t)
		var all sync.WaitGroup
		given := make([]string, 8)
		for i := range given {
			all.Go(func() {
				given[i] = o.post(t, loadsPath, object{"stops": stops()}).Get("assigned_user_uuid").String()
			})
		}
		all.Wait()
		require.Equal(t, []int{4, 4}, []int{count(given, users[0]), count(given, users[1])})

		chosen := o.post(t, loadsPath, object{"stops": stops(), "assigned_user_uuid": users[1]}).OK(t)
		require.Equal(t, users[1], chosen.Get("assigned_user_uuid").String(), "who was named stays")
		other := []object{{"kind": "pickup", "venue": object{"postal_code": "60601"}}, {"kind": "delivery", "venue": object{"postal_code": "33101"}}}
		require.JSONEq(t, "null", o.post(t, loadsPath, object{"stops": other}).OK(t).Get("assigned_user_uuid").Raw, "no rule matches")
		require.NoError(t, o.Identity.DeactivateUser(t.Context(), o.Owner.ID, uuid.MustParse(users[0])))
		for range 2 {
			require.Equal(t, users[1], o.post(t, loadsPath, object{"stops": stops()}).OK(t).Get("assigned_user_uuid").String(), "deactivated users are passed over")
		}
	})
}

func TestAssignment_SaysWhyARuleDecides(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		user := o.colleague(t, "ann")
		for i, rule := range []object{{"name": "Florida", "origin_states": []string{"FL"}}, {"name": "Vans", "vehicle_types": []string{"van"}}, {"name": "All"}, {"name": "Rest"}} {
			rule["position"], rule["user_uuids"], rule["method"] = i+1, []string{user}, "least_open"
			o.post(t, base+"/assignment_rules", rule).OK(t)
		}
		path := o.made(t, o.sold(car("1.00", "1.00")))
		require.Equal(t, user, o.get(t, path).Get("assigned_user_uuid").String())
		rules := o.get(t, path+"/assignment").Get("rules")
		require.JSONEq(t, `["Florida", "Vans", "All", "Rest"]`, rules.Get("#.name").Raw)
		require.JSONEq(t, `["The load is not from one of its states.", "The load has no vehicle of its types.", "", "An earlier rule decides."]`, rules.Get("#.why").Raw)
		o.post(t, base+"/assignment_rules", object{"name": "Nobody", "origin_states": []string{"TX"}}).OK(t)
		require.JSONEq(t, "null", o.post(t, loadsPath, o.sold(car("1.00", "1.00"))).OK(t).Get("assigned_user_uuid").Raw, "it comes first, and names nobody")
		for _, wrong := range []object{
			{"name": "B", "user_uuids": []string{uuid.NewString()}}, {"name": "C", "user_uuids": []string{user}, "origin_states": []string{"Texas"}},
		} {
			o.post(t, base+"/assignment_rules", wrong).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_assignment_rule")
		}
	})
}

func TestAssignment_ChoosesAsTheRuleSays(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		ann, ben := o.colleague(t, "ann"), o.colleague(t, "ben")
		rule := o.post(t, base+"/assignment_rules", object{"name": "Weighted", "method": "weighted", "user_uuids": []string{ann, ben}, "weights": []int{3, 1}}).OK(t).Header.Get("Location")
		goes := func(body object) string { return o.post(t, loadsPath, body).OK(t).Get("assigned_user_uuid").String() }
		change := func(body object) { o.call(t, http.MethodPatch, rule, body).OK(t) }
		var given []string
		for range 8 {
			given = append(given, goes(object{"stops": stops()}))
		}
		require.Equal(t, []int{6, 2}, []int{count(given, ann), count(given, ben)})
		change(object{"method": "round_robin", "weights": []int{}, "max_open": 3})
		require.Equal(t, []string{ben, ""}, []string{goes(object{"stops": stops()}), goes(object{"stops": stops()})}, "both have as many as they may")

		change(object{"method": "last_user", "max_open": 0, "user_uuids": []string{}})
		require.Empty(t, goes(o.sold(car("1.00", "1.00"))), "a new customer has nobody")
		theirs := o.sold(car("1.00", "1.00"))
		theirs["assigned_user_uuid"] = ben
		path := o.made(t, theirs)
		require.Equal(t, ben, goes(o.sold(car("1.00", "1.00"))))
		o.post(t, path+"/reassign", object{"user_uuid": ann}).OK(t)
		require.Equal(t, ben, o.post(t, path+"/reassign", object{"by": "rules"}).OK(t).Get("assigned_user_uuid").String())

		change(object{"method": "round_robin", "user_uuids": []string{ann}, "origin_zip3s": []string{"752"}, "tariff_from": "100.00", "tariff_below": "200.00"})
		require.Equal(t, []string{ann, "", ""}, []string{goes(o.sold(car("199.99", "1.00"))), goes(o.sold(car("200.00", "1.00"))), goes(o.sold(car("99.99", "1.00")))})
		change(object{"currency": "CAD"})
		canadian := o.sold(car("150.00", "1.00"))
		canadian["currency"] = "CAD"
		require.Equal(t, []string{"", ann}, []string{goes(o.sold(car("150.00", "1.00"))), goes(canadian)}, "150 US dollars are no 150 Canadian ones")
		tried := o.post(t, base+"/assignment_rules/test", object{"origin_postal_code": "75201", "tariff": "150.00", "currency": "USD"}).OK(t)
		require.Equal(t, "The load is in USD, and the amounts of the rule are in CAD.", tried.Get("rules.0.why").String())
		o.call(t, http.MethodPatch, rule, object{"currency": "JPY", "tariff_from": "100.50"}).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_assignment_rule")
	})
}

func TestAssignment_CountsWhatOneRequestHasGiven(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, append(areas(), collections.Module), func(t *testing.T, a *moduletest.App) {
		o := office{App: a}
		ann, ben := o.colleague(t, "ann"), o.colleague(t, "ben")
		rule := o.post(t, base+"/assignment_rules", object{"name": "All", "method": "least_open", "user_uuids": []string{ann, ben}}).OK(t).Header.Get("Location")
		given := func() (all []string) {
			items := make([]object, 6)
			for i := range items {
				items[i] = object{"do": "create", "payload": object{"stops": stops()}}
			}
			for _, one := range o.post(t, "/collections/api/v1/collections/loads.load/bulk", object{"items": items}).OK(t).Get("data.#.record.assigned_user_uuid").Array() {
				all = append(all, one.String())
			}

			return all
		}
		first := given()
		require.Equal(t, []int{3, 3}, []int{count(first, ann), count(first, ben)})
		o.change(t, rule, object{"max_open": 4})
		second := given()
		require.Equal(t, []int{1, 1, 4}, []int{count(second, ann), count(second, ben), count(second, "")})
		o.change(t, rule, object{"method": "weighted", "weights": []int{1, 2}, "max_open": 0})
		third, fourth := given(), given()
		require.Equal(t, []int{4, 8}, []int{count(append(third, fourth...), ann), count(append(third, fourth...), ben)}, "turns go on where they were")
	})
}

func TestAssignmentRules_AreTriedWithoutALoadAndPutInOrder(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		made := map[string]string{}
		for i, rule := range []object{{"name": "Night", "hour_from": 20, "hour_before": 6}, {"name": "Day", "hour_from": 6, "hour_before": 20}, {"name": "Dallas", "origin_zip3s": []string{"752"}}} {
			rule["position"] = i
			made[rule["name"].(string)] = o.post(t, base+"/assignment_rules", rule).OK(t).Get("uuid").String()
		}
		decides := func(body object) string {
			return o.post(t, base+"/assignment_rules/test", body).OK(t).Get(`rules.#(why=="").name`).String()
		}
		require.Equal(t, []string{"Night", "Day", "Day", "Night"}, []string{decides(object{"hour": 5}), decides(object{"hour": 6}), decides(object{"hour": 19}), decides(object{"hour": 20})})
		order := base + "/assignment_rules/order"
		got := o.call(t, http.MethodPut, order, object{"rule_uuids": []string{made["Dallas"], made["Day"]}}).OK(t)
		require.JSONEq(t, `["`+made["Dallas"]+`", "`+made["Day"]+`", "`+made["Night"]+`"]`, got.Get("rule_uuids").Raw)
		require.Equal(t, "Dallas", decides(object{"hour": 6, "origin_postal_code": "75201"}))
		for _, wrong := range [][]string{{made["Day"], made["Day"]}, {uuid.NewString()}} {
			o.call(t, http.MethodPut, order, object{"rule_uuids": wrong}).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_assignment_rule")
		}
		for field, wrong := range map[string]object{
			"weights": {"weights": []int{1}}, "hour_before": {"hour_from": 1}, "origin_zip3s.0": {"origin_zip3s": []string{"75201"}},
		} {
			wrong["name"] = field
			refused := o.post(t, base+"/assignment_rules", wrong).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_assignment_rule")
			require.NotEmpty(t, refused.Get("errors").Map()[field].String(), field)
		}
	})
}

func TestStatusUpdate_IsKeptWithItsStop(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(car("1.00", "1.00")))
		row := o.get(t, path)
		id, stop := row.Get("uuid").String(), row.Get("stops.0.uuid").String()
		say := func(body object) object {
			body["load_uuid"] = id

			return body
		}
		updates := base + "/status_updates"
		o.post(t, updates, say(object{"kind": "arrived", "stop_uuid": stop, "at": "2026-11-20T08:00:00Z"})).OK(t)
		o.post(t, updates, say(object{"kind": "arrived", "stop_uuid": stop, "at": "2026-11-20T09:00:00Z"})).OK(t)
		o.post(t, updates, say(object{"kind": "departed", "stop_uuid": stop, "at": "2026-11-20T10:00:00Z"})).OK(t)
		o.post(t, updates, say(object{"kind": "delay", "text": "Held up in Houston"})).OK(t)
		row = o.get(t, path)
		require.Equal(t, []string{"2026-11-20T08:00:00Z", "2026-11-20T10:00:00Z"}, []string{
			row.Get("stops.0.arrived_at").String(), row.Get("stops.0.departed_at").String(),
		}, "the first time counts")
		require.Len(t, o.get(t, updates+"?filter[load_uuid]="+id).Get("data").Array(), 4)
		require.Contains(t, o.EventNames(t, o.Owner), "loads.load.status_updated")
		for _, wrong := range []object{
			{"kind": "arrived"},
			{"kind": "arrived", "stop_uuid": id},
			{"kind": "note", "text": "x", "at": "2126-01-01T00:00:00Z"},
			{"kind": "note", "text": "x", "vehicle_uuid": id},
			{"kind": "location"},
		} {
			o.post(t, updates, say(wrong)).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_status_update")
		}
		stranger := o.NewCompany(t)
		o.Call(t, stranger.Token, http.MethodPost, updates, say(object{"kind": "note", "text": "x"})).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_status_update")
	})
}

func TestShare_ShowsTheCustomerItsLoad(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(object{"vin": "1HGCM82633A004352", "tariff": "1100.00", "carrier_pay": "901.00"}))
		o.call(t, http.MethodPatch, path, object{"instructions_private": "They are in a hurry"}).OK(t)
		o.post(t, path+"/payment_plan/propose", object{"template": "full_pay"}).OK(t)
		made := o.post(t, path+"/shares", object{}).OK(t)
		link := made.Get("url").String()
		seen := o.Call(t, "", http.MethodGet, link, nil).OK(t)
		require.Equal(t, []string{"lead", "1100.00", "1HGCM82633A004352", "Dallas"}, []string{
			seen.Get("state").String(), seen.Get("tariff").String(), seen.Get("vehicles.0.vin").String(), seen.Get("stops.0.venue.city").String(),
		})
		require.Len(t, seen.Get("payment_plan").Array(), 1, "its own payment")
		page := o.Call(t, "", http.MethodGet, link, nil, "Accept", "text/html").OK(t)
		for _, secret := range []string{"901.00", "199.00", "hurry"} {
			require.NotContains(t, string(seen.Body), secret)
			require.NotContains(t, string(page.Body), secret)
		}
		require.Contains(t, string(page.Body), "<strong>2003 Honda Accord</strong> <span>waits to be picked up</span>")
		o.step(t, path, "book", "clear", "cover", "pick_up")
		require.Contains(t, string(o.Call(t, "", http.MethodGet, link, nil, "Accept", "text/html").OK(t).Body), "Your transport is on the way.")

		require.NotContains(t, o.get(t, path+"/shares").Raw, link)
		id := o.get(t, path+"/shares").Get("data.0.uuid").String()
		stranger := o.NewCompany(t)
		o.Call(t, stranger.Token, http.MethodPost, path+"/shares", object{}).Refused(t, http.StatusNotFound, "loads.load_not_found")
		o.call(t, http.MethodDelete, path+"/shares/"+id, nil).OK(t)
		o.Call(t, "", http.MethodGet, link, nil).Refused(t, http.StatusNotFound, "link.revoked")
		o.Call(t, "", http.MethodGet, base+"/shared/unknown", nil).Refused(t, http.StatusNotFound, "link.unknown")
	})
}

func TestQuickLoad_TakesThePricesOfAQuickQuote(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		t.Helper()
		asked := object{"from": "75201", "to": "33101", "vehicles": []object{{"year": 2003, "make": "Honda", "model": "Accord", "type": "sedan"}}, "date": day(3)}
		quoted := o.post(t, "/route_engine/api/v1/quick_quote", asked).OK(t)
		token := quoted.Get("quote_token").String()
		body := object{"quote_token": token, "customer_uuid": o.customer}
		made := o.post(t, base+"/quick_loads", body).OK(t)
		require.Equal(t, []string{"quick_quote", quoted.Get("price").String(), "Dallas", "Accord", day(3)}, []string{
			made.Get("priced_by").String(), made.Get("load.tariff").String(), made.Get("load.stops.0.venue.city").String(), made.Get("load.vehicles.0.model").String(),
			made.Get("load.available_from").String(),
		})
		stranger := o.NewCompany(t)
		for name, token := range map[string]string{"tampered": "x" + token, "cut": token[:len(token)-4], "another's": token} {
			who := o.Owner.Token
			if name == "another's" {
				who = stranger.Token
			}
			o.Call(t, who, http.MethodPost, base+"/quick_loads", object{"quote_token": token, "customer": object{"name": "Bo", "phone": "214 555 0144"}}).
				Refused(t, http.StatusUnprocessableEntity, "route_engine.invalid_quote_token")
		}
		o.post(t, base+"/quick_loads", object{"quote_token": token, "from": "75201", "customer_uuid": o.customer}).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
	})
}

func TestFormula_KnowsWhatTheLaneCost(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		t.Helper()
		quick := func() float64 {
			return o.post(t, base+"/quick_loads", object{"from": "75201", "to": "33101", "vehicles": []string{"2003 Honda Accord"}, "customer_uuid": o.customer}).
				OK(t).Get("load.tariff").Float()
		}
		alone := quick()
		require.Greater(t, alone, 1000.0, "the formula prices a load without prices")
		for range 5 {
			path := o.made(t, o.sold(car("800.00", "600.00")))
			o.step(t, path, "book")
		}
		require.Less(t, quick(), alone, "carriers came for less")
	})
}

func TestShare_IsTheCustomersBookingPage(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		t.Helper()
		body := o.sold(car("1100.00", "900.00"))
		delete(body, "available_from")
		path := o.made(t, body)
		link := o.post(t, path+"/shares", object{}).OK(t).Get("url").String()
		require.True(t, o.Call(t, "", http.MethodGet, link, nil).OK(t).Get("bookable").Bool())
		require.Contains(t, string(o.Call(t, "", http.MethodGet, link, nil, "Accept", "text/html").OK(t).Body), "Book this transport")
		key := o.Call(t, "", http.MethodGet, link, nil).Get("shown_key").String()
		order := func(more object) object {
			all := object{"tariff": "1100.00", "shown_key": key, "name": "Ann Lee", "accepted": true, "available_from": day(3), "pickup": object{"line1": "7 Elm St", "phone": "214 555 0143"}}
			maps.Copy(all, more)

			return all
		}
		book := func(body object) moduletest.Response { return o.Call(t, "", http.MethodPost, link+"/book", body) }
		again := o.Call(t, "", http.MethodPost, link+"/book", "pickup.line1=9+Oak+St&pickup.phone=12&name=Jos%C3%A9&accepted=true&tariff=1100.00&shown_key=x",
			"Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html")
		require.Equal(t, http.StatusUnprocessableEntity, again.Status)
		for _, want := range []string{`value="9 Oak St"`, `value="José"`, `value="true" checked`, `name="shown_key" value="x"`, " required"} {
			require.Contains(t, string(again.Body), want)
		}
		for name, more := range map[string]object{"no name": {"name": " "}, "not accepted": {"accepted": false}, "no day": {"available_from": ""}, "a day that is over": {"available_from": "2020-01-01"}} {
			require.Equal(t, http.StatusUnprocessableEntity, book(order(more)).Status, name)
		}
		book(order(object{"tariff": "1000.00"})).Refused(t, http.StatusConflict, "loads.price_changed")
		for range 2 { // a double click
			require.Equal(t, "booked", book(order(nil)).OK(t).Get("state").String())
		}
		l := o.get(t, path)
		require.Equal(t, []string{"7 Elm St", "+12145550143", day(3)}, []string{
			l.Get("stops.0.venue.line1").String(), l.Get("stops.0.contacts.0.phones.0").String(), l.Get("available_from").String(),
		})
		require.NotContains(t, string(o.Call(t, "", http.MethodGet, link, nil, "Accept", "text/html").OK(t).Body), "Book this transport")
		o.step(t, path, "clear", "cover")
		book(order(nil)).Refused(t, http.StatusConflict, "loads.not_for_sale")
	})
}

func TestShare_BooksWhatWasShown(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		t.Helper()
		body := o.sold(car("1100.00", "900.00"))
		body["available_from"] = day(20)
		path := o.made(t, body)
		link := o.post(t, path+"/shares", object{}).OK(t).Get("url").String()
		shown := o.Call(t, "", http.MethodGet, link, nil).OK(t)
		book := func() moduletest.Response {
			return o.Call(t, "", http.MethodPost, link+"/book", object{"tariff": "1100.00", "shown_key": shown.Get("shown_key").String(), "name": "Ann Lee", "accepted": true})
		}
		for field, change := range map[string]object{
			"currency": {"currency": "EUR"}, "available_from": {"available_from": day(21)}, "transport_type": {"transport_type": "enclosed"},
			"stops": {"stops": []object{stops()[0], {"kind": "delivery", "venue": object{"postal_code": "98101"}}}}, "vehicles": {"vehicles": []object{car("1100.00", "900.00")}},
		} {
			was := o.get(t, path).Get(field).Value()
			o.call(t, http.MethodPatch, path, change).OK(t)
			require.JSONEq(t, `["`+field+`"]`, book().Refused(t, http.StatusConflict, "loads.load_changed").Get("details.fields").Raw)
			o.call(t, http.MethodPatch, path, object{field: was}).OK(t)
		}
		o.call(t, http.MethodPatch, path, object{"instructions_carrier": "Call first"}).OK(t)
		require.Equal(t, "booked", book().OK(t).Get("state").String())
	})
}

func TestTransactionRecord_HasWhatTheLawAsksFor(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		t.Helper()
		body := o.sold(car("1100.00", "900.00"))
		body["charges"] = []object{{"kind": "storage", "description": "two days", "amount": "60.00"}, {"kind": "discount", "amount": "10.00"}}
		path := o.made(t, body)
		o.post(t, path+"/payment_plan/propose", object{"template": "full_pay"}).OK(t)
		o.step(t, path, "book", "clear")
		o.post(t, path+"/cover", object{"carrier_uuid": o.carrier(t, 60), "carrier_pay": o.get(t, path).Get("carrier_pay").String()}).OK(t)
		r := o.get(t, path+"/transaction_record")
		require.Equal(t, []string{"Ann Lee", "1 Main St, Dallas, TX 75201", "Haul Co", "190.00", `["customer"]`, "900.00", `["broker"]`, "storage two days", "60.00"}, []string{
			r.Get("consignor.name").String(), r.Get("consignor.address").String(), r.Get("originating_carrier.name").String(),
			r.Get("broker_compensation.amount").String(), r.Get("broker_compensation.payers").Raw, r.Get("freight_charges.amount").String(), r.Get("freight_charges.payers").Raw,
			r.Get("non_brokerage_services.0.description").String(), r.Get("non_brokerage_services.0.amount").String(),
		})
		require.JSONEq(t, `["bill_of_lading_number","carrier_address","payment_to_carrier"]`, r.Get("missing").Raw, "the regulator's record is not there")
		require.Equal(t, []string{`["Ann Lee"]`, "Ann Lee", "[]"}, []string{r.Get("broker_compensation.payer_names").Raw, r.Get("non_brokerage_services.0.payer_name").String(), r.Get("further_carriers").Raw})
		require.NotEmpty(t, r.Get("freight_charges.payer_names.0").String(), "the company's name")
		haul := o.post(t, "/contacts/api/v1/contacts", object{"name": "Haul Co", "addresses": []object{{"address": object{"line1": "9 Yard Rd", "city": "Waco", "state": "TX", "postal_code": "76701"}}}}).OK(t).Get("uuid").String()
		o.change(t, "/carriers/api/v1/carriers/"+r.Get("originating_carrier.uuid").String(), object{"contact_uuid": haul})
		r = o.get(t, path+"/transaction_record")
		require.Equal(t, []string{"9 Yard Rd, Waco, TX 76701", `["bill_of_lading_number","payment_to_carrier"]`}, []string{r.Get("originating_carrier.address").String(), r.Get("missing").Raw})
		reader := o.Token(t, o.Owner, "loads:read", "contacts:read")
		require.Contains(t, o.Call(t, reader, http.MethodGet, path+"/transaction_record", nil).OK(t).Get("missing").Raw, "originating_carrier", "who may not read carriers is not told")
		o.call(t, http.MethodDelete, path, nil).Refused(t, http.StatusConflict, "loads.not_deletable")
	})
}

func TestTransactionRecord_IsPrinted(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(car("1100.00", "900.00")))
		o.post(t, path+"/payment_plan/propose", object{"template": "full_pay"}).OK(t)
		o.step(t, path, "book", "clear")
		o.post(t, path+"/cover", object{"carrier_uuid": o.carrier(t, 60), "carrier_pay": o.get(t, path).Get("carrier_pay").String()}).OK(t)
		text := papertest.Text(t, o.call(t, http.MethodGet, path+"/transaction_record/pdf", nil).OK(t).Body)
		for _, want := range []string{"Ann Lee", "1 Main St, Dallas, TX 75201", "Originating carrier", "Haul Co", "the customer (Ann Lee)", "Not known yet", "bill of lading number", "Page 1 of 1"} {
			require.Contains(t, text, want)
		}
	})
}

func TestTransactionRecord_IsSentToAPartyThatAsksForIt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(car("1100.00", "900.00")))
		asked := object{"load_uuid": o.get(t, path).Get("uuid").String(), "name": "Bo, Haul Co", "email": "bo@haul.test"}
		made := o.post(t, base+"/transparency_requests", asked).OK(t)
		require.Equal(t, []string{"open", "carrier", "true"}, []string{made.Get("state").String(), made.Get("party").String(), strconv.FormatBool(made.Get("requested_at").String() != "")})
		one := base + "/transparency_requests/" + made.Get("uuid").String()
		o.post(t, one+"/answer", object{}).Refused(t, http.StatusConflict, "loads.transparency_off")
		require.Equal(t, "open", o.get(t, one).Get("state").String())

		o.change(t, base+"/settings", object{"share_transaction_records": true})
		sent := o.post(t, one+"/answer", object{}).OK(t)
		require.Equal(t, "answered", sent.Get("request.state").String())
		file := o.Call(t, "", http.MethodGet, sent.Get("share.url").String(), nil).OK(t)
		require.True(t, strings.HasPrefix(string(file.Body), "%PDF-"))
		o.post(t, one+"/answer", object{}).Refused(t, http.StatusConflict, "state.not_allowed")
		o.Call(t, "", http.MethodGet, base+"/records/nonsense", nil).Refused(t, http.StatusNotFound, "link.unknown")

		other := base + "/transparency_requests/" + o.post(t, base+"/transparency_requests", asked).OK(t).Get("uuid").String()
		o.post(t, other+"/close", object{}).Refused(t, http.StatusUnprocessableEntity, "state.reason_required")
		o.post(t, other+"/close", object{"reason": "Waived by the contract"}).OK(t)
		asked["requested_at"] = "2200-01-01T00:00:00Z"
		o.post(t, base+"/transparency_requests", asked).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_transparency_request")
	})
}

func TestPortal_ListsTheLoadsOfACustomer(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		t.Helper()
		path := o.made(t, o.sold(car("1100.00", "901.00")))
		other := o.post(t, "/contacts/api/v1/contacts", object{"name": "Bo Ray"}).OK(t).Get("uuid").String()
		link := func(contact string) string {
			return o.post(t, "/contacts/api/v1/contacts/"+contact+"/shares", object{}).OK(t).Get("url").String()
		}
		seen := o.Call(t, "", http.MethodGet, link(o.customer), nil).OK(t)
		require.Equal(t, "Your transports", seen.Get("sections.0.title").String())
		require.Equal(t, o.get(t, path).Get("number").String(), seen.Get("sections.0.entries.0.title").String())
		page := string(o.Call(t, "", http.MethodGet, link(o.customer), nil, "Accept", "text/html").OK(t).Body)
		for _, want := range []string{"Hello Ann Lee", "Dallas, TX to Miami, FL", "2003 Honda Accord waits to be picked up", "$1,100.00"} {
			require.Contains(t, page, want)
		}
		require.NotContains(t, page+string(seen.Body), "901.00", "what the carrier gets is nobody else's business")
		require.Equal(t, "[]", o.Call(t, "", http.MethodGet, link(other), nil).OK(t).Get("sections").Raw)
	})
}
