package loads_test

import (
	"context"
	"maps"
	"net/http"
	"path"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/loads"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/paper/papertest"
)

// ordered is a load that its customer has booked and signed by a link, and the path of that link.
func (o office) ordered(t *testing.T, cars ...object) (path, link string) {
	t.Helper()
	body := o.sold(cars...)
	body["available_from"] = day(20)
	path = o.made(t, body)
	require.Equal(t, "none", o.get(t, path).Get("signature").String())
	link = o.shared(t, path+"/shares")
	require.Equal(t, "sent", o.get(t, path).Get("signature").String())
	shown := o.Call(t, "", http.MethodGet, link, nil).OK(t)
	o.Call(t, "", http.MethodPost, link+"/book", object{"tariff": shown.Get("tariff").String(), "shown_key": shown.Get("shown_key").String(), "name": "Ann Lee", "accepted": true}).OK(t)

	return path, link
}

// shared makes a link, and returns its path.
func (o office) shared(t *testing.T, at string) string {
	t.Helper()

	return base + "/shared/" + path.Base(o.post(t, at, object{}).OK(t).Get("url").String())
}

func (o office) change(t *testing.T, path string, body object) gjson.Result {
	t.Helper()

	return gjson.ParseBytes(o.call(t, http.MethodPatch, path, body).OK(t).Body)
}

// Walk 8 of the trade.
func TestChangeOrder_IsNeededAsLongAsTheLoadDiffersFromWhatWasSigned(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path, _ := o.ordered(t, car("1100.00", "900.00"))
		row := o.get(t, path)
		signed := path + "/signatures/" + o.get(t, path+"/signatures").Get("data.0.uuid").String() + "/pdf"
		proof := papertest.Text(t, o.call(t, http.MethodGet, signed, nil).OK(t).Body)
		require.Contains(t, proof, "Ann Lee")
		require.Regexp(t, `\w+ \d+, \d{4}, \d\d:\d\d C[DS]T`, proof, "in the zone of the pickup")
		o.call(t, http.MethodGet, path+"/signatures/"+o.customer+"/pdf", nil).Refused(t, http.StatusNotFound, "loads.signature_not_found")
		require.Equal(t, []string{"booked", "signed", "Ann Lee"}, []string{row.Get("state").String(), row.Get("signature").String(), row.Get("signed_by").String()})
		o.step(t, path, "clear")
		honda := car("1100.00", "900.00")
		honda["uuid"], honda["operable"] = row.Get("vehicles.0.uuid").String(), false
		row = o.change(t, path, object{"vehicles": []object{honda}})
		require.Equal(t, "changed", row.Get("signature").String())
		require.JSONEq(t, `["vehicles.0.operable"]`, row.Get("change_order.fields").Raw)
		require.JSONEq(t, `{"field": "vehicles.0.operable", "label": "2003 Honda Accord: condition", "before": "runs", "after": "does not run"}`, row.Get("change_order.changes.0").Raw)
		require.Equal(t, 1, count(o.EventNames(t, o.Owner), "loads.change_order.needed"))
		cover := object{"carrier_uuid": o.carrier(t, 300), "carrier_pay": o.get(t, path).Get("carrier_pay").String()}
		o.post(t, path+"/cover", cover).Refused(t, http.StatusConflict, "loads.change_order_unsigned")

		honda["operable"] = true
		row = o.change(t, path, object{"vehicles": []object{honda}})
		require.Equal(t, []string{"signed", "false"}, []string{row.Get("signature").String(), row.Get("change_order.needed").Raw}, "it is what was signed")
		o.post(t, path+"/change_orders", object{}).Refused(t, http.StatusConflict, "loads.nothing_to_sign")
		o.post(t, path+"/cover", cover).OK(t)
	})
}

func TestChangeOrder_IsNotForDetailsThatAreAdded(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		body := o.sold(object{"make": "Honda", "model": "Accord", "tariff": "1100.00", "carrier_pay": "900.00"})
		venue := func(more object) []object {
			at := object{"city": "Dallas", "state": "TX"}
			maps.Copy(at, more)

			return []object{{"kind": "pickup", "venue": at}, {"kind": "delivery", "venue": object{"postal_code": "33101"}}}
		}
		body["stops"] = venue(object{})
		path := o.made(t, body)
		o.post(t, path+"/signatures", object{"name": "Ann Lee", "method": "paper"}).OK(t)
		o.step(t, path, "book")
		row := o.get(t, path)
		at := func(more object) []object {
			all := venue(more)
			all[0]["uuid"], all[1]["uuid"] = row.Get("stops.0.uuid").String(), row.Get("stops.1.uuid").String()

			return all
		}
		honda := car("1100.00", "900.00")
		honda["uuid"] = row.Get("vehicles.0.uuid").String()
		for _, more := range []object{
			{"stops": at(object{"postal_code": "75201"})}, {"stops": at(object{"postal_code": "75201-1234", "line1": "1 Main St", "name": "Ann's garage"})}, {"vehicles": []object{honda}},
		} {
			require.Equal(t, "signed", o.change(t, path, more).Get("signature").String(), more)
		}
		require.Equal(t, "changed", o.change(t, path, object{"stops": at(object{"city": "Houston", "postal_code": "77001"})}).Get("signature").String())
		require.Equal(t, "signed", o.change(t, path, object{"stops": at(object{"postal_code": "75201"})}).Get("signature").String())

		honda["operable"] = false
		require.Equal(t, "true", o.change(t, path, object{"vehicles": []object{honda}}).Get("change_order.needed").Raw)
		link := o.shared(t, path+"/shares")
		require.NotEmpty(t, o.read(t, link).Get("changes_key").String())
		o.post(t, path+"/clear", nil).OK(t)
		o.post(t, path+"/cover", object{"carrier_uuid": o.carrier(t, 300), "carrier_pay": o.get(t, path).Get("carrier_pay").String(), "note": "Agreed on the phone"}).OK(t)
		o.step(t, path, "pick_up", "deliver")
		row = o.get(t, path)
		require.Equal(t, []string{"delivered", "changed", "false"}, []string{row.Get("state").String(), row.Get("signature").String(), row.Get("change_order.needed").Raw})
		require.Empty(t, o.read(t, link).Get("changes_key").String(), "a load that was delivered asks for no signature")
		o.post(t, path+"/change_orders", object{}).Refused(t, http.StatusConflict, "loads.nothing_to_sign")
		o.post(t, path+"/reopen", object{"reason": "It is still on the truck"}).OK(t)
		require.Equal(t, "true", o.get(t, path).Get("change_order.needed").Raw)
	})
}

func TestChangeOrder_IsSignedByTheLinkAsItWasShown(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path, link := o.ordered(t, car("1100.00", "900.00"))
		sign := func(key, name string) moduletest.Response {
			return o.Call(t, "", http.MethodPost, link+"/sign", object{"name": name, "accepted": true, "changes_key": key})
		}
		require.Empty(t, o.read(t, link).Get("changes_key").String())
		o.post(t, path+"/vehicles", object{"vehicles": []object{{"year": 2012, "make": "BMW", "model": "X6", "tariff": "700.00", "carrier_pay": "600.00"}}}).OK(t)
		again := o.shared(t, path+"/change_orders")
		require.NotEmpty(t, o.get(t, path).Get("change_order.sent_at").String())
		seen := o.read(t, again)
		require.ElementsMatch(t, []string{"Price", "2012 BMW X6: vehicle"}, stringsOf(seen.Get("changes.#.label")))
		require.NotContains(t, seen.Raw, "600.00", "what the carrier gets is none of the customer's business")
		page := string(o.Call(t, "", http.MethodGet, link, nil, "Accept", "text/html").OK(t).Body)
		require.Contains(t, page, "Your order has changed")
		require.Contains(t, page, "2012 BMW X6")

		o.change(t, path, object{"transport_type": "enclosed"})
		sign(seen.Get("changes_key").String(), "Ann Lee").Refused(t, http.StatusConflict, "loads.changes_outdated")
		key := o.read(t, link).Get("changes_key").String()
		sign(key, " ").Refused(t, http.StatusUnprocessableEntity, "loads.invalid_signature")
		require.Empty(t, sign(key, "Ann Lee").OK(t).Get("changes_key").String())
		sign(key, "Ann Lee").OK(t)

		row := o.get(t, path)
		require.Equal(t, []string{"signed", "false"}, []string{row.Get("signature").String(), row.Get("change_order.needed").Raw})
		all := o.get(t, path+"/signatures").Get("data")
		require.Len(t, all.Array(), 2, "signed twice is signed once")
		require.ElementsMatch(t, []string{"Transport", "Price", "2012 BMW X6: vehicle"}, stringsOf(all.Get("0.changes.#.label")))
		require.Equal(t, []string{"link", "0"}, []string{all.Get("1.method").String(), all.Get("1.changes.#").Raw})
		require.NotEmpty(t, all.Get("1.ip_address").String())
	})
}

func TestChangeOrder_IsNotedByHandOrPassedOverWithAReason(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		o.change(t, base+"/settings", object{"required_for_ready": []string{"signature"}, "change_order_fields": []string{"tariff"}})
		path := o.made(t, o.sold(car("1100.00", "900.00")))
		o.step(t, path, "book")
		missing := o.post(t, path+"/clear", nil).Refused(t, http.StatusConflict, "loads.not_ready").Get("details.missing")
		require.JSONEq(t, `["signature"]`, missing.Raw)
		o.Call(t, o.Owner.Token, http.MethodPost, path+"/signatures", object{"name": "Ann Lee", "method": "paper"}, "If-Match", `"1"`).Refused(t, http.StatusPreconditionFailed, "web.stale")
		signed := o.post(t, path+"/signatures", object{"name": "Ann Lee", "method": "paper", "note": "Folder 7"}).OK(t)
		require.Equal(t, []string{"paper", "Folder 7"}, []string{signed.Get("method").String(), signed.Get("note").String()})
		require.Contains(t, signed.Get("terms").Raw, "75201")
		o.post(t, path+"/signatures", object{"name": "Ann Lee", "method": "paper"}).Refused(t, http.StatusConflict, "loads.nothing_to_sign")
		require.Equal(t, "ready", o.get(t, path).Get("state").String(), "by itself")

		o.change(t, path, object{"transport_type": "enclosed"})
		require.Equal(t, "signed", o.get(t, path).Get("signature").String(), "the settings do not ask for it")
		o.call(t, http.MethodPut, path+"/price", object{"tariff": "1200.00"}).OK(t)
		require.JSONEq(t, `["tariff"]`, o.get(t, path).Get("change_order.fields").Raw)
		cover := object{"carrier_uuid": o.carrier(t, 300), "carrier_pay": o.get(t, path).Get("carrier_pay").String()}
		o.post(t, path+"/cover", cover).Refused(t, http.StatusConflict, "loads.change_order_unsigned")
		cover["note"] = "She agreed on the phone"
		o.post(t, path+"/cover", cover).OK(t)
	})
}

func TestSplit_KeepsWhatTheCustomerHasSignedOfTheWhole(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path, _ := o.ordered(t, car("500.00", "400.00"), car("600.00", "500.00"))
		second := o.get(t, path).Get("vehicles.1.uuid").String()
		both := o.post(t, path+"/split", object{"vehicle_uuids": []string{second}, "reason": "No room"}).OK(t)
		require.Equal(t, []string{"signed", "signed"}, []string{both.Get("load.signature").String(), both.Get("new_load.signature").String()})
		made := loadsPath + "/" + both.Get("new_load.uuid").String()
		o.change(t, made, object{"transport_type": "enclosed"})
		require.Equal(t, "changed", o.get(t, made).Get("signature").String())

		one := o.post(t, base+"/loads/merge", object{"load_uuids": []string{o.get(t, path).Get("uuid").String(), both.Get("new_load.uuid").String()}}).OK(t)
		require.Equal(t, "changed", one.Get("signature").String(), "of the second one the customer has not signed what it is now")
	})
}

// onClock is an office whose clock a test moves, and how the test has a job run.
func onClock(t *testing.T, test func(t *testing.T, o office, at *clock.Fake, run func(jobs.Args))) {
	t.Helper()
	moduletest.Each(t, areas(), func(t *testing.T, boot func(...moduletest.Option) *moduletest.App) {
		t.Helper()
		var queue *jobs.Queue
		var db *database.DB
		at := clock.NewFake(clock.System{}.Now().AddDate(0, -3, 0)) // jobs are due by the real clock
		o := office{App: boot(moduletest.With(fx.Decorate(func(clock.Clock) clock.Clock { return at }), fx.Populate(&queue, &db)))}
		o.customer = o.post(t, "/contacts/api/v1/contacts", object{"name": "Ann Lee"}).OK(t).Get("uuid").String()
		test(t, o, at, func(job jobs.Args) {
			require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error { return queue.Enqueue(ctx, job) }))
		})
	})
}

func TestLead_IsLostWhenNothingWasHeardOfIt(t *testing.T) {
	t.Parallel()
	onClock(t, func(t *testing.T, o office, at *clock.Fake, run func(jobs.Args)) {
		stateOf := func(path string) string { return o.get(t, path).Get("state").String() }
		o.call(t, http.MethodPatch, base+"/settings", object{"lead_expiry_days": 3}).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_settings")
		o.change(t, base+"/settings", object{"lead_expiry_days": 10})
		stale, booked := o.made(t, o.sold(car("1100.00", "900.00"))), o.made(t, o.sold(car("1100.00", "900.00")))
		o.step(t, booked, "book")
		held := o.made(t, o.sold(car("1100.00", "900.00")))
		o.post(t, held+"/hold", object{"reason": "customer_asked"}).OK(t)
		at.Advance(9 * 24 * time.Hour)
		fresh := o.made(t, o.sold(car("1100.00", "900.00")))
		at.Advance(48 * time.Hour)
		o.Eventually(t, func() bool {
			run(loads.LoseStale{})

			return stateOf(stale) == "lost"
		}, "the lead is lost")
		require.Equal(t, "expired", o.get(t, stale).Get("end_reason").String())
		require.Equal(t, []string{"lead", "lead", "booked"}, []string{stateOf(fresh), stateOf(held), stateOf(booked)})
	})
}

func TestLead_GoesToSomebodyElseIfNobodyWorksOnIt(t *testing.T) {
	t.Parallel()
	onClock(t, func(t *testing.T, o office, at *clock.Fake, run func(jobs.Args)) {
		o.call(t, http.MethodPatch, base+"/settings", object{"lead_response_minutes": 4}).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_settings")
		o.change(t, base+"/settings", object{"lead_response_minutes": 10})
		ann, ben := o.colleague(t, "ann"), o.colleague(t, "ben")
		o.post(t, base+"/assignment_rules", object{"name": "All", "user_uuids": []string{ann, ben}}).OK(t)
		has := func(path string) string { return o.get(t, path).Get("assigned_user_uuid").String() }
		lead, changed, said := o.made(t, object{"stops": stops()}), o.made(t, object{"stops": stops()}), o.made(t, object{"stops": stops()})
		require.Equal(t, []string{ann, ben, ann}, []string{has(lead), has(changed), has(said)})
		at.Advance(9 * time.Minute)
		fresh := o.made(t, object{"stops": stops()})
		require.Empty(t, o.get(t, changed).Get("first_contact_at").String())
		o.change(t, changed, object{"priority": "expedited"})
		o.post(t, base+"/status_updates", object{"load_uuid": o.get(t, said).Get("uuid").String(), "text": "Called Ann Lee"}).OK(t)
		at.Advance(2 * time.Minute)
		o.Eventually(t, func() bool {
			run(loads.PassOn{})

			return has(lead) == ben
		}, "the lead goes to somebody else")
		require.Equal(t, []string{ben, ann, ben}, []string{has(changed), has(said), has(fresh)})
		require.NotEmpty(t, o.get(t, changed).Get("first_contact_at").String())
	})
}

func TestLoad_IsLateOnceAWindowIsOver(t *testing.T) {
	t.Parallel()
	onClock(t, func(t *testing.T, o office, at *clock.Fake, run func(jobs.Args)) {
		day := func(n int) string { return at.Now().AddDate(0, 0, n).Format(time.DateOnly) }
		body := o.sold(car("1100.00", "900.00"))
		ends := stops()
		ends[0]["window"], ends[1]["window"] = object{"from": day(1), "to": day(2)}, object{"from": day(4) + "T08:00"}
		body["stops"], body["available_from"] = ends, day(1)
		lead, path := o.made(t, body), o.made(t, body)
		o.step(t, path, "book")
		at.Advance(48 * time.Hour)
		require.Equal(t, "none", o.get(t, path).Get("late").String())
		at.Advance(48 * time.Hour) // the last day ends at midnight on a clock at the stop
		late := func() string { return o.get(t, base+"/dashboard").Get("late").Raw }
		require.Equal(t, "1", late(), "it is counted at once")
		o.Eventually(t, func() bool {
			run(loads.MarkLate{})

			return o.get(t, path).Get("late").String() == "pickup"
		}, "the load says that it is late")
		require.Equal(t, "none", o.get(t, lead).Get("late").String(), "nobody waits for a lead")
		require.Equal(t, "1", o.get(t, loadsPath+"?filter[late]=pickup&sort=due_at").Get("data.#").Raw)
		require.Contains(t, o.EventNames(t, o.Owner), "loads.load.late")

		o.step(t, path, "clear", "cover", "pick_up")
		require.Equal(t, "none", o.get(t, path).Get("late").String())
		at.Advance(48 * time.Hour)
		o.Eventually(t, func() bool {
			run(loads.MarkLate{})

			return o.get(t, path).Get("late").String() == "delivery"
		}, "the load says that its delivery is late")
		o.step(t, path, "deliver")
		require.JSONEq(t, `["none", null]`, o.get(t, path).Get("[late,due_at]").Raw)
		require.Equal(t, "0", late())
	})
}

// read reads a page as JSON.
func (o office) read(t *testing.T, link string) gjson.Result {
	t.Helper()

	return gjson.ParseBytes(o.Call(t, "", http.MethodGet, link, nil).OK(t).Body)
}

func stringsOf(r gjson.Result) (all []string) {
	for _, one := range r.Array() {
		all = append(all, one.String())
	}

	return all
}
