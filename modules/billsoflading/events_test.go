package billsoflading_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/jobs/jobstest"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// said are the names of the events of bills of lading, without those of every write.
func (d desk) said(t *testing.T, prefixes ...string) []string {
	t.Helper()

	return d.EventNames(t, d.Owner, prefixes...)
}

func TestBOL_PublishesEachStepOfItsLife(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "standard")
		h.enter(t, "damages", object{"code": "sc", "side": "left", "x": 500, "y": 300}).OK(t)
		for _, stage := range []string{"pickup", "delivery"} {
			h.enter(t, "submissions", object{"stage": stage}).OK(t)
			h.sign(t, stage, "driver", nil).OK(t)
			h.sign(t, stage, map[string]string{"pickup": "releasing", "delivery": "receiving"}[stage], nil).OK(t)
		}
		d.Eventually(t, func() bool { return d.get(t, h.bol).Get("state").String() == "closed" }, "it is printed, and closed")

		require.Equal(t, []string{
			"bills_of_lading.bol.issued", "bills_of_lading.bol.signed", "bills_of_lading.bol.signed", "bills_of_lading.bol.pickup_signed",
			"bills_of_lading.bol.signed", "bills_of_lading.bol.signed", "bills_of_lading.bol.delivery_signed", "bills_of_lading.bol.closed",
		}, d.said(t, "bills_of_lading.bol.issued", "bills_of_lading.bol.signed", "bills_of_lading.bol.pickup_", "bills_of_lading.bol.delivery_", "bills_of_lading.bol.closed"))
		require.Equal(t, []string{"bills_of_lading.damage.recorded", "bills_of_lading.inspection.submitted", "bills_of_lading.inspection.submitted"},
			d.said(t, "bills_of_lading.damage.", "bills_of_lading.inspection."))
	})
}

func TestDriver_PublishesWhereItIs(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "standard")
		at := clock.System{}.Now().UTC().Truncate(time.Second).Format(time.RFC3339)
		h.ask(t, http.MethodPost, h.link+"/positions", object{"positions": []object{{"at": at, "position": object{"lat": 32.78, "lng": -96.8}}}}).OK(t)
		require.Equal(t, []string{"bills_of_lading.driver.located"}, d.said(t, "bills_of_lading.driver."))
	})
}

// The driver goes on with the one that replaces it.
func TestBOL_ThatIsVoidIsClosedToAll(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "standard")
		sign := d.post(t, h.bol+"/sign_links", object{}).OK(t).Get("url").String()
		shared := d.post(t, h.bol+"/shares", object{}).OK(t).Get("url").String()
		h.ask(t, http.MethodPost, h.link+"/sign_links", object{"bol_uuid": h.vehicles[0]}).Refused(t, http.StatusNotFound, "bills_of_lading.link_closed")
		d.post(t, h.bol+"/void", object{"reason": "Wrong terms"}).OK(t)
		require.Equal(t, []string{"bills_of_lading.bol.issued", "bills_of_lading.bol.voided", "bills_of_lading.bol.issued"}, d.said(t, "bills_of_lading.bol.issued", "bills_of_lading.bol.voided"))

		h.ask(t, http.MethodGet, sign, nil).Refused(t, http.StatusNotFound, "link.revoked")
		h.ask(t, http.MethodGet, shared, nil).Refused(t, http.StatusNotFound, "bills_of_lading.link_closed")
		h.ask(t, http.MethodGet, h.link, nil).OK(t)
		d.post(t, h.bol+"/amend", object{"text": "x", "reason": "y"}).Refused(t, http.StatusConflict, "bills_of_lading.void")
		d.post(t, h.bol+"/sign_links", object{}).Refused(t, http.StatusConflict, "bills_of_lading.void")
		d.post(t, h.bol+"/damages", object{"vehicle_uuid": h.vehicles[0], "stage": "pickup", "code": "sc"}).Refused(t, http.StatusConflict, "bills_of_lading.void")
		d.post(t, h.bol+"/signatures", object{"stage": "pickup", "role": "releasing", "name": "Ann"}).Refused(t, http.StatusConflict, "bills_of_lading.void")
	})
}

func TestBOL_IsOfALoadThatACarrierHas(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load := d.scene().Ready(t, nil)
		d.post(t, base+"/bols", object{"load_uuid": idOf(load)}).Refused(t, http.StatusConflict, "bills_of_lading.no_carrier")
		d.post(t, base+"/loads/"+idOf(load)+"/driver_links", object{}).Refused(t, http.StatusConflict, "bills_of_lading.no_carrier")
		d.post(t, base+"/trips/"+idOf(load)+"/driver_links", object{}).Refused(t, http.StatusNotFound, "bills_of_lading.trip_not_found")
		require.Empty(t, d.said(t, "bills_of_lading."))
	})
}

func TestInspection_OfTheAIAGTakesItsCodesAlone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "aiag")
		h.enter(t, "damages", object{"code": "sc", "code_system": "letters"}).OK(t)
		refused := h.enter(t, "submissions", object{}).Refused(t, http.StatusUnprocessableEntity, "bills_of_lading.code_needed")
		require.Contains(t, refused.Get("errors.code.0").String(), "AIAG M-22")
		require.Empty(t, d.said(t, "bills_of_lading.inspection."))
	})
}

// The load is taken back at once; its bill of lading is void when the event of the load arrives. Until then, nobody signs it.
func TestSignature_OfALoadThatWasTakenBackIsRefused(t *testing.T) {
	t.Parallel()
	moduletest.Each(t, areas(), func(t *testing.T, boot func(...moduletest.Option) *moduletest.App) {
		t.Helper()
		busy := jobstest.New()
		d := desk{boot(moduletest.With(busy.Options()), moduletest.Set("jobs.workers=1", "jobs.outside_workers=1"))}
		h := d.covered(t, "standard")
		h.enter(t, "submissions", object{}).OK(t)
		busy.Begin(t)
		d.post(t, h.load+"/uncover", nil).OK(t)
		h.sign(t, "pickup", "driver", nil).Refused(t, http.StatusConflict, "bills_of_lading.taken_back")
		require.Equal(t, "ready", d.get(t, h.load).Get("state").String())
		require.Empty(t, d.said(t, "bills_of_lading.bol.signed"))
	})
}
