package dispatches_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/clock"
)

// robot is the uuid of a carrier for which a robot answers.
func (d desk) robot(t *testing.T, name string) string {
	t.Helper()
	id := d.carrier(t, name, 300)
	d.call(t, http.MethodPatch, "/carriers/api/v1/carriers/"+id, object{"email": name + "@sandbox.test"}).OK(t)

	return id
}

func TestRobots_AnswerWhereTheCompanyHasSwitchedThemOn(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load := d.ready(t)
		sent := d.offers(t, load, nil, d.robot(t, "decline"))
		d.post(t, base+"/offers/"+sent.Get("offers.0.offer.uuid").String()+"/withdraw", object{}).OK(t)
		d.call(t, http.MethodPatch, base+"/settings", object{"sandbox_carriers": true}).OK(t)
		sent = d.offers(t, load, nil, d.robot(t, "silent"), d.robot(t, "counter"))
		one := base + "/offers/" + sent.Get("offers.1.offer.uuid").String()
		d.Eventually(t, func() bool { return d.get(t, one).Get("amount").String() == "990.00" }, "it asks for a tenth more")
		d.post(t, one+"/counter", object{"amount": "950.00", "shown": 2}).OK(t)
		d.Eventually(t, func() bool { return d.get(t, one).Get("state").String() == "accepted" }, "it accepts the second one")
		require.Equal(t, "superseded", d.offer(t, sent, "0").Get("state").String())
		require.Equal(t, "950.00", d.get(t, load).Get("carrier_pay").String())

		again := d.ready(t)
		sent = d.offers(t, again, nil, d.robot(t, "double"), d.robot(t, "decline2"))
		d.Eventually(t, func() bool { return d.get(t, again).Get("state").String() == "dispatched" }, "it accepts from two browsers")
		require.Equal(t, int64(1), d.get(t, base+"/dispatches?filter[load_uuid]="+idOf(again)).Get("data.#").Int())
		require.Equal(t, "superseded", d.offer(t, sent, "1").Get("state").String())
	})
}

func TestRobots_AnswerLateAndGiveLoadsBack(t *testing.T) {
	t.Parallel()
	onClock(t, func(t *testing.T, d desk, at *clock.Fake, expire func()) {
		load := d.ready(t)
		d.call(t, http.MethodPatch, base+"/settings", object{"sandbox_carriers": true}).OK(t)
		sent := d.offers(t, load, object{"expires_in_minutes": 30}, d.robot(t, "late"), d.robot(t, "decline"))
		d.Eventually(t, func() bool { return d.offer(t, sent, "1").Get("state").String() == "declined" }, "it declines")
		at.Advance(31 * time.Minute)
		d.Eventually(t, func() bool {
			expire()

			return d.offer(t, sent, "0").Get("late_response_at").String() != ""
		}, "it accepts too late")
		require.Equal(t, "ready", d.get(t, load).Get("state").String())
		sent = d.offers(t, load, nil, d.robot(t, "cancel"))
		d.Eventually(t, func() bool { return d.offer(t, sent, "0").Get("state").String() == "accepted" }, "it accepts")
		d.Eventually(t, func() bool { return d.get(t, load).Get("state").String() == "ready" }, "it gives the load back a day later")
		require.Equal(t, "cancelled_by_carrier", d.get(t, base+"/dispatches").Get("data.0.state").String())
	})
}
