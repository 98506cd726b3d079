package dispatches_test

import (
	"context"
	"html"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/carriers"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/contacts"
	"github.com/dispatchd/dispatchd/modules/dispatches"
	"github.com/dispatchd/dispatchd/modules/loads"
	"github.com/dispatchd/dispatchd/modules/regulator"
	"github.com/dispatchd/dispatchd/modules/routeengine"
	"github.com/dispatchd/dispatchd/modules/vehicles"
	"github.com/dispatchd/dispatchd/modules/walks/scene"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const (
	base       = "/dispatches/api/v1"
	loadsPath  = "/loads/api/v1/loads"
	secretRoad = "1 Secret St"
	secretVIN  = "1HGCM82633A004352"
)

type object = map[string]any

func areas() []module.Module {
	return []module.Module{
		attachments.Module, carriers.Module, companies.Module, contacts.Module, dispatches.Module, loads.Module, regulator.Module, routeengine.Module,
		vehicles.Module,
	}
}

func TestMain(m *testing.M) { moduletest.Main(m, dispatches.Module, areas()...) }

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

// day is a day from now on.
func day(days int) string { return clock.System{}.Now().AddDate(0, 0, days).Format(time.DateOnly) }

// carrier is a carrier with cargo insurance for some days.
func (d desk) carrier(t *testing.T, name string, days int) string {
	t.Helper()
	s := scene.Of(d.App)

	return s.Carrier(t, object{
		"legal_name": name, "email": strings.ToLower(name) + "@example.com", "phone": "214 555 0143", "insurance": []object{s.Insurance(days)},
	})
}

// ready is a load that waits for a carrier, from Dallas to Miami for 900 within three weeks.
func (d desk) ready(t *testing.T) string {
	t.Helper()

	return d.readyIn(t, 0)
}

// readyIn is such a load some days from now.
func (d desk) readyIn(t *testing.T, in int) string {
	t.Helper()
	d.call(t, http.MethodPatch, base+"/settings", object{"identity_code": "off"}).OK(t)

	return scene.Of(d.App).Ready(t, object{
		"available_from": day(in + 1),
		"stops": []object{
			{"kind": "pickup", "venue": object{"postal_code": "75201", "line1": secretRoad}, "window": object{"from": day(in + 2), "to": day(in + 6)}},
			{"kind": "delivery", "venue": object{"postal_code": "33101"}, "window": object{"from": day(in + 4), "to": day(in + 12)}},
		},
		"vehicles": []object{{"vin": secretVIN, "tariff": "1100.00", "carrier_pay": "900.00"}},
	})
}

// payOf is what a load pays its carrier.
func (d desk) payOf(t *testing.T, load string) string {
	t.Helper()

	return d.get(t, loadsPath+"/"+load).Get("carrier_pay").String()
}

func idOf(path string) string { return path[strings.LastIndex(path, "/")+1:] }

// offers offers a load to carriers.
func (d desk) offers(t *testing.T, load string, more object, carriers ...string) moduletest.Response {
	t.Helper()
	body := object{"load_uuid": idOf(load), "carrier_uuids": carriers, "mode": "broadcast", "pickup_date": day(3), "delivery_date": day(6)}
	maps.Copy(body, more)

	return d.post(t, base+"/offers", body).OK(t)
}

// link is the path of the nth link of an answer.
func link(r moduletest.Response, n string) string {
	return r.Get("offers." + n + ".share.url").String()
}

func (d desk) offer(t *testing.T, r moduletest.Response, n string) gjson.Result {
	t.Helper()

	return d.get(t, base+"/offers/"+r.Get("offers."+n+".offer.uuid").String())
}

// ask is a call by a link.
func (d desk) ask(t *testing.T, method, path string, body any) moduletest.Response {
	t.Helper()

	return d.Call(t, "", method, strings.TrimPrefix(path, "https://dispatch.example"), body)
}

// yes accepts the offer that a link shows.
func (d desk) yes(t *testing.T, link string, more object) moduletest.Response {
	t.Helper()
	body := object{"shown": d.ask(t, http.MethodGet, link, nil).OK(t).Get("offer.shown").Int(), "name": "Bo Hauler", "accepted": true}
	maps.Copy(body, more)

	return d.ask(t, http.MethodPost, link+"/accept", body)
}

// Walks 1 and 10 of the trade.
func TestOffer_GivesTheLoadToTheCarrierThatAccepts(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load, first := d.ready(t), d.carrier(t, "Haul", 300)
		sent := d.offers(t, load, nil, first, d.carrier(t, "Tow", 300), d.carrier(t, "Slow", 300))
		require.Equal(t, int64(3), sent.Get("offers.#").Int())
		before := d.ask(t, http.MethodGet, link(sent, "0"), nil).OK(t)
		require.Equal(t, []string{"offered", "900.00", "Dallas"}, []string{before.Get("offer.state").String(), before.Get("offer.amount").String(), before.Get("load.stops.0.venue.city").String()})
		require.JSONEq(t, `["cod"]`, before.Get("load.payment_plan.#.kind").Raw, "the customer's deposit is nothing to the carrier")
		require.NotContains(t, string(before.Body), secretRoad)
		require.NotContains(t, string(before.Body), secretVIN)

		after := d.yes(t, link(sent, "0"), object{"crew": object{"driver_name": "Bo", "driver_phone": "214 555 0199"}}).OK(t)
		require.Contains(t, string(after.Body), secretRoad)
		require.Contains(t, string(after.Body), secretVIN)
		require.Regexp(t, `^D-\d{4}-00001$`, after.Get("dispatch.number").String())
		l := d.get(t, load)
		require.Equal(t, []string{"dispatched", first}, []string{l.Get("state").String(), l.Get("carrier_uuid").String()})
		require.Equal(t, []string{"accepted", "superseded", "superseded"}, []string{d.offer(t, sent, "0").Get("state").String(), d.offer(t, sent, "1").Get("state").String(), d.offer(t, sent, "2").Get("state").String()})
		made := d.get(t, base+"/dispatches/"+d.offer(t, sent, "0").Get("dispatch_uuid").String())
		require.Equal(t, []string{"accepted", "900.00", day(3), "Bo", "Bo Hauler", "haul@example.com"}, []string{
			made.Get("state").String(), made.Get("carrier_pay").String(), made.Get("pickup_date").String(), made.Get("driver_name").String(), made.Get("accepted_by").String(), made.Get("contact_email").String(),
		})
		require.Contains(t, made.Get("snapshot").Raw, secretRoad)
		d.yes(t, link(sent, "0"), nil).OK(t)
		require.Equal(t, int64(1), d.get(t, base+"/dispatches").Get("data.#").Int(), "accepting twice is accepting once")
		taken := d.yes(t, link(sent, "1"), nil).Refused(t, http.StatusConflict, "dispatches.vehicle_taken")
		require.NotContains(t, string(taken.Body), secretRoad)
		require.Equal(t, "{}", d.ask(t, http.MethodGet, link(sent, "1"), nil).OK(t).Get("load").Raw)

		d.ask(t, http.MethodPost, link(sent, "0")+"/cancel", object{"reason": "sleepy"}).Refused(t, http.StatusUnprocessableEntity, "dispatches.invalid_dispatch")
		gone := d.ask(t, http.MethodPost, link(sent, "0")+"/cancel", object{"reason": "breakdown", "note": "Engine"}).OK(t)
		require.Equal(t, "cancelled_by_carrier", gone.Get("dispatch.state").String())
		require.NotContains(t, string(gone.Body), secretRoad)
		d.ask(t, http.MethodGet, link(sent, "0")+"/rate_confirmation", nil).Refused(t, http.StatusConflict, "dispatches.no_load")
		require.Equal(t, "ready", d.get(t, load).Get("state").String())
		again := d.offers(t, load, nil, first)
		require.Equal(t, "dispatches.bounced", again.Get("refused.0.code").String())
		again = d.offers(t, load, object{"override": "They have another truck now."}, first)
		d.yes(t, link(again, "0"), nil).OK(t)
		require.Equal(t, made.Get("uuid").String(), d.get(t, base+"/dispatches").Get("data.0.bounce_of_uuid").String())
	})
}

// Walk 2 of the trade.
func TestOffer_IsHaggledOver(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load := d.ready(t)
		sent := d.offers(t, load, nil, d.carrier(t, "Haul", 300))
		at, one := link(sent, "0"), base+"/offers/"+sent.Get("offers.0.offer.uuid").String()
		d.ask(t, http.MethodPost, at+"/counter", object{"shown": 1, "amount": "900.00"}).Refused(t, http.StatusConflict, "dispatches.nothing_changed")
		d.ask(t, http.MethodPost, at+"/counter", object{"shown": 1, "amount": "0.00"}).Refused(t, http.StatusUnprocessableEntity, "dispatches.invalid_offer")
		d.post(t, one+"/counter", object{"amount": "910.00"}).Refused(t, http.StatusConflict, "dispatches.not_your_turn")
		d.ask(t, http.MethodPost, at+"/counter", object{"shown": 1, "amount": "990.00", "note": "Fuel"}).OK(t)
		d.ask(t, http.MethodPost, at+"/counter", object{"shown": 1, "amount": "980.00"}).Refused(t, http.StatusConflict, "dispatches.terms_changed")
		d.ask(t, http.MethodPost, at+"/accept", object{"shown": 2, "name": "Bo", "accepted": true}).Refused(t, http.StatusConflict, "dispatches.not_your_turn")
		d.post(t, one+"/counter", object{"amount": "950.00", "shown": 2}).OK(t)
		d.ask(t, http.MethodPost, at+"/accept", object{"shown": 3, "name": "Bo", "accepted": true}).OK(t)
		o := d.get(t, one)
		require.JSONEq(t, `["offer", "counter", "counter", "accept"]`, o.Get("transactions.#.type").Raw)
		require.JSONEq(t, `["broker", "carrier", "broker", "carrier"]`, o.Get("transactions.#.party").Raw)
		require.JSONEq(t, `["900.00", "990.00", "950.00", "950.00"]`, o.Get("transactions.#.amount").Raw)
		l := d.get(t, load)
		require.Equal(t, []string{"950.00", "150.00", `["150.00","950.00"]`}, []string{l.Get("carrier_pay").String(), l.Get("broker_fee").String(), l.Get("payment_plan.#.amount").Raw})
	})
}

// Walk 3 of the trade.
func TestOffer_HasOneWinnerHoweverManyAcceptAtOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load, names := d.ready(t), []string{"A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8"}
		all := make([]string, len(names))
		for i, name := range names {
			all[i] = d.carrier(t, name, 300)
		}
		sent := d.offers(t, load, nil, all...)
		answers := make([]moduletest.Response, len(all))
		var wait sync.WaitGroup
		for i := range all {
			wait.Go(func() {
				answers[i] = d.ask(t, http.MethodPost, link(sent, string(rune('0'+i)))+"/accept", object{"shown": 1, "name": "Bo", "accepted": true})
			})
		}
		wait.Wait()
		won := 0
		for _, a := range answers {
			if a.Status == http.StatusOK {
				won++

				continue
			}
			a.Refused(t, http.StatusConflict, "dispatches.vehicle_taken")
			require.NotContains(t, string(a.Body), secretRoad)
		}
		require.Equal(t, 1, won)
		require.Equal(t, int64(1), d.get(t, base+"/dispatches").Get("data.#").Int())
	})
}

// onClock is a company whose clock a test moves, and how the test has offers expire.
func onClock(t *testing.T, test func(t *testing.T, d desk, at *clock.Fake, expire func())) {
	t.Helper()
	moduletest.Each(t, append(areas(), mailing), func(t *testing.T, boot func(...moduletest.Option) *moduletest.App) {
		t.Helper()
		var queue *jobs.Queue
		var db *database.DB
		at := clock.NewFake(clock.System{}.Now().Add(-30 * time.Hour)) // jobs are due by the real clock
		d := desk{boot(moduletest.With(fx.Supply(&mailbox{}), fx.Decorate(func(clock.Clock) clock.Clock { return at }), fx.Populate(&queue, &db)), moduletest.Set("web.base_url=https://dispatch.example"))}
		test(t, d, at, func() {
			require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error { return queue.Enqueue(ctx, dispatches.Expire{}) }))
		})
	})
}

// Walk 4 of the trade.
func TestOffer_CanBeTakenAllTheSameAfterItExpired(t *testing.T) {
	t.Parallel()
	onClock(t, func(t *testing.T, d desk, at *clock.Fake, expire func()) {
		load := d.ready(t)
		sent := d.offers(t, load, object{"expires_in_minutes": 60}, d.carrier(t, "Haul", 300))
		one := base + "/offers/" + sent.Get("offers.0.offer.uuid").String()
		at.Advance(time.Hour)
		require.Equal(t, "expired", d.ask(t, http.MethodGet, link(sent, "0"), nil).OK(t).Get("offer.state").String(), "also before the job has come by")
		verbs := func() []string { return stringsOf(d.get(t, one+"/transitions").Get("data.#.verb")) }
		require.NotContains(t, verbs(), "accept")
		d.yes(t, link(sent, "0"), nil).Refused(t, http.StatusConflict, "dispatches.offer_expired")
		require.Equal(t, "ready", d.get(t, load).Get("state").String())
		d.Eventually(t, func() bool {
			expire()

			return d.get(t, one).Get("state").String() == "expired"
		}, "the offer expires")
		require.NotEmpty(t, d.get(t, one).Get("late_response_at").String())
		require.Contains(t, verbs(), "accept")
		require.Equal(t, "accepted", d.post(t, one+"/accept", object{"shown": 3}).OK(t).Get("state").String())
		require.Equal(t, "dispatched", d.get(t, load).Get("state").String())
	})
}

func TestSequence_AsksOneCarrierAfterTheOther(t *testing.T) {
	t.Parallel()
	onClock(t, func(t *testing.T, d desk, at *clock.Fake, expire func()) {
		load := d.ready(t)
		silent := d.carrier(t, "A2b", 300)
		d.call(t, http.MethodPatch, "/carriers/api/v1/carriers/"+silent, object{"email": nil}).OK(t)
		carriers := []string{d.carrier(t, "A1", 300), d.carrier(t, "A2", 300), d.carrier(t, "A3", 300)}
		d.post(t, base+"/offers", object{"load_uuid": idOf(load), "carrier_uuids": carriers, "mode": "sequential"}).Refused(t, http.StatusUnprocessableEntity, "dispatches.invalid_offer")
		sent := d.offers(t, load, object{"mode": "sequential", "channels": []string{"email"}}, append(carriers, silent)...)
		require.Equal(t, "notify.no_channel", sent.Get("refused.0.code").String(), "a sequence would stop at it")
		states := func() []string {
			return []string{d.offer(t, sent, "0").Get("state").String(), d.offer(t, sent, "1").Get("state").String(), d.offer(t, sent, "2").Get("state").String()}
		}
		require.Equal(t, []string{"offered", "queued", "queued"}, states())
		require.False(t, sent.Get("offers.1.share.url").Exists())
		d.ask(t, http.MethodPost, link(sent, "0")+"/decline", object{"shown": 1, "note": "Too far"}).OK(t)
		require.Equal(t, []string{"declined", "offered", "queued"}, states())
		at.Advance(30 * time.Minute)
		d.Eventually(t, func() bool {
			expire()

			return d.offer(t, sent, "1").Get("state").String() == "expired"
		}, "the second one expires")
		require.Equal(t, []string{"declined", "expired", "offered"}, states())
		third := base + "/offers/" + sent.Get("offers.2.offer.uuid").String()
		at3 := d.post(t, third+"/shares", object{}).OK(t).Get("url").String()
		d.yes(t, at3, nil).OK(t)
	})
}

// Walk 5 of the trade.
func TestOffer_IsRefusedToACarrierThatMayNotHaveTheLoadAnyMore(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load, lapsing, lapsed := d.ready(t), d.carrier(t, "Haul", 300), d.carrier(t, "Tow", -1)
		sent := d.offers(t, load, nil, lapsing, lapsed, "0190d0c0-0000-7000-8000-0000000000ff")
		require.JSONEq(t, `["carriers.blocked", "carriers.carrier_not_found"]`, sent.Get("refused.#.code").Raw)
		require.NotEmpty(t, sent.Get("refused.0.blockers.0.title").String())
		d.call(t, http.MethodPatch, "/carriers/api/v1/carriers/"+lapsing, object{"insurance": []object{}}).OK(t)
		refused := d.yes(t, link(sent, "0"), nil).Refused(t, http.StatusConflict, "carriers.blocked")
		require.Contains(t, refused.Get("message").String(), "Please call us")
		require.False(t, refused.Get("details").Exists(), "what is wrong is the company's business")
		require.Equal(t, []string{"ready", "offered"}, []string{d.get(t, load).Get("state").String(), d.offer(t, sent, "0").Get("state").String()})
		d.offers(t, load, object{"carrier_uuids": []string{lapsing}}, lapsing)
	})
}

func TestOffer_NamesDaysWithinTheWindows(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load, hauler := d.ready(t), d.carrier(t, "Haul", 300)
		d.post(t, base+"/offers", object{"load_uuid": idOf(load), "carrier_uuids": []string{hauler}, "pickup_date": day(1)}).Refused(t, http.StatusUnprocessableEntity, "dispatches.dates_outside_window")
		sent := d.offers(t, load, object{"pickup_date": nil, "delivery_date": nil}, hauler)
		for field, wrong := range map[string]object{
			"pickup_date":   {"delivery_date": day(6)},
			"delivery_date": {"pickup_date": day(6), "delivery_date": day(5)},
			"name":          {"pickup_date": day(3), "delivery_date": day(6), "name": " "},
			"accepted":      {"pickup_date": day(3), "delivery_date": day(6), "accepted": false},
		} {
			refused := d.yes(t, link(sent, "0"), wrong)
			require.Equal(t, http.StatusUnprocessableEntity, refused.Status, "%s: %s", field, refused.Body)
			require.NotEmpty(t, refused.Get("errors."+field).Raw, field)
		}
		late := d.yes(t, link(sent, "0"), object{"pickup_date": day(7), "delivery_date": day(13)}).Refused(t, http.StatusUnprocessableEntity, "dispatches.dates_outside_window")
		require.Contains(t, late.Get("errors.pickup_date.0").String(), day(6))
		d.ask(t, http.MethodPost, link(sent, "0")+"/accept", object{"name": "Bo", "accepted": true}).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		d.yes(t, link(sent, "0"), object{"pickup_date": day(2), "delivery_date": day(12)}).OK(t)
	})
}

// Walk 11 of the trade.
func TestCarrierPage_IsReadWithoutConsequences(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		sent := d.offers(t, d.ready(t), nil, d.carrier(t, "Haul", 300))
		at := link(sent, "0")
		for range 10 {
			d.ask(t, http.MethodGet, at, nil).OK(t)
			d.ask(t, http.MethodHead, at, nil)
		}
		o := d.offer(t, sent, "0")
		require.Equal(t, []string{"offered", ""}, []string{o.Get("state").String(), o.Get("first_viewed_at").String()})
		d.ask(t, http.MethodPost, at+"/viewed", nil).OK(t)
		require.NotEmpty(t, d.offer(t, sent, "0").Get("first_viewed_at").String())
		html := d.ask(t, http.MethodGet, at, nil)
		require.NotEmpty(t, html.Body)
		for _, unknown := range []string{"/counter", "/decline"} {
			d.ask(t, http.MethodPost, base+"/carrier/unknown"+unknown, object{"shown": 1}).Refused(t, http.StatusNotFound, "link.unknown")
		}
	})
}

func TestDispatch_FollowsItsLoadAndTheLoadFollowsIt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		hauler := d.carrier(t, "Haul", 300)
		load := d.ready(t)
		made := d.post(t, base+"/dispatches", object{"load_uuid": idOf(load), "carrier_uuid": hauler, "carrier_pay": "880.00", "pickup_date": day(3), "note": "On the phone", "crew": object{"truck": "12"}}).OK(t)
		at := made.Header.Get("Location")
		require.Equal(t, []string{"880.00", "12"}, []string{made.Get("carrier_pay").String(), made.Get("truck").String()})
		d.post(t, base+"/dispatches", object{"load_uuid": idOf(load), "carrier_uuid": hauler}).Refused(t, http.StatusConflict, "loads.not_for_carriers")
		stateOf := func(of string) string { return d.get(t, of).Get("state").String() }

		share := d.post(t, at+"/shares", object{}).OK(t).Get("url").String()
		soon := clock.System{}.Now().Add(48 * time.Hour).UTC().Truncate(time.Minute)
		d.ask(t, http.MethodPost, share+"/update", object{"eta_pickup": soon.Format(time.RFC3339), "crew": object{"driver_name": "Bo"}}).OK(t)
		require.Equal(t, soon, d.get(t, at).Get("eta_pickup").Time())
		d.ask(t, http.MethodPost, share+"/update", object{"eta_pickup": "2020-01-01T08:00", "eta_delivery": "soon"}).Refused(t, http.StatusUnprocessableEntity, "dispatches.invalid_update")
		d.ask(t, http.MethodPost, share+"/accept", object{"shown": 1, "name": "Bo", "accepted": true}).Refused(t, http.StatusConflict, "dispatches.no_offer")

		require.Equal(t, int64(1), d.get(t, at).Get("revision").Int())
		d.call(t, http.MethodPatch, at, object{"pickup_date": day(4)}).OK(t)
		require.Equal(t, int64(2), d.get(t, at).Get("revision").Int())
		d.call(t, http.MethodPatch, load, object{"instructions_carrier": "Ring twice"}).OK(t)
		d.Eventually(t, func() bool { return d.get(t, at).Get("revision").Int() == 3 }, "the carrier has other terms")

		paper := d.call(t, http.MethodGet, at+"/rate_confirmation", nil).OK(t)
		require.Equal(t, "%PDF-", string(paper.Body[:5]))
		require.Contains(t, paper.Header.Get("Content-Disposition"), "-3.pdf")
		require.Equal(t, paper.Body, d.ask(t, http.MethodGet, share+"/rate_confirmation", nil).OK(t).Body)

		d.post(t, at+"/pick_up", object{}).OK(t)
		require.Equal(t, []string{"picked_up", "picked_up"}, []string{stateOf(at), stateOf(load)})
		d.post(t, at+"/cancel", object{"reason": "broker"}).Refused(t, http.StatusConflict, "dispatches.loaded")
		d.ask(t, http.MethodPost, share+"/cancel", object{"reason": "breakdown"}).Refused(t, http.StatusConflict, "dispatches.loaded")
		d.post(t, load+"/deliver", nil).OK(t)
		d.Eventually(t, func() bool { return stateOf(at) == "delivered" }, "the dispatch follows")
		require.Equal(t, "delivered", d.post(t, at+"/pick_up", object{}).OK(t).Get("state").String(), "late news changes nothing")
		require.Equal(t, "settled", d.post(t, at+"/settle", nil).OK(t).Get("state").String())

		second := d.ready(t)
		d.post(t, second+"/cover", object{"carrier_uuid": hauler, "carrier_pay": d.get(t, second).Get("carrier_pay").String()}).OK(t)
		live := func() string {
			return d.get(t, base+"/dispatches?filter[load_uuid]="+idOf(second)).Get("data.0.state").String()
		}
		d.Eventually(t, func() bool { return live() == "accepted" }, "a load that was covered by hand has a dispatch")
		d.post(t, second+"/uncover", nil).OK(t)
		d.Eventually(t, func() bool { return live() == "cancelled_by_broker" }, "and none when it was taken back")
	})
}

func TestOffer_IsTheCompanysAlone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load, hauler := d.ready(t), d.carrier(t, "Haul", 300)
		sent := d.offers(t, load, nil, hauler)
		stranger := d.NewCompany(t)
		one := base + "/offers/" + sent.Get("offers.0.offer.uuid").String()
		for _, verb := range []string{"/accept", "/counter", "/decline", "/withdraw", "/remind", "/reactivate"} {
			d.Call(t, stranger.Token, http.MethodPost, one+verb, object{}).Refused(t, http.StatusNotFound, "dispatches.offer_not_found")
		}
		d.Call(t, stranger.Token, http.MethodPost, base+"/offers", object{"load_uuid": idOf(load), "carrier_uuids": []string{hauler}}).Refused(t, http.StatusNotFound, "loads.load_not_found")
		d.Call(t, stranger.Token, http.MethodPost, base+"/dispatches", object{"load_uuid": idOf(load), "carrier_uuid": hauler}).Refused(t, http.StatusNotFound, "loads.load_not_found")
	})
}

func TestOffer_IsRemindedOfNowAndThen(t *testing.T) {
	t.Parallel()
	onClock(t, func(t *testing.T, d desk, at *clock.Fake, _ func()) {
		sent := d.offers(t, d.ready(t), object{"expires_in_minutes": 600}, d.carrier(t, "Haul", 300))
		one := base + "/offers/" + sent.Get("offers.0.offer.uuid").String()
		for range 5 {
			d.post(t, one+"/remind", object{}).OK(t)
			d.post(t, one+"/remind", object{}).Refused(t, http.StatusTooManyRequests, "dispatches.reminded_recently")
			at.Advance(30 * time.Minute)
		}
		d.post(t, one+"/remind", object{}).Refused(t, http.StatusTooManyRequests, "dispatches.reminded_recently")
		d.post(t, one+"/withdraw", object{"note": "Sold"}).OK(t)
		d.yes(t, link(sent, "0"), nil).Refused(t, http.StatusConflict, "dispatches.not_open")
		again := d.post(t, one+"/reactivate", object{"expires_in_minutes": 30}).OK(t)
		d.ask(t, http.MethodGet, link(sent, "0"), nil).Refused(t, http.StatusNotFound, "link.revoked")
		d.yes(t, again.Get("share.url").String(), nil).OK(t)
	})
}

func TestOffer_CountsRemindersThatReachTheCarrier(t *testing.T) {
	t.Parallel()
	eachMailing(t, func(t *testing.T, d desk, _ *mailbox) {
		hauler := d.carrier(t, "Haul", 300)
		sent := d.offers(t, d.ready(t), object{"channels": []string{"email"}}, hauler)
		require.Empty(t, sent.Get("offers.0.unreached").Array())
		d.call(t, http.MethodPatch, "/carriers/api/v1/carriers/"+hauler, object{"email": nil}).OK(t)
		one := base + "/offers/" + sent.Get("offers.0.offer.uuid").String()
		reminded := d.post(t, one+"/remind", object{}).OK(t)
		require.Equal(t, "0", reminded.Get("offer.reminders").Raw)
		require.JSONEq(t, `["email"]`, reminded.Get("unreached").Raw)
		require.Contains(t, reminded.Get("unreached_reasons.email").String(), "no address")
		require.NotEmpty(t, reminded.Get("share.url").String(), "the company can give it")
		d.post(t, one+"/remind", object{}).OK(t)
		require.NotContains(t, d.EventNames(t, d.Owner), "dispatches.carrier.reminded")
	})
}

func TestOffer_ThatNoChannelTakesIsNotSent(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) { // no area sends anything
		load, hauler := d.ready(t), d.carrier(t, "Haul", 300)
		refused := d.post(t, base+"/offers", object{"load_uuid": idOf(load), "carrier_uuids": []string{hauler}, "channels": []string{"email", "sms"}}).
			Refused(t, http.StatusConflict, "notify.no_channel")
		require.JSONEq(t, `[]`, refused.Get("details.channels").Raw)
		require.Empty(t, d.get(t, base+"/offers").Get("data").Array(), "nothing counts as sent")
		byHand := d.offers(t, load, nil, hauler)
		require.Equal(t, "offered", byHand.Get("offers.0.offer.state").String())
		require.NotEmpty(t, byHand.Get("offers.0.share.url").String())
	})
	eachMailing(t, func(t *testing.T, d desk, _ *mailbox) {
		load, hauler, banned := d.ready(t), d.carrier(t, "Haul", 300), d.carrier(t, "Tow", 300)
		contact := d.post(t, "/contacts/api/v1/contacts", object{"name": "Tow", "emails": []object{{"address": "tow@example.com"}}, "status": "do_not_contact"}).OK(t)
		sent := d.post(t, base+"/offers", object{"load_uuid": idOf(load), "carrier_uuids": []string{hauler, banned}, "mode": "broadcast", "channels": []string{"email", "sms"}}).OK(t)
		require.Equal(t, int64(1), sent.Get("offers.#").Int())
		require.JSONEq(t, `["sms"]`, sent.Get("offers.0.unreached").Raw)
		require.Contains(t, sent.Get("offers.0.unreached_reasons.sms").String(), "no area that sends")
		require.Equal(t, "notify.no_channel", sent.Get("refused.0.code").String())
		require.Contains(t, sent.Get("refused.0.message").String(), "do_not_contact")

		one := base + "/offers/" + sent.Get("offers.0.offer.uuid").String()
		d.post(t, one+"/withdraw", object{}).OK(t)
		d.call(t, http.MethodPatch, "/carriers/api/v1/carriers/"+hauler, object{"email": "tow@example.com"}).OK(t)
		d.post(t, one+"/reactivate", object{}).Refused(t, http.StatusConflict, "notify.no_channel")
		require.Equal(t, "withdrawn", d.get(t, one).Get("state").String())
		d.call(t, http.MethodPatch, "/contacts/api/v1/contacts/"+contact.Get("uuid").String(), object{"status": "active"}).OK(t)
		d.post(t, one+"/reactivate", object{}).OK(t)
	})
}

// eachMailing is each with an area that sends e-mails.
func eachMailing(t *testing.T, test func(t *testing.T, d desk, box *mailbox), settings ...string) {
	t.Helper()
	moduletest.Each(t, append(areas(), mailing), func(t *testing.T, boot func(...moduletest.Option) *moduletest.App) {
		t.Helper()
		box := &mailbox{}
		test(t, desk{boot(moduletest.With(fx.Supply(box)), moduletest.Set(append(settings, "web.base_url=https://dispatch.example")...))}, box)
	})
}

func TestCarrierPage_WorksWithoutScripts(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		sent := d.offers(t, d.ready(t), nil, d.carrier(t, "Haul", 300))
		at := link(sent, "0")
		shown := func() string { return string(d.Call(t, "", http.MethodGet, at, nil, "Accept", "text/html").OK(t).Body) }
		require.Contains(t, shown(), "Accept this load")
		form := url.Values{"shown": {"1"}, "pickup_date": {day(3)}, "delivery_date": {day(6)}, "name": {"Bo"}, "accepted": {"true"}}
		answer := d.Call(t, "", http.MethodPost, at+"/accept", form.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html")
		require.Contains(t, string(answer.Body), secretRoad, "the browser was sent on to the page")
		require.Contains(t, shown(), "Give the load back")
	})
}

// sentBy is what a form of a page sends as it is: its hidden fields.
func sentBy(t *testing.T, page, action string) url.Values {
	t.Helper()
	_, form, there := strings.Cut(page, action+`"`)
	require.True(t, there, "the page has the form %s", action)
	form, _, _ = strings.Cut(form, "</form>")
	sent := url.Values{}
	for _, field := range regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)"`).FindAllStringSubmatch(form, -1) {
		sent.Set(field[1], html.UnescapeString(field[2]))
	}
	require.NotEmpty(t, sent)

	return sent
}

func TestCarrierPage_ItsFormsSendWhatIsTaken(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		send := func(at, verb string, more url.Values) string {
			page := string(d.Call(t, "", http.MethodGet, at, nil, "Accept", "text/html").OK(t).Body)
			form := sentBy(t, page, verb)
			maps.Copy(form, more)

			return string(d.Call(t, "", http.MethodPost, at+verb, form.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html").OK(t).Body)
		}
		sent := d.offers(t, d.ready(t), nil, d.carrier(t, "Haul", 300))
		require.Contains(t, send(link(sent, "0"), "/counter", url.Values{"amount": {"950.00"}}), "We have your counter")
		require.Contains(t, send(link(sent, "0"), "/decline", url.Values{"note": {"Too far."}}), "You have declined this offer.")
		require.Equal(t, "declined", d.offer(t, sent, "0").Get("state").String())
	})
}

// What is added by a carrier's link is limited by the load.
func TestCarrier_MakesFewUploadLinksAndChanges(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		sent := d.offers(t, d.ready(t), nil, d.carrier(t, "Haul", 300))
		at := link(sent, "0")
		d.yes(t, at, nil).OK(t)
		d.ask(t, http.MethodPost, at+"/driver_links", object{}).Refused(t, http.StatusConflict, "dispatches.no_inspection")
		for range 10 {
			d.ask(t, http.MethodPost, at+"/uploads", object{"kind": "carrier_invoice"}).OK(t)
		}
		refused := d.ask(t, http.MethodPost, at+"/uploads", object{"kind": "carrier_invoice"}).Refused(t, http.StatusTooManyRequests, "link.too_often")
		require.Regexp(t, `Try again in [0-9]+ (second|minute)s?\.$`, refused.Get("message").String())
		d.ask(t, http.MethodPost, at+"/update", object{"crew": object{"truck": "12"}}).OK(t)
	})
}

func TestPricingIntelligence_ComparesTheCompanysOwnLoads(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		hauler := d.carrier(t, "Haul", 300)
		ask := func(body object) gjson.Result {
			return gjson.ParseBytes(d.post(t, base+"/pricing_intelligence", body).OK(t).Body)
		}
		for _, pay := range []string{"800.00", "850.00", "900.00", "950.00"} {
			d.post(t, base+"/dispatches", object{"load_uuid": idOf(d.ready(t)), "carrier_uuid": hauler, "carrier_pay": pay}).OK(t)
		}
		few := ask(object{"origin": "75201", "destination": "33101"})
		require.Equal(t, []string{"none", "null", "0"}, []string{few.Get("lane_level").String(), few.Get("price").Raw, few.Get("n").Raw})
		d.post(t, base+"/dispatches", object{"load_uuid": idOf(d.ready(t)), "carrier_uuid": hauler, "carrier_pay": "1000.00"}).OK(t)
		lane := ask(object{"origin": "75202", "destination": "33109", "vehicles": 2})
		require.JSONEq(t, `{"low": "1700.00", "mid": "1800.00", "high": "1900.00"}`, lane.Get("price").Raw)
		require.Equal(t, []string{"zip3", "own_history", "medium", "5"}, []string{lane.Get("lane_level").String(), lane.Get("basis").String(), lane.Get("confidence").String(), lane.Get("n").Raw})
		require.Equal(t, "state", ask(object{"origin": "77001", "destination": "32801"}).Get("lane_level").String())
		like := ask(object{"origin": "60601", "destination": "33101"})
		require.Equal(t, "distance", like.Get("lane_level").String(), "%s", like.Raw)
		require.InDelta(t, 900*like.Get("miles").Float()/1243, like.Get("price.mid").Float(), 1, "by the mile")
		require.Equal(t, "none", ask(object{"origin": "75201", "destination": "33101", "inoperable": true}).Get("lane_level").String())
		stranger := d.NewCompany(t)
		require.Equal(t, "none", d.Call(t, stranger.Token, http.MethodPost, base+"/pricing_intelligence", object{"origin": "75201", "destination": "33101"}).OK(t).Get("basis").String(), "never from others' loads")
		d.post(t, base+"/pricing_intelligence", object{"origin": "00000", "destination": "33101"}).Refused(t, http.StatusUnprocessableEntity, "route_engine.unknown_place")
	})
}

func TestAcceptance_EndsAllOtherOffersByTheStatementsOfOne(t *testing.T) {
	t.Parallel()
	moduletest.Each(t, areas(), func(t *testing.T, boot func(...moduletest.Option) *moduletest.App) {
		d := desk{boot()}
		accept := func(others int) int64 {
			load, all := d.ready(t), []string{d.carrier(t, "Haul", 300)}
			for range others {
				all = append(all, d.carrier(t, "Other", 300))
			}
			sent := d.offers(t, load, nil, all...)

			var written atomic.Int64 // what follows in the background reads alone
			d.OnStatement(func(_ context.Context, s database.Statement) {
				if strings.HasPrefix(s.SQL, "UPDATE") && strings.Contains(s.SQL, "dispatches_offers") {
					written.Add(1)
				}
			})
			d.ask(t, http.MethodPost, link(sent, "0")+"/accept", object{"shown": 1, "name": "Bo", "accepted": true}).OK(t)
			require.Equal(t, "superseded", d.offer(t, sent, "2").Get("state").String())

			return written.Load()
		}
		few := accept(2)
		require.Positive(t, few)
		require.Equal(t, few, accept(20))
	})
}

func TestScorecard_CountsWhatACarrierAnsweredAndCarried(t *testing.T) {
	t.Parallel()
	onClock(t, func(t *testing.T, d desk, at *clock.Fake, _ func()) {
		hauler := d.carrier(t, "Haul", 300)
		first := d.offers(t, d.ready(t), nil, hauler)
		at.Advance(10 * time.Minute)
		d.yes(t, link(first, "0"), nil).OK(t)
		for _, verb := range []string{"/pick_up", "/deliver"} {
			d.post(t, base+"/dispatches/"+d.offer(t, first, "0").Get("dispatch_uuid").String()+verb, object{}).OK(t)
		}
		second := d.offers(t, d.ready(t), nil, hauler)
		at.Advance(30 * time.Minute)
		d.ask(t, http.MethodPost, link(second, "0")+"/decline", object{"shown": 1}).OK(t)
		third := d.offers(t, d.ready(t), nil, hauler)
		at.Advance(20 * time.Minute)
		d.yes(t, link(third, "0"), nil).OK(t)
		d.ask(t, http.MethodPost, link(third, "0")+"/cancel", object{"reason": "better_load"}).OK(t)
		card := d.get(t, base+"/scorecards/"+hauler)
		want := `{"offers": 3, "accepted": 2, "declined": 1, "expired": 0, "acceptance": "66.7", "answer_minutes": 20, "dispatches": 2, "delivered": 1, "given_back": 1,
			"pickups_in_time": "100.0", "deliveries_in_time": "100.0"}`
		require.JSONEq(t, want, card.Get("ever").Raw)
		require.JSONEq(t, want, card.Get("last_90_days").Raw)
		stranger := d.NewCompany(t)
		d.Call(t, stranger.Token, http.MethodGet, base+"/scorecards/"+hauler, nil).Refused(t, http.StatusNotFound, "carriers.carrier_not_found")
	})
}

func TestLoad_SaysHowItsOffersStand(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load := d.ready(t)
		says := func(want string) {
			t.Helper()
			d.Eventually(t, func() bool { return d.get(t, load).Get("coverage").String() == want }, "the load says "+want)
		}
		says("none")
		sent := d.offers(t, load, nil, d.carrier(t, "Haul", 300), d.carrier(t, "Tow", 300))
		says("offered")
		d.ask(t, http.MethodPost, link(sent, "0")+"/counter", object{"shown": 1, "amount": "990.00"}).OK(t)
		says("countered")
		d.post(t, base+"/offers/"+sent.Get("offers.0.offer.uuid").String()+"/withdraw", object{}).OK(t)
		says("offered")
		d.ask(t, http.MethodPost, link(sent, "1")+"/decline", object{"shown": 1}).OK(t)
		says("declined")
		require.JSONEq(t, `{"declined": 1}`, d.get(t, "/loads/api/v1/dashboard").Get("coverage").Raw)
		again := d.offers(t, load, nil, d.carrier(t, "Lift", 300))
		d.yes(t, link(again, "0"), nil).OK(t)
		require.Equal(t, "accepted", d.get(t, load).Get("coverage").String())
		require.Equal(t, "1", d.get(t, "/loads/api/v1/loads?filter[coverage]=accepted").Get("data.#").String())
		d.post(t, base+"/dispatches/"+d.get(t, base+"/dispatches").Get("data.0.uuid").String()+"/cancel", object{"reason": "broker"}).OK(t)
		require.Equal(t, "none", d.get(t, load).Get("coverage").String())
	})
}
