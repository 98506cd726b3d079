package dispatches_test

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/dispatches"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/paper/papertest"
)

// taken is a load that a carrier has: the path of its dispatch, and that of the carrier's link.
func (d desk) taken(t *testing.T) (dispatch, at string) {
	t.Helper()
	sent := d.offers(t, d.ready(t), nil, d.carrier(t, "Haul", 300))
	d.yes(t, link(sent, "0"), nil).OK(t)

	return base + "/dispatches/" + d.offer(t, sent, "0").Get("dispatch_uuid").String(), link(sent, "0")
}

const files = "/attachments/api/v1/attachments"

func (d desk) file(t *testing.T, dispatch, title, visibility string) string {
	t.Helper()

	return d.SendForm(t, d.Owner.Token, files, title+".txt", []byte(title), "owner_type", "dispatches.dispatch", "owner_uuid", idOf(dispatch), "title", title, "visibility", visibility).OK(t).Get("uuid").String()
}

func TestDocuments_OfADispatchAreInOneListAndTheCarrierSeesItsOwn(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		dispatch, at := d.taken(t)
		pass, secret := d.file(t, dispatch, "Gate pass", "carrier"), d.file(t, dispatch, "Margin", "internal")
		upload := d.ask(t, http.MethodPost, at+"/uploads", object{"kind": "carrier_invoice"}).OK(t).Get("url").String()
		d.SendForm(t, "", upload, "invoice.pdf", []byte("%PDF-1.4\n%%EOF\n")).OK(t)
		all := d.get(t, dispatch+"/documents").Get("data")
		require.ElementsMatch(t, []string{"carrier_invoice", "file", "file", "rate_confirmation"}, stringsOf(all.Get("#.kind")))
		for _, path := range all.Get("#.path").Array() {
			d.call(t, http.MethodGet, path.String(), nil).OK(t)
		}

		seen := d.ask(t, http.MethodGet, at+"/documents", nil).OK(t).Get("data")
		require.ElementsMatch(t, []string{"carrier_invoice", "file", "rate_confirmation"}, stringsOf(seen.Get("#.kind")))
		for _, path := range seen.Get("#.path").Array() {
			d.ask(t, http.MethodGet, path.String(), nil).OK(t)
		}
		d.ask(t, http.MethodGet, at+"/documents/"+secret, nil).Refused(t, http.StatusNotFound, "document.not_found")
		page := string(d.Call(t, "", http.MethodGet, at+"/documents", nil, "Accept", "text/html").OK(t).Body)
		require.Contains(t, page, `href="documents/`+pass)
		require.NotContains(t, page, "Margin")

		for len(d.get(t, dispatch+"/documents").Get("data").Array()) <= 100 { // the rate confirmation is no file
			d.file(t, dispatch, "Page", "internal")
		}
		d.ask(t, http.MethodPost, at+"/uploads", object{"kind": "carrier_invoice"}).Refused(t, http.StatusConflict, "dispatches.enough_files")

		d.post(t, dispatch+"/cancel", object{"reason": "broker"}).OK(t)
		for _, path := range []string{"/documents", "/documents/" + pass, "/photos/" + pass} {
			d.ask(t, http.MethodGet, at+path, nil).Refused(t, http.StatusConflict, "dispatches.no_load")
		}
		d.ask(t, http.MethodPost, at+"/uploads", object{"kind": "carrier_invoice"}).Refused(t, http.StatusConflict, "dispatches.no_load")
	})
}

func TestRateConfirmation_IsAContract(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		d.call(t, http.MethodPatch, "/companies/api/v1/company", object{"legal_name": "Blue Ridge Brokerage LLC", "usdot_number": "2233445", "mc_number": "MC-778899", "address": object{
			"street": "12 Broker Way", "city": "Austin", "state": "TX", "postal_code": "78701", "country": "US",
		}}).OK(t)
		d.call(t, http.MethodPatch, base+"/settings", object{"terms": "Cargo insurance of 100,000 dollars is required."}).OK(t)
		d.call(t, http.MethodPatch, "/companies/api/v1/letterhead", object{"phone": "+12025550100", "usdot": "5566778"}).OK(t)
		logo := d.Call(t, d.Owner.Token, http.MethodPut, "/companies/api/v1/logo", smallLogo(t), "Content-Type", "image/png").OK(t).Get("logo").String()
		load := d.ready(t)
		plan := []object{
			{"from": "customer", "to": "broker", "kind": "deposit", "amount": "500.00", "method": "credit_card", "due_event": "booking"},
			{"from": "customer", "to": "carrier", "kind": "cod", "amount": "600.00", "method": "cash", "due_event": "delivery"},
			{"from": "broker", "to": "carrier", "kind": "balance", "amount": "300.00", "method": "ach", "due_event": "signed_bol", "due_days": 5, "business_days": true},
		}
		d.call(t, http.MethodPut, load+"/payment_plan", object{"payment_plan": plan}).OK(t)
		sent := d.offers(t, load, nil, d.carrier(t, "Hauler", 300))
		d.yes(t, link(sent, "0"), object{"name": "José Łukasz", "crew": object{"driver_name": "Иван Петров", "driver_phone": "+13055550111", "truck": "Unit 12"}}).OK(t)
		dispatch := base + "/dispatches/" + d.offer(t, sent, "0").Get("dispatch_uuid").String()
		text := papertest.Text(t, d.call(t, http.MethodGet, dispatch+"/rate_confirmation", nil).OK(t).Body)
		flat := strings.Join(strings.Fields(text), " ")
		number := d.get(t, dispatch).Get("number").String()
		for _, want := range []string{
			"Load " + d.get(t, load).Get("number").String(), number + ", revision 1", "Blue Ridge Brokerage LLC", "12 Broker Way", "Austin, TX 78701", "USDOT 5566778", "MC-778899", "+12025550100",
			"Hauler", "Carrier pay in all $900.00", "The customer pays the carrier $600.00 in cash at delivery (COD, cash on delivery).",
			"The broker pays the carrier $300.00 by ACH within 5 business days after the signed bill of lading.", "Иван Петров", "+13055550111", "Unit 12", secretVIN, secretRoad, "Inspection standard",
			"must not re-broker", "Cargo insurance of 100,000 dollars is required.", "José Łukasz", "Revision 1, by a link, from",
		} {
			require.Contains(t, flat, want)
		}
		require.Regexp(t, `José Łukasz \w+ \d+, \d{4}, \d\d:\d\d C[DS]T Revision 1`, flat, "in the zone of the pickup")
		for page := range strings.SplitSeq(strings.TrimSuffix(text, "\f"), "\f") {
			require.Regexp(t, `Rate confirmation `+number+`, revision 1 Page \d of \d`, page)
		}

		sheet := string(d.Call(t, "", http.MethodGet, link(sent, "0"), nil, "Accept", "text/html").OK(t).Body)
		for _, want := range []string{"We pay you $300.00 by ACH within 5 business days after the signed bill of lading", "https://www.google.com/maps/search/", "USDOT 5566778", "MC-778899", "tel:&#43;12025550100", `src="` + logo + `"`} {
			require.Contains(t, sheet, want)
		}
	})
}

func TestForms_KeepWhatWasEnteredAndReadAmountsAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		sent := d.offers(t, d.ready(t), nil, d.carrier(t, "Haul", 300))
		at := link(sent, "0")
		form := func(path string, values url.Values) moduletest.Response {
			return d.Call(t, "", http.MethodPost, at+path+"?fbclid=1", []byte(values.Encode()), "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html")
		}
		r := form("/accept", url.Values{"shown": {"1"}, "pickup_date": {day(3)}, "delivery_date": {day(6)}, "crew.driver_name": {"Bo Driver"}, "crew.driver_phone": {"12"}, "name": {"Bo"}, "accepted": {"true"}})
		require.Equal(t, http.StatusUnprocessableEntity, r.Status)
		for _, want := range []string{`action="accept"`, `value="Bo Driver"`, `value="` + day(3) + `"`, "Phone of the driver", `name="shown" value="1"`, " required"} {
			require.Contains(t, string(r.Body), want)
		}
		require.Contains(t, string(form("/counter", url.Values{"shown": {"1"}, "amount": {"$1,250"}}).OK(t).Body), "We have your counter")
		require.Equal(t, "1250.00", d.offer(t, sent, "0").Get("amount").String())
		page := d.Call(t, "", http.MethodGet, at+"?utm_source=sms&fbclid=1", nil, "Accept", "text/html").OK(t)
		require.Contains(t, string(page.Body), "We have your counter")
	})
}

func TestPhotos_OfVehiclesAreSeenByTheCarrierThatHasTheLoad(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load := d.ready(t)
		var picture bytes.Buffer
		require.NoError(t, png.Encode(&picture, image.NewRGBA(image.Rect(0, 0, 8, 8))))
		photo := d.SendForm(t, d.Owner.Token, files, "car.png", picture.Bytes(), "owner_type", "loads.load", "owner_uuid", idOf(load)).OK(t).Get("uuid").String()
		other := d.SendForm(t, d.Owner.Token, files, "desk.png", picture.Bytes(), "owner_type", "loads.load", "owner_uuid", idOf(load)).OK(t).Get("uuid").String()
		d.call(t, http.MethodPatch, load+"/vehicles/"+d.get(t, load).Get("vehicles.0.uuid").String(), object{"photo_uuids": []string{photo}}).OK(t)
		sent := d.offers(t, load, nil, d.carrier(t, "Haul", 300))
		at := link(sent, "0")
		require.NotContains(t, string(d.ask(t, http.MethodGet, at, nil).OK(t).Body), photo, "a carrier that is asked sees no photos")
		d.ask(t, http.MethodGet, at+"/photos/"+photo, nil).Refused(t, http.StatusConflict, "dispatches.no_load")
		d.yes(t, at, nil).OK(t)
		require.Contains(t, string(d.Call(t, "", http.MethodGet, at, nil, "Accept", "text/html").OK(t).Body), "/photos/"+photo)
		d.Eventually(t, func() bool { return d.ask(t, http.MethodGet, at+"/photos/"+photo, nil).Status == http.StatusOK }, "the photo is made small")
		d.ask(t, http.MethodGet, at+"/photos/"+other, nil).Refused(t, http.StatusNotFound, "dispatches.photo_not_found")
	})
}

func TestReminders_OfADispatchAreFewAndSayWhatIsNext(t *testing.T) {
	t.Parallel()
	onClock(t, func(t *testing.T, d desk, at *clock.Fake, _ func()) {
		dispatch, sheet := d.taken(t)
		made := d.post(t, dispatch+"/remind", object{"channels": []string{}}).OK(t)
		require.Equal(t, "1", made.Get("dispatch.reminders").Raw)
		d.ask(t, http.MethodGet, made.Get("link.url").String(), nil).OK(t)
		d.post(t, dispatch+"/remind", object{}).Refused(t, http.StatusTooManyRequests, "dispatches.reminded_recently")
		for range 4 {
			at.Advance(30 * time.Minute)
			d.post(t, dispatch+"/remind", object{"channels": []string{}}).OK(t)
		}
		at.Advance(time.Hour)
		d.post(t, dispatch+"/remind", object{}).Refused(t, http.StatusTooManyRequests, "dispatches.reminded_recently")
		d.ask(t, http.MethodPost, sheet+"/cancel", object{"reason": "breakdown"}).OK(t)
		d.post(t, dispatch+"/remind", object{}).Refused(t, http.StatusConflict, "dispatches.not_under_way")
		require.Equal(t, 5, count(d.EventNames(t, d.Owner), "dispatches.dispatch.reminded"))
	})
}

func TestOffer_IsExtendedAsLongAsItIsOpen(t *testing.T) {
	t.Parallel()
	onClock(t, func(t *testing.T, d desk, at *clock.Fake, _ func()) {
		sent := d.offers(t, d.ready(t), object{"expires_in_minutes": 60}, d.carrier(t, "Haul", 300))
		one := base + "/offers/" + sent.Get("offers.0.offer.uuid").String()
		at.Advance(50 * time.Minute)
		d.post(t, one+"/extend", object{"expires_in_minutes": 5}).Refused(t, http.StatusUnprocessableEntity, "dispatches.invalid_offer")
		require.JSONEq(t, `["offer","extend"]`, d.post(t, one+"/extend", object{}).OK(t).Get("transactions.#.type").Raw)
		at.Advance(50 * time.Minute)
		require.Equal(t, "2", d.ask(t, http.MethodGet, link(sent, "0"), nil).OK(t).Get("offer.shown").Raw)
		at.Advance(11 * time.Minute)
		d.post(t, one+"/extend", object{}).Refused(t, http.StatusConflict, "dispatches.offer_expired")
	})
}

func TestDispatch_IsOverdueUntilItsCarrierHasComeOrAnotherDayIsAgreed(t *testing.T) {
	t.Parallel()
	moduletest.Each(t, areas(), func(t *testing.T, boot func(...moduletest.Option) *moduletest.App) {
		t.Helper()
		var queue *jobs.Queue
		var db *database.DB
		at := clock.NewFake(clock.System{}.Now().AddDate(0, 0, -20))
		d := desk{boot(moduletest.With(fx.Decorate(func(clock.Clock) clock.Clock { return at }), fx.Populate(&queue, &db)))}
		made := d.post(t, base+"/dispatches", object{"load_uuid": idOf(d.readyIn(t, -20)), "carrier_pay": "900.00", "carrier_uuid": d.carrier(t, "Haul", 300), "pickup_date": day(-17), "delivery_date": day(-14)}).OK(t)
		dispatch := made.Header.Get("Location")
		late := func(want string) {
			d.Eventually(t, func() bool {
				require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error { return queue.Enqueue(ctx, dispatches.CheckOverdue{}) }))

				return d.get(t, dispatch).Get("overdue").String() == want
			}, "the dispatch is overdue: "+want)
		}
		require.Equal(t, "none", made.Get("overdue").String())
		at.Advance(5 * 24 * time.Hour)
		late("pickup")
		change := object{"pickup_date": day(-14), "delivery_date": day(-13)}
		require.Equal(t, "none", d.call(t, http.MethodPatch, dispatch, change).OK(t).Get("overdue").String(), "another day was agreed")
		at.Advance(5 * 24 * time.Hour)
		late("pickup")
		require.Equal(t, "none", d.post(t, dispatch+"/pick_up", object{}).OK(t).Get("overdue").String())
		late("delivery")
		require.Equal(t, "none", d.post(t, dispatch+"/deliver", object{}).OK(t).Get("overdue").String())
		require.Equal(t, 3, count(d.EventNames(t, d.Owner), "dispatches.dispatch.overdue"))
	})
}

func stringsOf(r gjson.Result) (all []string) {
	for _, one := range r.Array() {
		all = append(all, one.String())
	}

	return all
}

func count(all []string, one string) (n int) {
	for _, name := range all {
		if name == one {
			n++
		}
	}

	return n
}

// smallLogo is a PNG.
func smallLogo(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8))))

	return b.Bytes()
}
