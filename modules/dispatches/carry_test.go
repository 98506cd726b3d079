package dispatches_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/share"
)

// given is a load of some vehicles that a carrier has, with the path of its dispatch and of the carrier's page.
func (d desk) given(t *testing.T, vehicles int) (load, dispatch, page string) {
	t.Helper()
	load = d.ready(t)
	for range vehicles - 1 {
		d.post(t, load+"/vehicles", object{"vehicles": []object{{"make": "Honda", "model": "Accord", "type": "coupe", "tariff": "1100.00", "carrier_pay": "900.00"}}}).OK(t)
	}
	dispatch = d.post(t, base+"/dispatches", object{"load_uuid": idOf(load), "carrier_pay": d.payOf(t, idOf(load)), "carrier_uuid": d.carrier(t, "Haul", 300), "pickup_date": day(3), "delivery_date": day(6)}).OK(t).Header.Get("Location")

	return load, dispatch, d.post(t, dispatch+"/shares", object{}).OK(t).Get("url").String()
}

func TestCarrier_ChangesADispatchSoOftenAtMost(t *testing.T) {
	t.Parallel()
	moduletest.Each(t, areas(), func(t *testing.T, boot func(...moduletest.Option) *moduletest.App) {
		t.Helper()
		var given *share.Service
		d := desk{boot(moduletest.With(fx.Populate(&given)))}
		_, at, page := d.given(t, 1)
		say := func() moduletest.Response {
			return d.Call(t, "", http.MethodPost, page+"/update", object{"eta_pickup": day(3) + "T14:00"})
		}
		say().OK(t)
		ctx := principal.With(t.Context(), principal.ForCompany(d.Owner.ID))
		require.NoError(t, given.AllowEntries(ctx, "changes of "+idOf(at), 59, 60, 200))
		say().Refused(t, http.StatusTooManyRequests, "link.too_often")
	})
}

func TestDispatch_LeavesVehiclesThatWaitWhereTheyAre(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load, at, _ := d.given(t, 3)
		d.post(t, load+"/vehicles/"+d.get(t, load).Get("vehicles.0.uuid").String()+"/pick_up", object{}).OK(t)
		d.Eventually(t, func() bool { return d.get(t, at).Get("state").String() == "picked_up" }, "the dispatch follows the first vehicle")
		require.JSONEq(t, `["picked_up", "waiting", "waiting"]`, d.get(t, load).Get("vehicles.#.custody").Raw)
		d.post(t, at+"/pick_up", object{}).OK(t)
		require.JSONEq(t, `["picked_up", "picked_up", "picked_up"]`, d.get(t, load).Get("vehicles.#.custody").Raw, "who says so of the dispatch says it of the rest")
	})
}

func TestDispatch_IsAcceptedAgainOnceItsVehiclesWerePutBack(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load, at, _ := d.given(t, 2)
		d.post(t, at+"/pick_up", object{}).OK(t)
		putBack := func(n string) {
			d.post(t, load+"/vehicles/"+d.get(t, load).Get("vehicles."+n+".uuid").String()+"/put_back", object{"reason": "It was the wrong car"}).OK(t)
		}
		putBack("0")
		require.Equal(t, "picked_up", d.get(t, load).Get("state").String(), "the other one is on the way")
		putBack("1")
		d.Eventually(t, func() bool { return d.get(t, at).Get("state").String() == "accepted" }, "the dispatch follows")
		require.Empty(t, d.get(t, at).Get("picked_up_at").String())
		require.Contains(t, d.EventNames(t, d.Owner), "dispatches.dispatch.put_back")
		d.post(t, at+"/cancel", object{"reason": "breakdown"}).OK(t)
		require.Equal(t, "ready", d.get(t, load).Get("state").String())
	})
}

func TestDispatch_IsOnItsWayAgainOnceItsLoadWasReopened(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load, at, _ := d.given(t, 1)
		d.post(t, at+"/pick_up", object{}).OK(t)
		d.post(t, at+"/deliver", object{}).OK(t)
		d.post(t, load+"/reopen", object{"reason": "It stands at the wrong dealer"}).OK(t)
		d.Eventually(t, func() bool { return d.get(t, at).Get("state").String() == "picked_up" }, "the dispatch follows")
		require.Empty(t, d.get(t, at).Get("delivered_at").String())
		require.Contains(t, d.EventNames(t, d.Owner), "dispatches.dispatch.reopened")
		d.post(t, at+"/deliver", object{}).OK(t)
		require.Equal(t, "delivered", d.get(t, load).Get("state").String())

		d.post(t, at+"/settle", object{}).OK(t)
		d.post(t, load+"/reopen", object{"reason": "Once more"}).OK(t)
		d.post(t, load+"/deliver", object{}).OK(t)
		require.Equal(t, "settled", d.get(t, at).Get("state").String(), "what was paid stays")
	})
}

func TestCarrier_SaysWhatItHasCollectedFromThePickupOnAndOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load, at, page := d.given(t, 1)
		part := object{"amount": "400.00", "method": "cash"}
		d.ask(t, http.MethodPost, page+"/collected", part).Refused(t, http.StatusConflict, "dispatches.not_picked_up")
		d.post(t, at+"/pick_up", object{}).OK(t)
		for range 2 {
			d.ask(t, http.MethodPost, page+"/collected", part).OK(t)
		}
		require.Equal(t, "500.00", d.get(t, load).Get("carrier_balance").String(), "a second tap is no second payment")
		exact := d.ask(t, http.MethodPost, page+"/collected", object{"amount": "10.001"}).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		require.Contains(t, exact.Get("errors.amount.0").String(), "decimals")
		d.ask(t, http.MethodPost, page+"/collected", object{"amount": "400.00", "method": "check"}).OK(t)
		d.ask(t, http.MethodPost, page+"/collected", object{}).OK(t)
		d.ask(t, http.MethodPost, page+"/collected", object{}).Refused(t, http.StatusConflict, "loads.nothing_to_collect")
		require.Equal(t, "0.00", d.get(t, load).Get("carrier_balance").String())
	})
}

func TestDispatch_SaysWhichTermsItsCarrierHasAccepted(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		sent := d.offers(t, d.ready(t), nil, d.carrier(t, "Haul", 300))
		d.yes(t, link(sent, "0"), nil).OK(t)
		page, o := link(sent, "0"), d.offer(t, sent, "0")
		at := base + "/dispatches/" + o.Get("dispatch_uuid").String()
		d.call(t, http.MethodPut, loadsPath+"/"+o.Get("load_uuid").String()+"/price", object{"carrier_pay": "100.00"}).OK(t)
		d.Eventually(t, func() bool { return d.get(t, at).Get("revision").Int() == 2 }, "the pay has changed")
		require.Equal(t, int64(1), d.get(t, at).Get("accepted_revision").Int())
		require.Contains(t, string(d.Call(t, "", http.MethodGet, page, nil, "Accept", "text/html").OK(t).Body), "Accept the new terms")

		d.ask(t, http.MethodPost, page+"/confirm", object{"revision": 1, "name": "Bo", "accepted": true}).Refused(t, http.StatusConflict, "dispatches.terms_changed")
		d.ask(t, http.MethodPost, page+"/confirm", object{"revision": 2, "name": " ", "accepted": false}).Refused(t, http.StatusUnprocessableEntity, "dispatches.invalid_answer")
		now := d.ask(t, http.MethodPost, page+"/confirm", object{"revision": 2, "name": "Cy Ray", "accepted": true}).OK(t)
		require.Equal(t, int64(2), now.Get("dispatch.accepted_revision").Int())
		require.Equal(t, "Cy Ray", d.get(t, at).Get("accepted_by").String())
		require.Contains(t, d.EventNames(t, d.Owner), "dispatches.dispatch.confirmed")
	})
}

func TestDispatch_OfALoadThatWasTakenBackIsOverAtOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load, at, page := d.given(t, 1)
		d.post(t, load+"/uncover", nil).OK(t)
		require.Equal(t, http.StatusConflict, d.post(t, at+"/pick_up", object{}).Status)
		require.Equal(t, http.StatusConflict, d.ask(t, http.MethodPost, page+"/collected", object{"amount": "1.00"}).Status)
		require.Equal(t, "ready", d.get(t, load).Get("state").String())
		d.post(t, base+"/dispatches", object{"load_uuid": idOf(load), "carrier_pay": d.payOf(t, idOf(load)), "carrier_uuid": d.carrier(t, "Tow", 300)}).OK(t)
		require.Equal(t, "cancelled_by_broker", d.get(t, at).Get("state").String())
	})
}

func TestDispatch_KeepsDaysAndTimesThatCanBe(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		_, at, page := d.given(t, 1)
		for _, wrong := range []object{{"pickup_date": "2020-01-01"}, {"pickup_date": day(7)}, {"pickup_date": nil}, {"delivery_date": day(13)}, {"pickup_date": day(6), "delivery_date": day(5)}} {
			d.call(t, http.MethodPatch, at, wrong).Refused(t, http.StatusUnprocessableEntity, "dispatches.dates_outside_window")
		}
		hours := func(n time.Duration) string {
			return clock.System{}.Now().Add(n * time.Hour).UTC().Format(time.RFC3339)
		}
		for _, wrong := range []object{{"eta_pickup": "2020-01-01T00:00:00Z"}, {"eta_pickup": hours(48), "eta_delivery": hours(24)}} {
			d.call(t, http.MethodPatch, at, wrong).Refused(t, http.StatusUnprocessableEntity, "dispatches.invalid_dispatch")
			d.ask(t, http.MethodPost, page+"/update", wrong).Refused(t, http.StatusUnprocessableEntity, "dispatches.invalid_update")
		}
		d.call(t, http.MethodPatch, at, object{"pickup_date": day(2), "delivery_date": day(4), "eta_pickup": hours(24), "eta_delivery": hours(48)}).OK(t)
		d.post(t, at+"/pick_up", object{"at": hours(-1)}).OK(t)
		d.post(t, at+"/deliver", object{"at": hours(-2)}).Refused(t, http.StatusUnprocessableEntity, "dispatches.invalid_dispatch")
		d.post(t, at+"/deliver", object{}).OK(t)
	})
}

// A dispatch is delivered once all its vehicles were picked up, as its load is.
func TestDispatch_IsDeliveredOncePickedUp(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load, at, _ := d.given(t, 1)
		refused := d.post(t, at+"/deliver", object{}).Refused(t, http.StatusConflict, "loads.vehicles_waiting")
		require.Contains(t, refused.Get("message").String(), "Not picked up yet: ")
		require.Equal(t, []string{"dispatched", "accepted"}, []string{d.get(t, load).Get("state").String(), d.get(t, at).Get("state").String()})
		d.post(t, at+"/pick_up", object{}).OK(t)
		d.post(t, at+"/deliver", object{}).OK(t)
		require.Equal(t, "delivered", d.get(t, load).Get("state").String())
	})
}

func TestDispatch_ThatWasCanceledOtherwiseStaysSo(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		_, at, _ := d.given(t, 1)
		back := object{"reason": "breakdown"}
		d.post(t, at+"/cancel_by_carrier", back).OK(t)
		d.post(t, at+"/cancel_by_carrier", back).OK(t)
		d.post(t, at+"/cancel", back).Refused(t, http.StatusConflict, "dispatches.cancelled")
		d.post(t, at+"/abandon", object{"reason": "breakdown", "note": "x", "place": object{"postal_code": "39401"}}).Refused(t, http.StatusConflict, "dispatches.cancelled")
		require.Equal(t, "cancelled_by_carrier", d.get(t, at).Get("state").String())
	})
}

func TestOffer_IsCounteredWithDaysThatCanBe(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load, hauler := d.ready(t), d.carrier(t, "Haul", 300)
		sent := d.offers(t, load, nil, hauler)
		d.ask(t, http.MethodPost, link(sent, "0")+"/counter", object{"shown": 1, "pickup_date": "2020-01-01"}).Refused(t, http.StatusUnprocessableEntity, "dispatches.dates_outside_window")
		d.ask(t, http.MethodPost, link(sent, "0")+"/decline", object{"shown": 1}).OK(t)

		d.call(t, http.MethodPatch, load, object{"stops": []object{
			{"kind": "pickup", "venue": object{"postal_code": "75201"}}, {"kind": "delivery", "venue": object{"postal_code": "33101"}},
		}}).OK(t)
		d.post(t, base+"/offers", object{"load_uuid": idOf(load), "carrier_uuids": []string{hauler}, "pickup_date": "2020-01-01"}).Refused(t, http.StatusUnprocessableEntity, "dispatches.dates_outside_window")
	})
}

func TestTransitions_AreThoseThatAreTaken(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load := d.ready(t)
		sent := d.offers(t, load, nil, d.carrier(t, "Haul", 300))
		one := base + "/offers/" + sent.Get("offers.0.offer.uuid").String()
		verbs := func(path string) []string { return stringsOf(d.get(t, path+"/transitions").Get("data.#.verb")) }
		require.NotContains(t, verbs(one), "counter", "it is the carrier's turn")
		d.ask(t, http.MethodPost, link(sent, "0")+"/counter", object{"shown": 1, "amount": "990.00"}).OK(t)
		require.Contains(t, verbs(one), "counter")
		d.post(t, one+"/counter", object{"amount": "950.00", "shown": 2}).OK(t)
		at := base + "/dispatches/" + d.post(t, one+"/accept", object{"shown": 3, "note": "On the phone"}).OK(t).Get("dispatch_uuid").String()
		require.Equal(t, "950.00", d.get(t, at).Get("carrier_pay").String(), "the company accepts for the carrier")

		require.Contains(t, verbs(at), "cancel")
		require.NotContains(t, verbs(at), "take_back")
		d.post(t, at+"/pick_up", object{}).OK(t)
		require.Contains(t, verbs(at), "abandon")
		require.NotContains(t, verbs(at), "cancel")
		d.post(t, at+"/abandon", object{"reason": "breakdown", "note": "  ", "place": object{"postal_code": "39401"}}).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
	})
}

// The office may be quicker than the event of the pickup: what it decides is decided on the load.
func TestAbandon_IsDecidedOnTheLoadAsItStands(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		for range 5 {
			load := d.ready(t)
			at := d.post(t, base+"/dispatches", object{"load_uuid": idOf(load), "carrier_pay": "900.00", "carrier_uuid": d.carrier(t, "Haul", 300)}).OK(t).Header.Get("Location")
			d.post(t, load+"/pick_up", object{}).OK(t)
			gone := d.post(t, at+"/abandon", object{"reason": "breakdown", "note": "The axle broke", "place": object{"postal_code": "39401"}}).OK(t)
			require.NotEmpty(t, gone.Get("picked_up_at").String())
			require.Equal(t, "ready", d.get(t, load).Get("state").String())
		}
	})
}
