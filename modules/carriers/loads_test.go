package carriers_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/loads"
	"github.com/dispatchd/dispatchd/modules/routeengine"
	"github.com/dispatchd/dispatchd/modules/vehicles"
	"github.com/dispatchd/dispatchd/modules/walks/scene"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestLoad_IsNotForACarrierThatIsBlocked(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, append(modules(), loads.Module, routeengine.Module, vehicles.Module), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		s := scene.Of(a)
		load, banned := s.Ready(t, nil), s.Carrier(t, nil)
		a.Call(t, a.Owner.Token, http.MethodPost, carriersPath+"/"+banned+"/ban", object{"reason": "Stole a car."}).OK(t)

		refused := a.Call(t, a.Owner.Token, http.MethodPost, load+"/cover", object{"carrier_uuid": banned, "carrier_pay": "900.00"}).
			Refused(t, http.StatusConflict, "carriers.blocked")
		require.Equal(t, `["do_not_use"]`, refused.Get("details.blockers.#.code").Raw)
		require.Equal(t, "ready", a.Call(t, a.Owner.Token, http.MethodGet, load, nil).OK(t).Get("state").String())
		require.Equal(t, []string{"carriers.carrier.banned"}, a.EventNames(t, a.Owner, "carriers.carrier.banned", "loads.load.covered"))
	})
}

func TestCarrier_TellsWhenADocumentExpires(t *testing.T) {
	t.Parallel()
	eachDesk(t, noon, func(t *testing.T, call func(string, string, any) moduletest.Response, a *moduletest.App) {
		t.Helper()
		id := call(http.MethodPost, carriersPath, object{"legal_name": "One", "agreement_signed": "2026-01-05", "agreement_expires": "2026-12-01"}).OK(t).Get("uuid").String()
		idle := call(http.MethodPost, carriersPath, object{"legal_name": "Two", "agreement_signed": "2026-01-05", "agreement_expires": "2026-12-01"}).OK(t).Header.Get("Location")
		call(http.MethodPost, idle+"/ban", object{"reason": "Late"}).OK(t)

		require.NoError(t, a.Resources.RaiseExpiries(t.Context()))
		require.Equal(t, []string{"carriers.carrier.document_expiring"}, a.EventNames(t, a.Owner, "carriers.carrier.document_expiring"))
		for _, e := range a.Events(t, a.Owner) {
			if e.Name == "carriers.carrier.document_expiring" {
				require.JSONEq(t, `{"carrier_uuid": "`+id+`", "document": "agreement", "expires_on": "2026-12-01", "days": 7}`, e.Payload)
			}
		}
	})
}
