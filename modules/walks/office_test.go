// Package walks_test walks through whole days of a company that has vehicles carried, over HTTP and with every area switched on: from the first
// call to the last cent and the last paper.
package walks_test

import (
	"html"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/modules"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/paper/papertest"
)

// The resources that walks go by.
const (
	loads      = "/loads/api/v1/loads"
	offers     = "/dispatches/api/v1/offers"
	dispatches = "/dispatches/api/v1/dispatches"
	bills      = "/bills_of_lading/api/v1/bols"
	carriers   = "/carriers/api/v1/carriers"
	contacts   = "/contacts/api/v1/contacts"
)

type object = map[string]any

func TestMain(m *testing.M) { moduletest.Share(m, modules.All()...) }

// office is a broker's office: a company with a profile, and a sandbox that charges cards.
type office struct{ *moduletest.App }

// each runs a walk on each database.
func each(t *testing.T, walk func(t *testing.T, o office)) {
	t.Helper()
	moduletest.BootEach(t, modules.All(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		walk(t, newOffice(t, a))
	})
}

func newOffice(t *testing.T, a *moduletest.App) office {
	t.Helper()
	o := office{App: a}
	o.patch(t, "/companies/api/v1/company", object{
		"legal_name": "Blue Ridge Brokerage LLC", "usdot_number": "2233445", "mc_number": "MC-778899",
		"address": object{"street": "12 Broker Way", "city": "Austin", "state": "TX", "postal_code": "78701", "country": "US"},
	})
	o.patch(t, "/dispatches/api/v1/settings", object{"identity_code": "off", "phone": "+12025550100", "terms": "Cargo insurance is required."})
	o.post(t, "/cards/api/v1/accounts", object{"name": "Sandbox", "provider": "sandbox"})

	return o
}

// try is a request of the office that may be refused.
func (o office) try(t *testing.T, method, path string, body any) moduletest.Response {
	t.Helper()

	return o.Call(t, o.Owner.Token, method, path, body)
}

func (o office) post(t *testing.T, path string, body any) moduletest.Response {
	t.Helper()

	return o.try(t, http.MethodPost, path, body).OK(t)
}

func (o office) patch(t *testing.T, path string, body any) {
	t.Helper()
	o.try(t, http.MethodPatch, path, body).OK(t)
}

func (o office) get(t *testing.T, path string) gjson.Result {
	t.Helper()

	return gjson.ParseBytes(o.try(t, http.MethodGet, path, nil).OK(t).Body)
}

// by is a request by a link, without an account.
func (o office) by(t *testing.T, link, what string, body any) moduletest.Response {
	t.Helper()
	method := http.MethodPost
	if body == nil {
		method = http.MethodGet
	}

	return o.Call(t, "", method, pathOf(t, link)+what, body)
}

// page is what a browser shows of a link.
func (o office) page(t *testing.T, link string) string {
	t.Helper()

	return html.UnescapeString(string(o.Call(t, "", http.MethodGet, pathOf(t, link), nil, "Accept", "text/html").OK(t).Body))
}

// paper is the text of a PDF, with one space between words.
func (o office) paper(t *testing.T, path string) string {
	t.Helper()

	return strings.Join(strings.Fields(papertest.Text(t, o.try(t, http.MethodGet, path, nil).OK(t).Body)), " ")
}

func pathOf(t *testing.T, link string) string {
	t.Helper()
	at, err := url.Parse(link)
	require.NoError(t, err)

	return at.Path
}

func idOf(path string) string { return path[strings.LastIndex(path, "/")+1:] }

// day is a day from now on, in UTC.
func day(days int) string { return clock.System{}.Now().AddDate(0, 0, days).Format(time.DateOnly) }

// values are the strings at some paths of a document, for a comparison at a glance.
func values(of gjson.Result, paths ...string) []string {
	out := make([]string, len(paths))
	for i, path := range paths {
		out[i] = of.Get(path).String()
	}

	return out
}

func (o office) contact(t *testing.T, name string, more object) string {
	t.Helper()
	body := object{"name": name}
	maps.Copy(body, more)

	return o.post(t, contacts, body).Get("uuid").String()
}

// carrier is a carrier with cargo insurance, an address and a phone.
func (o office) carrier(t *testing.T, name string) string {
	t.Helper()
	at := o.contact(t, name, object{"addresses": []object{{"address": object{"line1": "9 Haul Rd", "city": "Dallas", "state": "TX", "postal_code": "75201"}}}})

	return o.post(t, carriers, object{"legal_name": name, "usdot": moduletest.USDOT(), "contact_uuid": at, "phone": "214 555 0143", "insurance": []object{{
		"kind": "cargo", "insurer": "Sample Insurance", "policy": "C-1", "each_occurrence": "250000.00", "expires": day(300), "verified": day(-20),
	}}}).Get("uuid").String()
}

// load makes a load, and returns its path.
func (o office) load(t *testing.T, body object) string {
	t.Helper()

	return o.post(t, loads, body).Header.Get("Location")
}

// ready books a load and clears it for carriers.
func (o office) ready(t *testing.T, load string) {
	t.Helper()
	o.post(t, load+"/book", nil)
	o.post(t, load+"/clear", nil)
}

// offer offers a load, and returns the links of the carriers in their order.
func (o office) offer(t *testing.T, load string, more object, carriers ...string) []gjson.Result {
	t.Helper()
	body := object{"load_uuid": idOf(load), "carrier_uuids": carriers, "mode": "broadcast", "pickup_date": day(3), "delivery_date": day(6)}
	maps.Copy(body, more)
	made := o.post(t, offers, body)
	require.Empty(t, made.Get("refused").Array(), "%s", made.Body)

	return made.Get("offers").Array()
}

func linkOf(offer gjson.Result) string { return offer.Get("share.url").String() }

func offerPath(offer gjson.Result) string { return offers + "/" + offer.Get("offer.uuid").String() }

// accept has a carrier accept what its link shows.
func (o office) accept(t *testing.T, link string, more object) moduletest.Response {
	t.Helper()
	shown := o.by(t, link, "", nil).OK(t)
	body := object{"shown": shown.Get("offer.shown").Int(), "shown_key": shown.Get("offer.shown_key").String(), "name": "Bo Hauler", "accepted": true}
	maps.Copy(body, more)

	return o.by(t, link, "/accept", body)
}

// dispatchOf is the path of the dispatch that a load has now.
func (o office) dispatchOf(t *testing.T, load string) string {
	t.Helper()
	for _, one := range o.get(t, dispatches+"?sort=-created_at&filter[load_uuid]="+idOf(load)).Get("data").Array() {
		if !strings.HasPrefix(one.Get("state").String(), "cancelled") {
			return dispatches + "/" + one.Get("uuid").String()
		}
	}
	require.Fail(t, "the load has no dispatch")

	return ""
}

// billOf is the path of the bill of lading with a vehicle that can be signed.
func (o office) billOf(t *testing.T, load, vehicle string) (path string) {
	t.Helper()
	o.Eventually(t, func() bool {
		for _, one := range o.get(t, bills+"?filter[load_uuid]="+idOf(load)).Get("data").Array() {
			state := one.Get("state").String()
			if (state == "issued" || state == "pickup_signed") && strings.Contains(one.Get("vehicles.#.uuid").Raw, vehicle) {
				path = bills + "/" + one.Get("uuid").String()
			}
		}

		return path != ""
	}, "the vehicle has a bill of lading")

	return path
}

// driver is the link of a load's driver.
func (o office) driver(t *testing.T, load string) string {
	t.Helper()

	return o.post(t, "/bills_of_lading/api/v1/loads/"+idOf(load)+"/driver_links", object{}).Get("url").String()
}

// inspect has a driver look at a vehicle.
func (o office) inspect(t *testing.T, link, vehicle, stage string, more object) {
	t.Helper()
	body := object{"vehicle_uuid": vehicle, "stage": stage}
	maps.Copy(body, more)
	o.by(t, link, "/inspections", body).OK(t)
	o.by(t, link, "/submissions", object{"vehicle_uuid": vehicle, "stage": stage}).OK(t)
}

// sign has the driver and the other side sign a stage of a bill of lading.
func (o office) sign(t *testing.T, link, bill, stage, other string) {
	t.Helper()
	role := map[string]string{"pickup": "releasing", "delivery": "receiving"}[stage]
	o.by(t, link, "/signatures", object{"bol_uuid": idOf(bill), "stage": stage, "role": "driver", "name": "Bo Driver"}).OK(t)
	o.by(t, link, "/signatures", object{"bol_uuid": idOf(bill), "stage": stage, "role": role, "name": other}).OK(t)
}

// line is the uuid of the line of a load's payment plan between two parties.
func line(load gjson.Result, from, to string) string {
	return load.Get("payment_plan.#(from==" + strconv.Quote(from) + ")#").Get("#(to==" + strconv.Quote(to) + ").uuid").String()
}

// pay records all that is left of the line between two parties.
func (o office) pay(t *testing.T, load, from, to, reference string) {
	t.Helper()
	o.post(t, load+"/payments", object{"line_uuid": line(o.get(t, load), from, to), "reference": reference})
}

// done requires a load that is over, with nothing left to pay and a complete record.
func (o office) done(t *testing.T, load string) gjson.Result {
	t.Helper()
	o.Eventually(t, func() bool { return o.get(t, load).Get("state").String() == "completed" }, "the load is completed")
	l := o.get(t, load)
	require.Equal(t, []string{"0.00", "0.00", "paid"}, values(l, "customer_balance", "carrier_balance", "billing"))
	record := o.get(t, load+"/transaction_record")
	require.JSONEq(t, "[]", record.Get("missing").Raw, "%s", record.Raw)

	return l
}
