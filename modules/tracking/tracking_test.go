package tracking_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/billsoflading"
	"github.com/dispatchd/dispatchd/modules/carriers"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/contacts"
	"github.com/dispatchd/dispatchd/modules/loads"
	"github.com/dispatchd/dispatchd/modules/routeengine"
	"github.com/dispatchd/dispatchd/modules/tracking"
	"github.com/dispatchd/dispatchd/modules/vehicles"
	"github.com/dispatchd/dispatchd/modules/walks/scene"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const base = "/tracking/api/v1"

type object = map[string]any

func areas() []module.Module {
	return []module.Module{
		attachments.Module, billsoflading.Module, carriers.Module, companies.Module, contacts.Module, loads.Module, routeengine.Module, tracking.Module, vehicles.Module,
	}
}

func TestMain(m *testing.M) { moduletest.Main(m, tracking.Module, areas()...) }

// desk is a company whose clock a test moves.
type desk struct {
	*moduletest.App

	at *clock.Fake
	// thin has old positions be thinned out.
	thin func()
}

func each(t *testing.T, test func(t *testing.T, d desk)) {
	t.Helper()
	moduletest.Each(t, areas(), func(t *testing.T, boot func(...moduletest.Option) *moduletest.App) {
		t.Helper()
		var queue *jobs.Queue
		var db *database.DB
		at := clock.NewFake(clock.System{}.Now().Add(-100 * 24 * time.Hour)) // jobs are due by the real clock
		d := desk{App: boot(moduletest.With(fx.Decorate(func(clock.Clock) clock.Clock { return at }), fx.Populate(&queue, &db))), at: at}
		d.thin = func() {
			require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error { return queue.Enqueue(ctx, tracking.Thin{}) }))
		}
		test(t, d)
	})
}

func (d desk) call(t *testing.T, method, path string, body any) moduletest.Response {
	t.Helper()

	return d.Call(t, d.Owner.Token, method, path, body)
}

func (d desk) get(t *testing.T, path string) gjson.Result {
	t.Helper()

	return gjson.ParseBytes(d.call(t, http.MethodGet, path, nil).OK(t).Body)
}

func (d desk) day(days int) string { return d.at.Now().AddDate(0, 0, days).Format(time.DateOnly) }

// covered is the path of a load that a carrier has.
func (d desk) covered(t *testing.T) string {
	t.Helper()

	return scene.Scene{App: d.App, Clock: d.at}.Covered(t, object{"stops": []object{
		{"kind": "pickup", "venue": object{"postal_code": "75201", "line1": "1 Secret St"}, "window": object{"from": d.day(2), "to": d.day(6)}},
		{"kind": "delivery", "venue": object{"postal_code": "33101", "name": "Secret Garage"}},
	}})
}

func idOf(path string) string { return path[strings.LastIndex(path, "/")+1:] }

// send sends where the truck of a load was.
func (d desk) send(t *testing.T, load string, positions ...object) moduletest.Response {
	t.Helper()

	return d.call(t, http.MethodPost, base+"/positions", object{"load_uuid": idOf(load), "source": "eld", "positions": positions})
}

// at is a position some time ago, near Hattiesburg.
func (d desk) position(ago time.Duration) object {
	return object{"at": d.at.Now().Add(-ago).UTC().Format(time.RFC3339), "position": object{"lat": 31.33, "lng": -89.29}}
}

func (d desk) follow(t *testing.T, code string) moduletest.Response {
	t.Helper()

	return d.Call(t, "", http.MethodGet, base+"/code/"+code, nil)
}

// A customer sees by a code how far the vehicles are: late, and no closer than the ZIP code, without streets, VINs and prices.
func TestCode_ShowsNoMoreThanACustomerIsToSee(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load := d.covered(t)
		made := d.call(t, http.MethodPost, base+"/loads/"+idOf(load)+"/codes", object{}).OK(t)
		code := made.Get("code").String()
		require.Regexp(t, `^[0-9A-Z]{5}-[0-9A-Z]{5}$`, code)
		seen := d.follow(t, strings.ToLower(strings.ReplaceAll(code, "-", ""))).OK(t)
		require.Equal(t, []string{"dispatched", "Dallas", "Miami", "2003 Honda Accord", "null"}, []string{
			seen.Get("state").String(), seen.Get("stops.0.city").String(), seen.Get("stops.1.city").String(), seen.Get("vehicles.0").String(), seen.Get("position").Raw,
		})
		for _, secret := range []string{"Secret", "1HGCM82633A004352", "1100.00", "Ann Lee", "Haul Co"} {
			require.NotContains(t, string(seen.Body), secret)
		}
		vehicle := d.get(t, load).Get("vehicles.0.uuid").String()
		d.at.Advance(time.Hour)
		d.send(t, load, d.position(20*time.Minute), d.position(10*time.Minute), d.position(-time.Hour)).OK(t)
		require.Equal(t, "null", d.follow(t, code).OK(t).Get("position").Raw, "before the pickup")
		d.call(t, http.MethodPost, load+"/vehicles/"+vehicle+"/pick_up", object{}).OK(t)

		seen = d.follow(t, code).OK(t)
		require.Equal(t, d.position(20 * time.Minute)["at"], seen.Get("position.at").String(), "a quarter of an hour ago")
		require.Equal(t, "Hattiesburg, MS", seen.Get("position.near").String())
		require.NotEqual(t, "31.33", seen.Get("position.position.lat").Raw)
		page := d.Call(t, "", http.MethodGet, base+"/code/"+code, nil, "Accept", "text/html").OK(t)
		require.Contains(t, string(page.Body), "Near Hattiesburg, MS")
		require.Contains(t, string(page.Body), `class="truck"`)

		exact := d.call(t, http.MethodPost, base+"/loads/"+idOf(load)+"/codes", object{"precision": "exact", "delay_minutes": 0}).OK(t).Get("code").String()
		seen = d.follow(t, exact).OK(t)
		require.Equal(t, []string{d.position(10 * time.Minute)["at"].(string), "31.33"}, []string{seen.Get("position.at").String(), seen.Get("position.position.lat").Raw})
		blind := d.call(t, http.MethodPost, base+"/loads/"+idOf(load)+"/codes", object{"map": false}).OK(t).Get("code").String()
		require.Equal(t, "null", d.follow(t, blind).OK(t).Get("position").Raw)

		d.call(t, http.MethodPost, load+"/vehicles/"+vehicle+"/deliver", object{}).OK(t)
		seen = d.follow(t, exact).OK(t)
		require.Equal(t, []string{"delivered", "null"}, []string{seen.Get("state").String(), seen.Get("position").Raw})
		require.NotEmpty(t, seen.Get("delivered_at").String())
		d.at.Advance(31 * 24 * time.Hour)
		d.follow(t, exact).Refused(t, http.StatusNotFound, "tracking.code_unknown")
	})
}

// A customer follows the truck that has the vehicles now, and not the one of a carrier that had the load before.
func TestCode_FollowsTheCarrierThatHasTheLoad(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load := d.covered(t)
		code := d.call(t, http.MethodPost, base+"/loads/"+idOf(load)+"/codes", object{"precision": "exact", "delay_minutes": 0}).OK(t).Get("code").String()
		d.at.Advance(time.Hour)
		d.send(t, load, d.position(30*time.Minute)).OK(t)
		hauler := d.get(t, load).Get("carrier_uuid").String()
		d.call(t, http.MethodPost, load+"/uncover", nil).OK(t)
		d.call(t, http.MethodPost, load+"/cover", object{"carrier_uuid": hauler, "carrier_pay": "900.00"}).OK(t)
		d.call(t, http.MethodPost, load+"/pick_up", nil).OK(t)
		require.Equal(t, "null", d.follow(t, code).OK(t).Get("position").Raw, "the first truck is gone")
		d.at.Advance(time.Hour)
		d.send(t, load, d.position(10*time.Minute)).OK(t)
		require.Equal(t, d.position(10 * time.Minute)["at"], d.follow(t, code).OK(t).Get("position.at").String())
	})
}

// In the sandbox, trucks go straight on at 500 miles a day of the clock.
func TestSandbox_MovesTheTrucksOfWhichNobodyReports(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load := d.covered(t)
		code := d.call(t, http.MethodPost, base+"/loads/"+idOf(load)+"/codes", object{"precision": "exact", "delay_minutes": 0}).OK(t).Get("code").String()
		vehicle := load + "/vehicles/" + d.get(t, load).Get("vehicles.0.uuid").String()
		require.Equal(t, "null", d.follow(t, code).OK(t).Get("eta").Raw)
		d.call(t, http.MethodPost, vehicle+"/pick_up", object{}).OK(t)
		seen := d.follow(t, code).OK(t)
		days := func(eta string) float64 {
			at, err := time.Parse(time.RFC3339, eta)
			require.NoError(t, err)

			return at.Sub(d.at.Now()).Hours() / 24
		}
		require.Equal(t, "null", seen.Get("position").Raw, "nobody says where it is")
		require.InDelta(t, d.get(t, load).Get("miles").Float()/500, days(seen.Get("eta").String()), 0.1)
		require.Empty(t, d.get(t, base+"/loads/"+idOf(load)+"/positions").Get("data").Array())

		d.call(t, http.MethodPatch, base+"/settings", object{"sandbox": true}).OK(t)
		d.at.Advance(24 * time.Hour)
		seen = d.follow(t, code).OK(t)
		require.InDelta(t, 30, seen.Get("position.position.lat").Float(), 0.7, "500 of 1,110 miles on the great circle")
		require.InDelta(t, -89.0, seen.Get("position.position.lng").Float(), 0.7)
		require.Less(t, days(seen.Get("eta").String()), 1.6)
		require.Contains(t, string(d.Call(t, "", http.MethodGet, base+"/code/"+code, nil, "Accept", "text/html").OK(t).Body), "Expected about")
		list := d.get(t, base+"/loads/"+idOf(load)+"/positions").Get("data")
		require.Equal(t, []string{"24", "sandbox"}, []string{list.Get("#").Raw, list.Get("0.source").String()})
		d.at.Advance(30 * 24 * time.Hour)
		seen = d.follow(t, code).OK(t)
		require.Equal(t, []string{"null", "Miami, FL"}, []string{seen.Get("eta").Raw, seen.Get("position.near").String()}, "it waits there")
		d.send(t, load, d.position(10*time.Minute)).OK(t)
		require.Equal(t, "Hattiesburg, MS", d.follow(t, code).OK(t).Get("position.near").String(), "somebody says where it is")
		require.Len(t, d.get(t, base+"/loads/"+idOf(load)+"/positions").Get("data").Array(), 1)
	})
}

// Walk 14 of the trade.
func TestCode_IsNotGuessed(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load := d.covered(t)
		made := d.call(t, http.MethodPost, base+"/loads/"+idOf(load)+"/codes", object{}).OK(t)
		brief := d.call(t, http.MethodPost, base+"/loads/"+idOf(load)+"/codes", object{"expires_at": d.at.Now().Add(time.Hour).Format(time.RFC3339)}).OK(t).Get("code").String()
		list := d.get(t, base+"/loads/"+idOf(load)+"/codes")
		require.Equal(t, int64(2), list.Get("data.#").Int())
		require.NotContains(t, list.Raw, made.Get("code").String())
		d.call(t, http.MethodDelete, base+"/loads/"+idOf(load)+"/codes/"+made.Get("share.uuid").String(), nil).OK(t)
		d.at.Advance(2 * time.Hour)
		body := func(r moduletest.Response) string {
			text := r.Refused(t, http.StatusNotFound, "tracking.code_unknown").Body

			return gjson.GetBytes(text, "message").String() + gjson.GetBytes(text, "errors").Raw
		}
		unknown := body(d.follow(t, "7H2KM-9TQXC"))
		require.Equal(t, unknown, body(d.follow(t, brief)), "expired")
		require.Equal(t, unknown, body(d.follow(t, made.Get("code").String())), "revoked")
		require.Equal(t, unknown, body(d.follow(t, "nonsense")))
		for range 16 {
			d.follow(t, "7H2KM-9TQXC").Refused(t, http.StatusNotFound, "tracking.code_unknown")
		}
		r := d.follow(t, "7H2KM-9TQXC").Refused(t, http.StatusTooManyRequests, "tracking.too_many_guesses")
		require.NotEmpty(t, r.Header.Get("Retry-After"))
		fresh := d.call(t, http.MethodPost, base+"/loads/"+idOf(load)+"/codes", object{}).OK(t).Get("code").String()
		d.follow(t, fresh).Refused(t, http.StatusTooManyRequests, "tracking.too_many_guesses")
		d.at.Advance(3 * time.Minute)
		d.follow(t, fresh).OK(t)

		other := d.NewCompany(t)
		d.Call(t, other.Token, http.MethodGet, base+"/loads/"+idOf(load)+"/codes", nil).Refused(t, http.StatusNotFound, "loads.load_not_found")
		d.Call(t, other.Token, http.MethodPost, base+"/positions", object{"load_uuid": idOf(load), "positions": []object{d.position(0)}}).Refused(t, http.StatusNotFound, "loads.load_not_found")
	})
}

// A subscriber has 2^64 IPv6 addresses, and one limit.
func TestCode_IsNotGuessedFromOneNetwork(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, areas(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		guess := func(from string, n int) moduletest.Response {
			return a.Call(t, "", http.MethodGet, base+"/code/"+fmt.Sprintf("7H2KM-9TQ%02d", n), nil, "X-Forwarded-For", from)
		}
		for n := range 20 {
			guess(fmt.Sprintf("2001:db8:1:2::%x", n+1), n).Refused(t, http.StatusNotFound, "tracking.code_unknown")
		}
		guess("2001:db8:1:2:ffff::9", 21).Refused(t, http.StatusTooManyRequests, "tracking.too_many_guesses")
		guess("2001:db8:1:3::9", 22).Refused(t, http.StatusNotFound, "tracking.code_unknown")
	}, moduletest.Set("web.trusted_proxies=127.0.0.0/8"))
}

// Positions come in any order and once; of old ones, one an hour stays.
func TestPositions_AreKeptOnceAndThinnedOut(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load := d.covered(t)
		whole := d.at.Now().Truncate(time.Hour)
		var all []object
		for i := range 8 {
			all = append(all, object{"at": whole.Add(-time.Duration(i*20) * time.Minute).UTC().Format(time.RFC3339), "position": object{"lat": 31, "lng": -89 + i}})
		}
		sent := d.send(t, load, append(all[4:], all[:5]...)...).OK(t)
		require.Equal(t, int64(8), sent.Get("stored").Int())
		require.Equal(t, []int64{0, 8}, []int64{d.send(t, load, all...).OK(t).Get("stored").Int(), d.send(t, load, all...).OK(t).Get("known").Int()})
		for _, wrong := range []string{d.at.Now().Add(time.Hour).Format(time.RFC3339), "1999-01-01T00:00:00Z"} {
			require.Equal(t, int64(1), d.send(t, load, object{"at": wrong, "position": object{"lat": 1, "lng": 1}}).OK(t).Get("skipped").Int())
		}
		d.send(t, load, object{"at": whole.Format(time.RFC3339), "position": object{"lat": 91, "lng": 1}}).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		list := func() []gjson.Result { return d.get(t, base+"/loads/"+idOf(load)+"/positions").Get("data").Array() }
		require.Len(t, list(), 8)
		d.at.Advance(31 * 24 * time.Hour)
		d.thin()
		d.Eventually(t, func() bool { return len(list()) == 4 }, "one an hour is left") // the whole hour, two before it, and 20 minutes of a third
	})
}

// What a driver's phone says by its link is kept.
func TestPositions_ComeFromTheDriversPhone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load := d.covered(t)
		d.call(t, http.MethodPost, "/bills_of_lading/api/v1/bols", object{"load_uuid": idOf(load)}).OK(t)
		link := d.call(t, http.MethodPost, "/bills_of_lading/api/v1/loads/"+idOf(load)+"/driver_links", object{}).OK(t).Get("url").String()
		d.Call(t, "", http.MethodPost, link+"/positions", object{"positions": []object{d.position(0)}}).OK(t)
		d.Eventually(t, func() bool {
			return d.get(t, base+"/loads/"+idOf(load)+"/positions").Get("data.0.source").String() == "driver"
		}, "it is kept")
		require.Equal(t, "31.33", d.get(t, base+"/loads/"+idOf(load)+"/positions").Get("data.0.position.lat").Raw)
	})
}
