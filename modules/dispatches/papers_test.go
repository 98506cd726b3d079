package dispatches_test

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"net/http"
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
		d.ask(t, http.MethodGet, at+"/documents/"+secret, nil).Refused(t, http.StatusNotFound, "dispatches.document_not_found")
		page := string(d.Call(t, "", http.MethodGet, at+"/documents", nil, "Accept", "text/html").OK(t).Body)
		require.Contains(t, page, "/documents/"+pass)
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
		made := d.post(t, base+"/dispatches", object{"load_uuid": idOf(d.readyIn(t, -20)), "carrier_uuid": d.carrier(t, "Haul", 300), "pickup_date": day(-17), "delivery_date": day(-14)}).OK(t)
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
