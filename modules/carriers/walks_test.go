package carriers_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestPublicLookup_DoesNotEnumerate(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		statuses := map[int]int{}
		for n := 1; n <= 1000; n++ {
			statuses[a.Call(t, "", http.MethodGet, fmt.Sprintf("%s/public/lookup?usdot=%d", area, n), nil).Status]++
		}
		require.LessOrEqual(t, statuses[http.StatusNotFound], 20, "ten a minute; the minute may end meanwhile")
		require.Equal(t, 1000, statuses[http.StatusNotFound]+statuses[http.StatusTooManyRequests])
	}, moduletest.Set(sandbox, "modules.carriers.public_lookup=true"))
}

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
