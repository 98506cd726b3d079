package carriers_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestValidate_IsEligibleByTheActiveOneOfTwoDockets(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		// 9900026 is the sandbox's example of two dockets: MC-990026 is active, MC-880026 was revoked.
		for _, mc := range []string{"MC-990026", "mc 0880026"} {
			got := a.Call(t, a.Owner.Token, http.MethodPut, area+"/carriers/validate", map[string]any{"mc": mc}).OK(t)
			require.Equal(t, "9900026", got.Get("carrier.usdot").String(), mc)
			require.True(t, got.Get("eligible").Bool(), mc)
			require.JSONEq(t, `["MC-990026", "MC-880026"]`, got.Get("carrier.dockets").Raw)
		}
	}, moduletest.Set(sandbox))
}
