package dispatches_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

const companiesPath = "/companies/api/v1"

func TestCarrierLinks_AreHeldByTheCarrierOfTheOffer(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		haul, tow := d.carrier(t, "Haul", 300), d.carrier(t, "Tow", 300)
		sent := d.offers(t, d.ready(t), nil, haul, tow)
		held := d.get(t, companiesPath+"/links?filter[portal]=carriers&filter[holder_uuid]="+haul).Get("data")
		require.Equal(t, int64(1), held.Get("#").Int())
		require.Equal(t, []string{"dispatches.carrier", "carriers.carrier"}, []string{held.Get("0.purpose").String(), held.Get("0.holder_type").String()})

		require.Equal(t, int64(1), d.post(t, companiesPath+"/links/revoke", object{"holder_uuid": haul}).OK(t).Get("revoked").Int())
		d.ask(t, http.MethodGet, link(sent, "0"), nil).Refused(t, http.StatusNotFound, "link.revoked")
		d.ask(t, http.MethodGet, link(sent, "1"), nil).OK(t)
	})
}

func TestOffers_AreRefusedWhileThePortalForCarriersIsOff(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load, haul := d.ready(t), d.carrier(t, "Haul", 300)
		open := d.offers(t, load, nil, haul)
		d.call(t, http.MethodPatch, companiesPath+"/portals/carriers", object{"on": false}).OK(t)
		d.ask(t, http.MethodGet, link(open, "0"), nil).Refused(t, http.StatusNotFound, "link.unavailable")
		offer := object{"load_uuid": idOf(d.ready(t)), "carrier_uuids": []string{haul}, "amount": "900.00"}
		require.Equal(t, "link.portal_off", d.post(t, base+"/offers", offer).Get("code").String())
		d.call(t, http.MethodPatch, companiesPath+"/portals/carriers", object{"on": true}).OK(t)
		d.ask(t, http.MethodGet, link(open, "0"), nil).OK(t)
	})
}
