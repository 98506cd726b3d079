package dispatches_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/clock"
)

// said are the names of the events of offers, or of dispatches, without those of every write.
func (d desk) said(t *testing.T, of string) []string {
	t.Helper()

	return d.EventNames(t, d.Owner, "dispatches."+of+".")
}

func TestOffer_PublishesEachStepOfItsLife(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		sent := d.offers(t, d.ready(t), nil, d.carrier(t, "Haul", 300), d.carrier(t, "Tow", 300), d.carrier(t, "Slow", 300))
		offer := func(n string) string { return base + "/offers/" + sent.Get("offers."+n+".offer.uuid").String() }
		require.Equal(t, slices.Repeat([]string{"dispatches.offer.sent"}, 3), d.said(t, "offer"))
		told := func(names ...string) {
			t.Helper()
			require.Equal(t, names, d.said(t, "offer")[len(d.said(t, "offer"))-len(names):])
		}

		d.ask(t, http.MethodPost, link(sent, "0")+"/viewed", nil).OK(t)
		told("dispatches.offer.sent", "dispatches.offer.viewed")
		d.ask(t, http.MethodPost, link(sent, "0")+"/counter", object{"shown": 1, "amount": "990.00"}).OK(t)
		told("dispatches.offer.viewed", "dispatches.offer.countered")
		d.post(t, offer("0")+"/counter", object{"amount": "950.00", "shown": 2}).OK(t)
		told("dispatches.offer.countered", "dispatches.offer.replied")
		d.ask(t, http.MethodPost, link(sent, "2")+"/decline", object{"shown": 1, "note": "Too low"}).OK(t)
		told("dispatches.offer.replied", "dispatches.offer.declined")
		d.post(t, offer("1")+"/extend", object{}).OK(t)
		told("dispatches.offer.declined", "dispatches.offer.extended")
		d.post(t, offer("1")+"/withdraw", object{}).OK(t)
		told("dispatches.offer.extended", "dispatches.offer.withdrawn")
		d.post(t, offer("1")+"/reactivate", object{}).OK(t)
		told("dispatches.offer.withdrawn", "dispatches.offer.reactivated")
		require.Empty(t, d.said(t, "dispatch"))

		d.yes(t, link(sent, "0"), nil).OK(t)
		told("dispatches.offer.accepted", "dispatches.offer.superseded")
		require.Equal(t, []string{"dispatches.dispatch.accepted"}, d.said(t, "dispatch"))
		last := d.Events(t, d.Owner)
		accepted := last[slices.IndexFunc(last, func(e raised) bool { return e.Name == "dispatches.dispatch.accepted" })]
		require.Equal(t, d.offer(t, sent, "0").Get("dispatch_uuid").String(), accepted.Get("dispatch_uuid").String())
	})
}

func TestOffer_PublishesThatItExpiredAndThatTheAnswerWasLate(t *testing.T) {
	t.Parallel()
	onClock(t, func(t *testing.T, d desk, at *clock.Fake, expire func()) {
		sent := d.offers(t, d.ready(t), object{"expires_in_minutes": 60}, d.carrier(t, "Haul", 300))
		at.Advance(time.Hour)
		d.yes(t, link(sent, "0"), nil).Refused(t, http.StatusConflict, "dispatches.offer_expired")
		d.Eventually(t, func() bool {
			expire()

			return slices.Contains(d.said(t, "offer"), "dispatches.offer.expired")
		}, "the offer expires")
		require.ElementsMatch(t, []string{"dispatches.offer.sent", "dispatches.offer.late_response", "dispatches.offer.expired"}, d.said(t, "offer"))
	})
}

func TestDispatch_PublishesEachStepOfItsLife(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		_, at, page := d.given(t, 1)
		d.ask(t, http.MethodPost, page+"/update", object{"crew": object{"driver_name": "Bo"}}).OK(t)
		d.call(t, http.MethodPatch, at, object{"pickup_date": day(4)}).OK(t)
		d.post(t, at+"/pick_up", object{}).OK(t)
		d.post(t, at+"/deliver", object{}).OK(t)
		d.post(t, at+"/settle", nil).OK(t)
		require.Equal(t, []string{
			"dispatches.dispatch.accepted", "dispatches.dispatch.updated", "dispatches.dispatch.updated", "dispatches.dispatch.picked_up",
			"dispatches.dispatch.delivered", "dispatches.dispatch.settled",
		}, d.said(t, "dispatch"))
	})
}

// Only a carrier that gives a load back bounces it.
func TestDispatch_PublishesWhoEndedIt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		_, one, _ := d.given(t, 1)
		d.post(t, one+"/cancel", object{"reason": "broker"}).OK(t)
		require.Equal(t, []string{"dispatches.dispatch.accepted", "dispatches.dispatch.cancelled"}, d.said(t, "dispatch"))
		_, _, page := d.given(t, 1)
		d.ask(t, http.MethodPost, page+"/cancel", object{"reason": "breakdown"}).OK(t)
		require.Equal(t, []string{"dispatches.dispatch.accepted", "dispatches.dispatch.cancelled", "dispatches.dispatch.bounced"}, d.said(t, "dispatch")[2:])
		var by []string
		for _, e := range d.Events(t, d.Owner) {
			if e.Name == "dispatches.dispatch.cancelled" {
				by = append(by, e.Get("by").String())
			}
		}
		require.Equal(t, []string{"broker", "carrier"}, by)
	})
}
