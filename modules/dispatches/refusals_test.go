package dispatches_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/jobs/jobstest"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

type raised = moduletest.Raised

func TestSettings_HaveOneReasonForEachID(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		before := d.get(t, base+"/settings").Get("cancel_reasons").Raw
		twice := []object{{"id": "flat", "label": "Flat tire"}, {"id": "flat", "label": "Another"}}
		refused := d.call(t, http.MethodPatch, base+"/settings", object{"cancel_reasons": twice}).Refused(t, http.StatusUnprocessableEntity, "dispatches.invalid_settings")
		require.Equal(t, "Another reason has this id.", refused.Get(`errors.cancel_reasons\.1\.id.0`).String())
		require.JSONEq(t, before, d.get(t, base+"/settings").Get("cancel_reasons").Raw)
	})
}

func TestCounter_ComesSoOftenAtMost(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		d.call(t, http.MethodPatch, base+"/settings", object{"max_rounds": 1}).OK(t)
		sent := d.offers(t, d.ready(t), nil, d.carrier(t, "Haul", 300))
		one := base + "/offers/" + sent.Get("offers.0.offer.uuid").String()
		d.ask(t, http.MethodPost, link(sent, "0")+"/counter", object{"shown": 1, "amount": "990.00"}).OK(t)
		d.post(t, one+"/counter", object{"amount": "950.00", "shown": 2}).OK(t)
		d.ask(t, http.MethodPost, link(sent, "0")+"/counter", object{"shown": 3, "amount": "980.00"}).Refused(t, http.StatusConflict, "dispatches.rounds_used_up")
		require.Equal(t, "950.00", d.get(t, one).Get("amount").String())
		require.Equal(t, []string{"dispatches.offer.sent", "dispatches.offer.countered", "dispatches.offer.replied"}, d.said(t, "offer"))
	})
}

// The load is taken back at once; the dispatch ends when the event of the load arrives. Until then, the carrier cannot go on with it.
func TestDispatch_OfALoadThatWasTakenBackGoesNoFurther(t *testing.T) {
	t.Parallel()
	moduletest.Each(t, areas(), func(t *testing.T, boot func(...moduletest.Option) *moduletest.App) {
		t.Helper()
		busy := jobstest.New()
		d := desk{boot(moduletest.With(busy.Options()), moduletest.Set("jobs.workers=1", "jobs.outside_workers=1"))}
		load, at, page := d.given(t, 1)
		busy.Begin(t)
		d.post(t, load+"/uncover", nil).OK(t)
		d.post(t, at+"/pick_up", object{}).Refused(t, http.StatusConflict, "dispatches.taken_back")
		d.ask(t, http.MethodPost, page+"/collected", object{"amount": "1.00"}).Refused(t, http.StatusConflict, "dispatches.no_load")
		require.Equal(t, "ready", d.get(t, load).Get("state").String())
		require.Equal(t, []string{"dispatches.dispatch.accepted"}, d.said(t, "dispatch"))
	})
}

func TestLink_OfAnOfferWhoseTurnHasNotComeIsClosed(t *testing.T) {
	t.Parallel()
	onClock(t, func(t *testing.T, d desk, _ *clock.Fake, _ func()) {
		sent := d.offers(t, d.ready(t), object{"mode": "sequential", "channels": []string{"email"}}, d.carrier(t, "Haul", 300), d.carrier(t, "Tow", 300))
		second := base + "/offers/" + sent.Get("offers.1.offer.uuid").String()
		share := d.post(t, second+"/shares", object{}).OK(t).Get("url").String()
		d.ask(t, http.MethodGet, share, nil).Refused(t, http.StatusNotFound, "dispatches.link_closed")
		d.ask(t, http.MethodPost, share+"/accept", object{"shown": 1, "name": "Bo", "accepted": true}).Refused(t, http.StatusNotFound, "dispatches.link_closed")
		require.Equal(t, "queued", d.get(t, second).Get("state").String())
		d.ask(t, http.MethodPost, link(sent, "0")+"/decline", object{"shown": 1}).OK(t)
		require.Equal(t, "offered", d.ask(t, http.MethodGet, share, nil).OK(t).Get("offer.state").String())
	})
}
