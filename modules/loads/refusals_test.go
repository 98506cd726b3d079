package loads_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/dispatches"
	"github.com/dispatchd/dispatchd/modules/walks/scene"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestLoad_HasAnExternalIDOfItsOwn(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		body := o.sold(car("1100.00", "900.00"))
		body["external_id"] = "A-7"
		o.made(t, body)
		o.post(t, loadsPath, body).Refused(t, http.StatusConflict, "loads.external_id_taken")
		require.Equal(t, []string{"loads.load.created"}, o.EventNames(t, o.Owner, "loads.load."))
	})
}

func TestCover_NeedsACarrier(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		load := scene.Of(o.App).Ready(t, nil)
		refused := o.post(t, load+"/cover", object{"carrier_pay": "900.00"}).Refused(t, http.StatusUnprocessableEntity, "loads.carrier_required")
		require.NotEmpty(t, refused.Get("errors.carrier_uuid.0").String())
		require.Equal(t, "ready", o.get(t, load).Get("state").String())
	})
}

func TestQuote_NeedsAPrice(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		load := o.made(t, o.sold(object{"year": 2003, "make": "Honda", "model": "Accord"}))
		o.post(t, load+"/quote", nil).Refused(t, http.StatusConflict, "loads.no_price")
		require.Equal(t, "lead", o.get(t, load).Get("state").String())
		require.Equal(t, []string{"loads.load.created"}, o.EventNames(t, o.Owner, "loads.load."))
	})
}

func TestSource_HasOneEntryForEachLabel(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		twice := []object{{"label": "Vehicle", "field": "vehicle"}, {"label": "Vehicle", "field": "notes"}}
		refused := o.post(t, base+"/sources", object{"name": "Form", "labels": twice}).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_source")
		require.Equal(t, "Another entry has this label.", refused.Get(`errors.labels\.1\.label.0`).String())
		require.Empty(t, o.get(t, base+"/sources").Get("data").Array())
	})
}

func TestShare_OfADeletedLoadIsClosed(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		load := o.made(t, o.sold(car("1100.00", "900.00")))
		link := o.post(t, load+"/shares", object{}).OK(t).Get("url").String()
		o.Call(t, "", http.MethodGet, link, nil).OK(t)
		o.call(t, http.MethodDelete, load, nil).OK(t)
		o.Call(t, "", http.MethodGet, link, nil).Refused(t, http.StatusNotFound, "loads.share_closed")
	})
}

// What other areas do with loads is refused by the area's own errors.
func TestCarrier_IsGivenOnlyALoadThatIsReadyForOne(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, append(areas(), dispatches.Module), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		s, o := scene.Of(a), office{App: a}
		hauler := s.Carrier(t, nil)
		give := func(load, pay string) moduletest.Response {
			return o.post(t, "/dispatches/api/v1/dispatches", object{"load_uuid": o.get(t, load).Get("uuid").String(), "carrier_uuid": hauler, "carrier_pay": pay})
		}
		refused := give(s.Load(t, nil), "900.00").Refused(t, http.StatusConflict, "loads.not_for_carriers")
		require.Equal(t, "lead", refused.Get("details.state").String())

		load := s.Ready(t, nil)
		o.post(t, load+"/charges", object{"kind": "storage", "amount": "75.00", "payee": "carrier"}).OK(t)
		give(load, "50.00").Refused(t, http.StatusConflict, "loads.pay_below_charges")
		require.Equal(t, "ready", o.get(t, load).Get("state").String())
		require.Empty(t, a.EventNames(t, a.Owner, "loads.load.covered"))

		dispatch := give(load, "900.00").OK(t).Header.Get("Location")
		o.post(t, dispatch+"/abandon", object{"reason": "breakdown", "note": "Engine", "place": object{"postal_code": "39401"}}).
			Refused(t, http.StatusConflict, "loads.not_on_board")
		require.Equal(t, []string{"loads.load.covered"}, a.EventNames(t, a.Owner, "loads.load.covered", "loads.load.handed_over"))

		o.post(t, dispatch+"/pick_up", object{}).OK(t)
		page := o.post(t, dispatch+"/shares", object{}).OK(t).Get("url").String()
		a.Call(t, "", http.MethodPost, page+"/collected", object{"amount": "1.00"})
		o.post(t, dispatch+"/abandon", object{"reason": "breakdown", "note": "Engine", "place": object{"postal_code": "39401"}}).OK(t)
		require.Equal(t, []string{"loads.load.covered", "loads.load.picked_up", "loads.load.handed_over"},
			a.EventNames(t, a.Owner, "loads.load.covered", "loads.load.picked_up", "loads.load.handed_over"))
	})
}

func TestCollection_IsOfWhatTheCustomerOwesTheCarrier(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, append(areas(), dispatches.Module), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		s, o := scene.Of(a), office{App: a}
		load := s.Load(t, nil)
		o.post(t, load+"/payment_plan/propose", object{"template": "full_pay"}).OK(t)
		s.Clear(t, load)
		dispatch := o.post(t, "/dispatches/api/v1/dispatches", object{
			"load_uuid": o.get(t, load).Get("uuid").String(), "carrier_uuid": s.Carrier(t, nil), "carrier_pay": "900.00",
		}).OK(t).Header.Get("Location")
		o.post(t, dispatch+"/pick_up", object{}).OK(t)
		page := o.post(t, dispatch+"/shares", object{}).OK(t).Get("url").String()
		a.Call(t, "", http.MethodPost, page+"/collected", object{"amount": "1.00"}).Refused(t, http.StatusConflict, "loads.nothing_to_collect")
		require.Empty(t, a.EventNames(t, a.Owner, "loads.payment."))
	})
}
