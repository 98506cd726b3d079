package billsoflading_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestPaper_HasNoCodeWhileThePortalForCustomersIsOff(t *testing.T) {
	t.Parallel()
	const host = "https://dispatch.example"
	moduletest.BootEach(t, areas(), func(t *testing.T, a *moduletest.App) {
		d := desk{a}
		h := d.covered(t, "standard")
		h.link = strings.TrimPrefix(h.link, host)
		d.call(t, http.MethodPatch, "/companies/api/v1/portals/customers", object{"on": false}).OK(t)
		h.enter(t, "inspections", object{}).OK(t)
		h.enter(t, "submissions", object{}).OK(t)
		h.sign(t, "pickup", "driver", object{"method": "drawn", "strokes": "M10 10L20 15L30 12"}).OK(t)
		h.sign(t, "pickup", "releasing", object{"method": "not_available", "reason": "Night drop"}).OK(t)
		d.Eventually(t, func() bool { return d.get(t, h.bol).Get("pickup_document_uuid").String() != "" }, "it is printed all the same")
		require.Zero(t, d.get(t, h.bol+"/shares").Get("data.#").Int())
		d.post(t, h.bol+"/shares", object{}).Refused(t, http.StatusConflict, "link.portal_off")
	}, moduletest.Set("web.base_url="+host))
}

func TestCarrierPage_CreatesNoDriverLinkWhileThePortalForDriversIsOff(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "standard")
		const dispatch = "/dispatches/api/v1/dispatches"
		d.Eventually(t, func() bool { return d.get(t, dispatch).Get("data.#").Int() == 1 }, "there is a dispatch")
		sheet := d.post(t, dispatch+"/"+d.get(t, dispatch).Get("data.0.uuid").String()+"/remind", object{"channels": []string{}}).OK(t).Get("link.url").String()
		d.call(t, http.MethodPatch, "/companies/api/v1/portals/drivers", object{"on": false}).OK(t)
		h.ask(t, http.MethodGet, h.link, nil).Refused(t, http.StatusNotFound, "link.unavailable")
		refused := h.ask(t, http.MethodPost, sheet+"/driver_links", object{}).Refused(t, http.StatusConflict, "link.portal_off")
		require.NotContains(t, refused.Get("message").String(), "PATCH", "how to switch it on is said to the company alone")
		page := h.Call(t, "", http.MethodPost, sheet+"/driver_links", "", "Accept", "text/html", "Content-Type", "application/x-www-form-urlencoded")
		require.Contains(t, string(page.Body), "Links for drivers are switched off at the moment.")
	})
}
