package carriers_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestOverride_IsOfARuleAndOfDaysToCome(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		carrier := a.Call(t, a.Owner.Token, http.MethodPost, carriersPath, object{"legal_name": "Haul Co"}).OK(t).Get("uuid").String()
		refused := a.Call(t, a.Owner.Token, http.MethodPost, area+"/overrides", object{
			"carrier_uuid": carrier, "code": "no_such_rule", "reason": "x", "until": "2020-01-31",
		}).Refused(t, http.StatusUnprocessableEntity, "carriers.invalid_override")
		require.Equal(t, `["code","until"]`, refused.Get("errors.@keys").Raw)
		require.Contains(t, refused.Get("errors.code.0").String(), "authority_young")

		made := a.Call(t, a.Owner.Token, http.MethodPost, area+"/overrides", object{
			"carrier_uuid": carrier, "code": "authority_young", "reason": "x", "until": "2199-01-31",
		}).OK(t).Header.Get("Location")
		a.Call(t, a.Owner.Token, http.MethodPatch, made, object{"until": "2020-01-31"}).Refused(t, http.StatusUnprocessableEntity, "carriers.invalid_override")
	})
}
