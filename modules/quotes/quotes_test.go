package quotes_test

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/contacts"
	"github.com/dispatchd/dispatchd/modules/loads"
	"github.com/dispatchd/dispatchd/modules/quotes"
	"github.com/dispatchd/dispatchd/modules/routeengine"
	"github.com/dispatchd/dispatchd/modules/vehicles"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/notify"
)

const (
	base       = "/quotes/api/v1"
	quotesPath = base + "/quotes"
	loadsPath  = "/loads/api/v1/loads"
)

type object = map[string]any

func areas() []module.Module {
	return []module.Module{attachments.Module, companies.Module, contacts.Module, loads.Module, quotes.Module, routeengine.Module, vehicles.Module}
}

func TestMain(m *testing.M) { moduletest.Main(m, quotes.Module, areas()...) }

// desk is a company that sells transports.
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

// done is what a call that succeeds returns.
func (d desk) done(t *testing.T, method, path string, body any) gjson.Result {
	t.Helper()

	return gjson.ParseBytes(d.call(t, method, path, body).OK(t).Body)
}

func (d desk) post(t *testing.T, path string, body any) moduletest.Response {
	t.Helper()

	return d.call(t, http.MethodPost, path, body)
}

func (d desk) get(t *testing.T, path string) gjson.Result {
	t.Helper()

	return d.done(t, http.MethodGet, path, nil)
}

// request makes a load of some vehicles that has no price yet.
func (d desk) request(t *testing.T, vehicles ...string) gjson.Result {
	t.Helper()

	return d.post(t, "/loads/api/v1/quick_loads", object{
		"from": "75201", "to": "33101", "vehicles": vehicles, "customer": object{"name": "Ann Lee", "phone": "214 555 0143"}, "available_from": "2030-01-07",
	}).OK(t).Get("load")
}

// priced makes a load with a price.
func (d desk) priced(t *testing.T) gjson.Result {
	t.Helper()
	l := d.request(t, "2003 Honda Accord", "2012 BMW X6")

	return d.done(t, http.MethodPut, loadsPath+"/"+l.Get("uuid").String()+"/price", object{"tariff": "2000.01", "carrier_pay": "1600.00"})
}

// draft makes a quote of a load, at the load's prices.
func (d desk) draft(t *testing.T, load gjson.Result, more ...object) gjson.Result {
	t.Helper()
	body := object{"load_uuid": load.Get("uuid").String()}
	for _, m := range more {
		maps.Copy(body, m)
	}

	return d.done(t, http.MethodPost, quotesPath, body)
}

// offer sends a quote, and returns the address of its page.
func (d desk) offer(t *testing.T, quote gjson.Result) string {
	t.Helper()

	return d.post(t, path(quote)+"/send", object{"tariff": d.get(t, path(quote)).Get("tariff").String()}).OK(t).Get("share.url").String()
}

func path(quote gjson.Result) string { return quotesPath + "/" + quote.Get("uuid").String() }

// ask is a call by a link.
func (d desk) ask(t *testing.T, method, url string, body any) moduletest.Response {
	t.Helper()

	return d.Call(t, "", method, url, body)
}

func answer(quote gjson.Result, more ...object) object {
	body := object{"quote_uuid": quote.Get("uuid").String(), "name": "Ann Lee", "accepted": true}
	for _, m := range more {
		maps.Copy(body, m)
	}

	return body
}

func TestQuote_AddsUpToTheCent(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		load := d.priced(t)
		q := d.draft(t, load, object{"options": []object{{"key": "standard"}, {"key": "priority", "surcharge": "150.00", "note": "Picked up within two days"}}})
		require.Equal(t, []string{"Q-", "1", "draft", "2000.01", "1600.00", "400.01", "400.01", "2000.01", "2150.01"}, []string{
			q.Get("number").String()[:2], q.Get("revision").String(), q.Get("state").String(), q.Get("tariff").String(), q.Get("carrier_pay").String(),
			q.Get("broker_fee").String(), q.Get("deposit").String(), q.Get("options.0.tariff").String(), q.Get("options.1.tariff").String(),
		})
		car := load.Get("vehicles.0.uuid").String()
		lines := []object{
			{"kind": "transport", "vehicle_uuid": car, "amount": "1000.00", "carrier_pay": "800.00"},
			{"kind": "transport", "vehicle_uuid": load.Get("vehicles.1.uuid").String(), "amount": "900.00", "carrier_pay": "750.00"},
			{"kind": "storage", "amount": "55.50", "payee": "carrier"},
			{"kind": "discount", "amount": "10.25"},
		}
		q = d.done(t, http.MethodPatch, path(q), object{"lines": lines, "plan_template": "full_pay"})
		require.Equal(t, []string{"1945.25", "1605.50", "339.75", "1945.25", "2095.25", "2003 Honda Accord"}, []string{
			q.Get("tariff").String(), q.Get("carrier_pay").String(), q.Get("broker_fee").String(), q.Get("deposit").String(), q.Get("options.1.tariff").String(),
			q.Get("lines.0.description").String(),
		})
		for at, bad := range map[string]object{
			"lines":                {"lines": lines[:1]},
			"lines.1.vehicle_uuid": {"lines": []object{lines[0], lines[0], lines[1]}},
			"lines.2.amount":       {"lines": []object{lines[0], lines[1], {"kind": "tax", "amount": "1.005"}}},
			"lines.2.carrier_pay":  {"lines": []object{lines[0], lines[1], {"kind": "fuel", "amount": "1.00", "carrier_pay": "1.00"}}},
			"options.0.key":        {"options": []object{{"key": "priority"}}},
			"options.1.key":        {"options": []object{{"key": "standard"}, {"key": "standard"}}},
			"options.0.surcharge":  {"options": []object{{"key": "standard", "surcharge": "5.00"}}},
			"valid_until":          {"valid_until": "2020-01-01T00:00:00Z"},
		} {
			refused := d.call(t, http.MethodPatch, path(q), bad).Refused(t, http.StatusUnprocessableEntity, "quotes.invalid_quote")
			require.True(t, refused.Get("errors").Get(strings.ReplaceAll(at, ".", `\.`)).Exists(), "%s: %s", at, refused)
		}
	})
}

func TestQuote_IsFrozenOnceItWasSent(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		load := d.priced(t)
		q := d.draft(t, load, object{"message": "With pleasure", "plan_template": "full_pay"})
		d.post(t, quotesPath, object{"load_uuid": load.Get("uuid").String()}).Refused(t, http.StatusConflict, "quotes.open")
		link := d.offer(t, q)
		require.Equal(t, "quoted", d.get(t, loadsPath+"/"+load.Get("uuid").String()).Get("state").String())
		d.call(t, http.MethodPatch, path(q), object{"message": "No"}).Refused(t, http.StatusConflict, "quotes.frozen")
		d.call(t, http.MethodDelete, path(q), nil).Refused(t, http.StatusConflict, "quotes.frozen")
		d.post(t, path(q)+"/send", object{}).Refused(t, http.StatusConflict, "state.not_allowed")

		seen := d.ask(t, http.MethodGet, link, nil).OK(t)
		require.Equal(t, []string{"sent", "Dallas, TX 75201", "2000.01", "With pleasure"}, []string{
			seen.Get("state").String(), seen.Get("from").String(), seen.Get("options.0.tariff").String(), seen.Get("message").String(),
		})
		for _, secret := range []string{"1600.00", "800.00", "carrier_pay", "broker_fee"} {
			require.NotContains(t, string(d.ask(t, http.MethodGet, link, nil).Body), secret, "what the carrier gets is nobody else's business")
		}
		require.Zero(t, d.get(t, path(q)).Get("view_count").Int(), "whoever reads the link may be a mail scanner")
		for range 2 {
			d.ask(t, http.MethodPost, link+"/viewed", object{"quote_uuid": q.Get("uuid").String()}).OK(t)
		}
		now := d.get(t, path(q))
		require.Equal(t, "viewed", now.Get("state").String())
		require.EqualValues(t, 2, now.Get("view_count").Int())
		require.NotEmpty(t, now.Get("first_viewed_at").String())
	})
}

func TestAccept_BooksTheLoadAtThePriceOfTheOption(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		load := d.priced(t)
		q := d.draft(t, load, object{"options": []object{{"key": "standard"}, {"key": "priority", "surcharge": "150.00"}}})
		link := d.offer(t, q)
		d.ask(t, http.MethodPost, link+"/accept", answer(q, object{"option": "guaranteed"})).Refused(t, http.StatusUnprocessableEntity, "quotes.invalid_quote")
		d.ask(t, http.MethodPost, link+"/accept", answer(q, object{"name": " ", "accepted": false})).Refused(t, http.StatusUnprocessableEntity, "quotes.not_accepted")
		for range 2 { // a double click
			require.Equal(t, "accepted", d.ask(t, http.MethodPost, link+"/accept", answer(q, object{"option": "priority"})).OK(t).Get("state").String())
		}
		booked := d.get(t, loadsPath+"/"+load.Get("uuid").String())
		require.Equal(t, []string{"booked", "2150.01", "1600.00", "550.01"}, []string{
			booked.Get("state").String(), booked.Get("tariff").String(), booked.Get("carrier_pay").String(), booked.Get("payment_plan.0.amount").String(),
		})
		now := d.get(t, path(q))
		require.Equal(t, []string{"priority", "Ann Lee"}, []string{now.Get("accepted_option").String(), now.Get("accepted_by").String()})
		require.NotEmpty(t, now.Get("accepted_from").String())
		d.ask(t, http.MethodPost, link+"/decline", object{"quote_uuid": q.Get("uuid").String()}).Refused(t, http.StatusConflict, "quotes.not_open")
	})
}

func TestAccept_PromisesThePickupOfTheOption(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		sell := func(load gjson.Result, option object) (booked gjson.Result) {
			option["key"], option["surcharge"] = "priority", "150.00"
			q := d.draft(t, load, object{"options": []object{{"key": "standard"}, option}})
			link := d.offer(t, q)
			require.Equal(t, "Picked up within two days", d.ask(t, http.MethodGet, link, nil).OK(t).Get("options.1.note").String())
			d.ask(t, http.MethodPost, link+"/accept", answer(q, object{"option": "priority"})).OK(t)

			return d.get(t, loadsPath+"/"+load.Get("uuid").String())
		}
		booked := sell(d.priced(t), object{"label": "Priority", "note": "Picked up within two days", "pickup_within_days": 2})
		require.JSONEq(t, `["Priority: Picked up within two days", "150.00", "expedite"]`, booked.Get("charges.0.[description,amount,kind]").Raw)
		require.Equal(t, []string{"expedited", "2030-01-09", "not_after", "2030-01-09"}, []string{
			booked.Get("priority").String(), booked.Get("pickup_promised_by").String(), booked.Get("stops.0.window.kind").String(), booked.Get("stops.0.window.to").String(),
		})
		path := loadsPath + "/" + booked.Get("uuid").String()
		shared := d.post(t, path+"/shares", object{}).OK(t).Get("url").String()
		shared = "/loads/api/v1/shared/" + shared[strings.LastIndex(shared, "/")+1:]
		require.Equal(t, "2030-01-09", d.ask(t, http.MethodGet, shared, nil).OK(t).Get("pickup_promised_by").String())
		require.Contains(t, string(d.Call(t, "", http.MethodGet, shared, nil, "Accept", "text/html").OK(t).Body), "By January 9, 2030 at the latest")

		require.Empty(t, d.done(t, http.MethodPatch, path, object{"team": "A"}).Get("warnings").Array())
		late := d.done(t, http.MethodPatch, path, object{"available_from": "2030-01-10"})
		require.Contains(t, late.Get("warnings.#.code").Raw, "loads.pickup_after_promise")
		d.call(t, http.MethodPatch, path, object{"pickup_promised_by": "2030-01-20"}).Refused(t, http.StatusUnprocessableEntity, "web.invalid")

		booked = sell(d.priced(t), object{"note": "Picked up within two days"})
		require.Equal(t, []string{"expedited", "Priority: Picked up within two days", ""}, []string{
			booked.Get("priority").String(), booked.Get("charges.0.description").String(), booked.Get("pickup_promised_by").String(),
		}, "words promise no day that could be computed")
		refused := d.post(t, quotesPath, object{"load_uuid": d.priced(t).Get("uuid").String(), "options": []object{{"key": "standard", "pickup_within_days": 2}}})
		require.NotEmpty(t, refused.Refused(t, http.StatusUnprocessableEntity, "quotes.invalid_quote").Get(`errors.options\.0\.pickup_within_days`).Array())
	})
}

func TestAccept_AnswersOnlyTheSameAcceptanceAgain(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		q := d.draft(t, d.priced(t), object{"options": []object{{"key": "standard"}, {"key": "priority", "surcharge": "150.00"}}})
		d.post(t, path(q)+"/accept", object{"note": "On the phone"}).Refused(t, http.StatusConflict, "quotes.draft")
		link, options := d.offer(t, q), []string{"standard", "priority"}
		var states [6]int
		var wg sync.WaitGroup
		for i := range states {
			wg.Go(func() {
				states[i] = d.ask(t, http.MethodPost, link+"/accept", answer(q, object{"option": options[i%2]})).Status
			})
		}
		wg.Wait()
		taken := d.get(t, path(q)).Get("accepted_option").String()
		for i, status := range states {
			if options[i%2] == taken {
				require.Equal(t, http.StatusOK, status)
			} else {
				require.Equal(t, http.StatusConflict, status)
			}
		}
		for _, other := range []object{{"name": "Bob Ray"}, {"available_from": "2030-02-01"}} {
			d.ask(t, http.MethodPost, link+"/accept", answer(q, object{"option": taken}, other)).Refused(t, http.StatusConflict, "quotes.not_open")
		}
		d.post(t, path(q)+"/accept", object{"option": taken, "note": "On the phone"}).OK(t)
	})
}

func TestAccept_ByTheCompanyNamesThePriceThatItAccepts(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		q := d.draft(t, d.priced(t), object{"options": []object{{"key": "standard"}, {"key": "priority", "surcharge": "150.00"}}})
		tag := d.call(t, http.MethodGet, path(q), nil).OK(t).Header.Get("ETag")
		d.offer(t, q)
		accept := func(more object, headers ...string) moduletest.Response {
			body := object{"option": "priority", "note": "On the phone"}
			maps.Copy(body, more)

			return d.Call(t, d.Owner.Token, http.MethodPost, path(q)+"/accept", body, headers...)
		}
		unnamed := accept(nil).Refused(t, http.StatusUnprocessableEntity, "quotes.invalid_quote")
		require.Contains(t, unnamed.Get("errors.tariff.0").String(), "If-Match")
		accept(nil, "If-Match", "*").Refused(t, http.StatusUnprocessableEntity, "quotes.invalid_quote")
		accept(nil, "If-Match", tag).Refused(t, http.StatusPreconditionFailed, "web.stale")
		wrong := accept(object{"tariff": "2000.01"}).Refused(t, http.StatusConflict, "quotes.tariff_differs")
		require.Equal(t, "2150.01", wrong.Get("details.tariff").String())
		require.Equal(t, "accepted", accept(object{"tariff": "2150.01"}).OK(t).Get("state").String())

		next := d.draft(t, d.priced(t))
		d.offer(t, next)
		tag = d.call(t, http.MethodGet, path(next), nil).OK(t).Header.Get("ETag")
		d.Call(t, d.Owner.Token, http.MethodPost, path(next)+"/accept", object{"note": "On the phone"}, "If-Match", tag).OK(t)
	})
}

func TestSend_NamesThePriceThatIsSent(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		q := d.draft(t, d.priced(t))
		unnamed := d.post(t, path(q)+"/send", object{}).Refused(t, http.StatusUnprocessableEntity, "quotes.invalid_quote")
		require.Contains(t, unnamed.Get("errors.tariff.0").String(), "If-Match")
		tag := d.call(t, http.MethodGet, path(q), nil).OK(t).Header.Get("ETag")
		lines := q.Get("lines").Array()
		d.done(t, http.MethodPatch, path(q), object{"lines": []object{
			{"kind": "transport", "vehicle_uuid": lines[0].Get("vehicle_uuid").String(), "amount": "100.00"}, {"kind": "transport", "vehicle_uuid": lines[1].Get("vehicle_uuid").String(), "amount": "200.00"},
		}})
		wrong := d.post(t, path(q)+"/send", object{"tariff": "2000.01"}).Refused(t, http.StatusConflict, "quotes.tariff_differs")
		require.Equal(t, "300.00", wrong.Get("details.tariff").String())
		d.Call(t, d.Owner.Token, http.MethodPost, path(q)+"/send", object{}, "If-Match", tag).Refused(t, http.StatusPreconditionFailed, "web.stale")
		require.Equal(t, "draft", d.get(t, path(q)).Get("state").String())
		d.post(t, path(q)+"/send", object{"tariff": "300.00"}).OK(t)
	})
}

func TestOffer_TellsCustomersWhatIsForThem(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		for name, test := range map[string]struct {
			do         func(q gjson.Result, load string)
			code, want string
		}{
			"on hold": {func(_ gjson.Result, load string) { d.post(t, load+"/hold", object{"reason": "customer_asked"}).OK(t) }, "loads.on_hold", "We cannot book this transport right now."},
			"changed": {func(_ gjson.Result, load string) {
				d.call(t, http.MethodPatch, load, object{"transport_type": "enclosed"}).OK(t)
			}, "quotes.load_changed", "Please ask us for a new one."},
			"revised, and not sent": {func(q gjson.Result, _ string) { d.post(t, path(q)+"/revise", object{}).OK(t) }, "quotes.superseded", "This offer is no longer open."},
			"taken back":            {func(q gjson.Result, _ string) { d.post(t, path(q)+"/recall", object{}).OK(t) }, "quotes.not_open", "or taken back."},
		} {
			load := d.priced(t)
			q := d.draft(t, load)
			link := d.offer(t, q)
			test.do(q, loadsPath+"/"+load.Get("uuid").String())
			refused := d.ask(t, http.MethodPost, link+"/accept", answer(q)).Refused(t, http.StatusConflict, test.code)
			require.Contains(t, refused.Get("message").String(), test.want, name)
			form := url.Values{"quote_uuid": {q.Get("uuid").String()}, "name": {"Ann Lee"}, "accepted": {"true"}}
			page := d.Call(t, "", http.MethodPost, link+"/accept", form.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html")
			require.Contains(t, string(page.Body), test.want, name)
		}
	})
}

func TestAccept_TakesTheOfferThatWasShown(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		load := d.priced(t)
		first := d.draft(t, load)
		link := d.offer(t, first)
		second := d.done(t, http.MethodPost, path(first)+"/revise", object{})
		require.Equal(t, first.Get("number").String()+"-v2", second.Get("number").String())
		d.ask(t, http.MethodPost, link+"/accept", answer(first)).Refused(t, http.StatusConflict, "quotes.superseded")
		d.call(t, http.MethodPatch, path(second), object{"lines": []object{
			{"kind": "transport", "vehicle_uuid": load.Get("vehicles.0.uuid").String(), "amount": "700.00", "carrier_pay": "600.00"},
			{"kind": "transport", "vehicle_uuid": load.Get("vehicles.1.uuid").String(), "amount": "800.00", "carrier_pay": "700.00"},
		}}).OK(t)
		d.offer(t, second)

		refused := d.ask(t, http.MethodPost, link+"/accept", answer(first)).Refused(t, http.StatusConflict, "quotes.superseded")
		require.Equal(t, second.Get("uuid").String(), refused.Get("details.current.uuid").String())
		require.Equal(t, "1500.00", d.ask(t, http.MethodGet, link, nil).OK(t).Get("options.0.tariff").String(), "the link shows the newest offer")
		d.ask(t, http.MethodPost, link+"/accept", answer(second)).OK(t)
		require.Equal(t, "1500.00", d.get(t, loadsPath+"/"+load.Get("uuid").String()).Get("tariff").String())
		require.Equal(t, "superseded", d.get(t, path(first)).Get("state").String())
	})
}

func TestAccept_RefusesALoadThatIsAnotherTransport(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		load := d.priced(t)
		q := d.draft(t, load)
		link := d.offer(t, q)
		at := loadsPath + "/" + load.Get("uuid").String()
		d.post(t, at+"/vehicles", object{"vehicles": []object{{"make": "Ford", "model": "F-150"}}}).OK(t)
		d.ask(t, http.MethodPost, link+"/accept", answer(q)).Refused(t, http.StatusConflict, "quotes.load_changed")
		d.post(t, path(q)+"/accept", object{"note": "On the phone"}).Refused(t, http.StatusConflict, "quotes.load_changed")
		require.Equal(t, "quoted", d.get(t, at).Get("state").String())
	})
}

func TestAccept_RefusesALoadThatIsNotAsShown(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		for name, change := range map[string]object{"currency": {"currency": "EUR"}, "available_from": {"available_from": "2030-03-01"}} {
			load := d.priced(t)
			q := d.draft(t, load)
			link, at := d.offer(t, q), loadsPath+"/"+load.Get("uuid").String()
			d.call(t, http.MethodPatch, at, change).OK(t)
			refused := d.ask(t, http.MethodPost, link+"/accept", answer(q)).Refused(t, http.StatusConflict, "quotes.load_changed")
			require.JSONEq(t, `["`+name+`"]`, refused.Get("details.fields").Raw)
			require.Equal(t, "quoted", d.get(t, at).Get("state").String(), name)

			now := d.get(t, at)
			second := d.done(t, http.MethodPost, path(q)+"/revise", object{})
			require.Equal(t, []string{now.Get("currency").String(), "2000.01"}, []string{second.Get("currency").String(), second.Get("tariff").String()}, name)
			d.offer(t, second)
			seen := d.ask(t, http.MethodGet, link, nil).OK(t)
			require.Equal(t, []string{now.Get("currency").String(), now.Get("available_from").String()}, []string{seen.Get("currency").String(), seen.Get("available_from").String()}, name)
			d.ask(t, http.MethodPost, link+"/accept", answer(second)).OK(t)
		}
	})
}

func TestDraft_FollowsTheCurrencyOfItsLoad(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		load := d.priced(t)
		q := d.draft(t, load)
		d.call(t, http.MethodPatch, loadsPath+"/"+load.Get("uuid").String(), object{"currency": "EUR"}).OK(t)
		d.post(t, path(q)+"/send", object{}).Refused(t, http.StatusConflict, "quotes.load_changed")
		require.Equal(t, "EUR", d.done(t, http.MethodPatch, path(q), object{"message": "In euros"}).Get("currency").String())
		d.offer(t, q)
	})
}

func TestQuote_NamesTheMostOfItsCurrency(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		load := d.request(t, "2003 Honda Accord")
		d.call(t, http.MethodPatch, loadsPath+"/"+load.Get("uuid").String(), object{"currency": "KWD"}).OK(t)
		q := d.draft(t, load)
		refused := d.call(t, http.MethodPatch, path(q), object{"lines": []object{
			{"kind": "transport", "vehicle_uuid": load.Get("vehicles.0.uuid").String(), "amount": "10000000.001"},
		}}).Refused(t, http.StatusUnprocessableEntity, "quotes.invalid_quote")
		require.Equal(t, "The amount must be an amount in KWD with at most 3 decimals, at least 0 and at most 10000000.00.", refused.Get(`errors.lines\.0\.amount.0`).String())
	})
}

func TestQuote_EndsWithItsLoad(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		for name, test := range map[string]struct {
			do   func(at string)
			want string
		}{
			"booked at its price": {func(at string) { d.post(t, at+"/book", object{}).OK(t) }, "accepted"},
			"booked at another price": {func(at string) {
				d.call(t, http.MethodPut, at+"/price", object{"tariff": "1.00"}).OK(t)
				d.post(t, at+"/book", object{}).OK(t)
			}, "superseded"},
			"lost": {func(at string) { d.post(t, at+"/lose", object{"reason": "price"}).OK(t) }, "superseded"},
		} {
			load := d.priced(t)
			q := d.draft(t, load)
			link := d.offer(t, q)
			test.do(loadsPath + "/" + load.Get("uuid").String())
			require.Eventually(t, func() bool { return d.get(t, path(q)).Get("state").String() == test.want }, 10*time.Second, 20*time.Millisecond, name)
			if test.want == "superseded" {
				d.ask(t, http.MethodPost, link+"/accept", answer(q)).Refused(t, http.StatusConflict, "quotes.superseded")
			}
		}
	})
}

func TestOffer_IsAPageWithoutScripts(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		q := d.draft(t, d.priced(t), object{"options": []object{{"key": "standard"}, {"key": "guaranteed", "surcharge": "99.00"}}})
		link := d.offer(t, q)
		page := string(d.Call(t, "", http.MethodGet, link, nil, "Accept", "text/html").OK(t).Body)
		for _, want := range []string{"Dallas, TX 75201", "2003 Honda Accord", "sedan", "2012 BMW X6", "suv", "Guaranteed, $2,099.01", "Accept and book", q.Get("uuid").String()} {
			require.Contains(t, page, want)
		}
		form := url.Values{"quote_uuid": {q.Get("uuid").String()}, "name": {"Ann Lee"}, "option": {"guaranteed"}}
		send := func() moduletest.Response {
			return d.Call(t, "", http.MethodPost, link+"/accept", form.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html")
		}
		again := string(send().Body)
		for _, want := range []string{"Accept the offer to order the transport.", `value="Ann Lee"`, `<option value="guaranteed" selected>`, `name="quote_uuid" value="` + q.Get("uuid").String()} {
			require.Contains(t, again, want)
		}
		form.Set("accepted", "true")
		require.Contains(t, string(send().Body), "Your transport is booked", "the browser was sent on to the page")
	})
}

func TestOffer_ShowsWhatIsOwedWithEachOption(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		for plan, test := range map[string]struct {
			deposit, toCarrier string
			shown              []string
			owed               map[string]string
		}{
			"deposit_cod":         {"546.26", "1600.00", []string{"Due at booking: $400.01", "Due at booking: $546.26", "To the carrier at delivery: $1,600.00"}, map[string]string{"broker booking": "546.26", "carrier delivery": "1600.00"}},
			"full_pay":            {"2146.26", "0.00", []string{"Due at booking: $2,000.01", "Due at booking: $2,146.26"}, map[string]string{"broker booking": "2146.26"}},
			"carrier_pays_broker": {"0.00", "2146.26", []string{"To the carrier at delivery: $2,000.01", "To the carrier at delivery: $2,146.26"}, map[string]string{"carrier delivery": "2146.26"}},
			"account":             {"0.00", "0.00", []string{"By invoice: $2,000.01", "By invoice: $2,146.26"}, map[string]string{"broker invoice": "2146.26"}},
		} {
			load := d.priced(t)
			q := d.draft(t, load, object{"plan_template": plan, "options": []object{{"key": "standard"}, {"key": "guaranteed", "surcharge": "146.25"}}})
			link := d.offer(t, q)
			page := string(d.Call(t, "", http.MethodGet, link, nil, "Accept", "text/html").OK(t).Body)
			for _, want := range test.shown {
				require.Contains(t, page, want, plan)
			}
			seen := d.ask(t, http.MethodPost, link+"/accept", answer(q, object{"option": "guaranteed"})).OK(t)
			require.Equal(t, []string{test.deposit, test.deposit, test.toCarrier}, []string{
				seen.Get("deposit").String(), seen.Get("options.1.deposit").String(), seen.Get("options.1.to_carrier").String(),
			}, plan)
			owed := map[string]string{}
			for _, p := range d.get(t, loadsPath+"/"+load.Get("uuid").String()).Get(`payment_plan.#(from=="customer")#`).Array() {
				owed[p.Get("to").String()+" "+p.Get("due_event").String()] = p.Get("amount").String()
			}
			require.Equal(t, test.owed, owed, plan)

			page = string(d.Call(t, "", http.MethodGet, link, nil, "Accept", "text/html").OK(t).Body)
			require.Contains(t, page, "$2,146.26", plan)
			require.NotContains(t, page, "$2,000.01", "only what was booked")
		}
	})
}

func TestQuote_IsNobodyElses(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		q := d.draft(t, d.priced(t))
		d.offer(t, q)
		stranger := d.NewCompany(t)
		for _, verb := range []string{"calculate", "send", "revise", "recall", "decline", "shares"} {
			d.Call(t, stranger.Token, http.MethodPost, path(q)+"/"+verb, object{}).Refused(t, http.StatusNotFound, "quotes.quote_not_found")
		}
		d.Call(t, stranger.Token, http.MethodPost, path(q)+"/accept", object{"note": "Mine"}).Refused(t, http.StatusNotFound, "quotes.quote_not_found")
		d.Call(t, stranger.Token, http.MethodPost, quotesPath, object{"load_uuid": q.Get("load_uuid").String()}).Refused(t, http.StatusUnprocessableEntity, "quotes.invalid_quote")
		d.ask(t, http.MethodGet, base+"/offers/unknown", nil).Refused(t, http.StatusNotFound, "link.unknown")
	})
}

func TestQuote_ExpiresWhetherAJobHasComeByOrNot(t *testing.T) {
	t.Parallel()
	moduletest.Each(t, areas(), func(t *testing.T, boot func(...moduletest.Option) *moduletest.App) {
		t.Helper()
		var queue *jobs.Queue
		var db *database.DB
		at := clock.NewFake(clock.System{}.Now().AddDate(0, -3, 0)) // jobs are due by the real clock
		d := desk{boot(moduletest.With(fx.Decorate(func(clock.Clock) clock.Clock { return at }), fx.Populate(&queue, &db)))}
		// until has the job run until something holds: a run that has begun does not see what comes after.
		until := func(holds func() bool, what string) {
			d.Eventually(t, func() bool {
				require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error { return queue.Enqueue(ctx, quotes.Expire{}) }))

				return holds()
			}, what)
		}
		raised := func(event string) (n int) {
			for _, name := range d.EventNames(t, d.Owner) {
				if name == event {
					n++
				}
			}

			return n
		}
		q := d.draft(t, d.priced(t))
		link := d.offer(t, q)
		verbs := func() string { return d.get(t, path(q)+"/transitions").Get("data.#.verb").Raw }
		require.Contains(t, verbs(), `"accept"`)
		at.Advance(14*24*time.Hour + time.Minute)
		require.NotContains(t, verbs(), `"accept"`)
		require.Equal(t, "expired", d.ask(t, http.MethodGet, link, nil).OK(t).Get("state").String())
		d.ask(t, http.MethodPost, link+"/accept", answer(q)).Refused(t, http.StatusConflict, "quotes.expired")
		until(func() bool { return d.get(t, path(q)).Get("state").String() == "expired" }, "the quote is expired")

		d.offer(t, d.done(t, http.MethodPost, path(q)+"/revise", object{}))
		at.Advance(13*24*time.Hour + time.Hour)
		until(func() bool { return raised("quotes.quote.expiring") > 0 }, "the company is warned")
		at.Advance(24 * time.Hour)
		until(func() bool { return raised("quotes.quote.expired") == 2 }, "it is expired")
		require.Equal(t, 1, raised("quotes.quote.expiring"), "once")
	})
}

func TestCalculate_TakesThePricesOfTheFormula(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		load := d.priced(t)
		q := d.draft(t, load)
		require.Equal(t, "hand", q.Get("pricing.by").String())
		d.call(t, http.MethodPut, loadsPath+"/"+load.Get("uuid").String()+"/price", object{"tariff": "1.00"}).OK(t)
		q = d.done(t, http.MethodPost, path(q)+"/calculate", nil)
		require.Equal(t, []string{"formula", "standard", "priority", "guaranteed"}, []string{
			q.Get("pricing.by").String(), q.Get("options.0.key").String(), q.Get("options.1.key").String(), q.Get("options.2.key").String(),
		})
		require.Greater(t, q.Get("tariff").Float(), 1500.0)
		require.Len(t, q.Get("pricing.explanation.vehicles").Array(), 2)
		require.Equal(t, q.Get("pricing.context_hash").String(), d.done(t, http.MethodPost, path(q)+"/calculate", nil).Get("pricing.context_hash").String())

		lines := []object{}
		for _, l := range q.Get("lines").Array() {
			lines = append(lines, object{"kind": "transport", "vehicle_uuid": l.Get("vehicle_uuid").String(), "amount": "500.00"})
		}
		require.Equal(t, "hand", d.done(t, http.MethodPatch, path(q), object{"lines": lines}).Get("pricing.by").String())
	})
}

func TestSend_KeepsTheTermsOfTheDay(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		terms := func(text string) {
			d.call(t, http.MethodPatch, base+"/settings", object{"terms": text, "valid_days": 3}).OK(t)
		}
		terms("Pay on time.")
		q := d.draft(t, d.priced(t))
		link := d.offer(t, q)
		terms("Pay at once.")
		seen := d.ask(t, http.MethodGet, link, nil).OK(t)
		require.Equal(t, "Pay on time.", seen.Get("terms").String())
		until, err := time.Parse(time.RFC3339, seen.Get("valid_until").String())
		require.NoError(t, err)
		require.WithinDuration(t, clock.System{}.Now().AddDate(0, 0, 3), until, time.Hour)
	})
}

func TestAccept_BooksOnceHoweverManyTry(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		load := d.priced(t)
		q := d.draft(t, load)
		link, at := d.offer(t, q), loadsPath+"/"+load.Get("uuid").String()
		states := make([]int, 6)
		var wg sync.WaitGroup
		for i := range states {
			wg.Go(func() {
				if i%3 == 0 { // somebody books by hand meanwhile
					states[i] = d.post(t, at+"/book", object{}).Status
				} else {
					states[i] = d.ask(t, http.MethodPost, link+"/accept", answer(q)).Status
				}
			})
		}
		wg.Wait()
		for i, status := range states {
			if i%3 != 0 {
				require.Equal(t, http.StatusOK, status, "a double click is one")
			}
		}
		require.Equal(t, "accepted", d.get(t, path(q)).Get("state").String())
		booked := 0
		for _, name := range d.EventNames(t, d.Owner) {
			if name == "loads.load.booked" {
				booked++
			}
		}
		require.Equal(t, 1, booked)
	})
}

// outbox sends text messages to nowhere.
type outbox struct{}

func (outbox) send(context.Context, notify.Message) error { return nil }

func TestSend_ReportsNoSuccessWhereNobodyIsReached(t *testing.T) {
	t.Parallel()
	phones := module.New("phones", "Sends messages", fx.Provide(func() outbox { return outbox{} }, fx.Private), notify.Channel(notify.SMS, outbox.send))
	moduletest.BootEach(t, append(areas(), phones), func(t *testing.T, a *moduletest.App) {
		d := desk{a}
		quote := path(d.draft(t, d.priced(t)))
		contact := func(more object) string {
			body := object{"name": "Ann Lee", "phones": []object{{"number": "+12145550143"}}}
			maps.Copy(body, more)

			return d.post(t, "/contacts/api/v1/contacts", body).OK(t).Header.Get("Location")
		}
		to := object{"tariff": "2000.01", "to": []object{{"channel": "sms", "address": "214 555 0143"}}}
		refuses := func(why string) {
			refused := d.post(t, quote+"/send", to).Refused(t, http.StatusConflict, "notify.no_channel")
			require.Contains(t, refused.Get("message").String(), why)
			require.Equal(t, "draft", d.get(t, quote).Get("state").String())
		}
		d.post(t, quote+"/send", object{"tariff": "2000.01", "to": []object{{"channel": "email", "address": "ann@example.com"}}}).Refused(t, http.StatusConflict, "notify.no_channel")
		who := contact(object{"status": "do_not_contact"})
		refuses("do_not_contact")
		d.call(t, http.MethodPatch, who, object{"status": "inactive"}).OK(t)
		refuses("inactive")
		d.call(t, http.MethodPatch, who, object{"status": "active"}).OK(t)
		d.post(t, who+"/block", object{"reason": "Owes us"}).OK(t)
		refuses("blocked")
		d.post(t, who+"/unblock", nil).OK(t)
		d.call(t, http.MethodPut, who+"/consents", object{"consents": []object{{"channel": "sms", "purpose": "service", "state": "refused", "source": "phone"}}}).OK(t)
		refuses("refused messages")
		d.call(t, http.MethodPut, who+"/consents", object{"consents": []object{{"channel": "sms", "purpose": "service", "state": "granted", "source": "phone"}}}).OK(t)
		require.Equal(t, "sent", d.post(t, quote+"/send", to).OK(t).Get("share.deliveries.0.result").String())
	}, moduletest.Set("web.base_url=https://dispatch.example"))
}
