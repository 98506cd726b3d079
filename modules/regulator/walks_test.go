package regulator_test

import (
	"fmt"
	"net/http"
	"strconv"
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

// A dispatcher types the beginning of a name, opens what the regulator says, and reads what it said before. A company that does not use the area
// has verdicts all the same, without facts.
func TestWalk_FromANameToTheFactsAndWithoutTheArea(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		mine := a.NewCompany(t)
		call := func(method, path string, body any) moduletest.Response {
			return a.Call(t, mine.Token, method, area+path, body)
		}
		usdot := call(http.MethodGet, "/lookup?q=sample%20auto%20lines%20001", nil).OK(t).Get("data.0.usdot").Int()
		facts := call(http.MethodGet, fmt.Sprintf("/regulator/%d", usdot), nil).OK(t)
		require.Equal(t, "active", facts.Get("operation.status").String())
		require.True(t, facts.Get("authority.property_active").Bool())
		require.Equal(t, "00000000-0000-0000-0000-000000000000", facts.Get("snapshot_uuid").String())
		require.Empty(t, call(http.MethodGet, fmt.Sprintf("/regulator/%d/snapshots", usdot), nil).OK(t).Get("data").Array())
		require.True(t, call(http.MethodPut, "/carriers/validate", map[string]any{"usdot": strconv.FormatInt(usdot, 10)}).OK(t).Get("eligible").Bool())

		a.Call(t, a.Operator(t, "companies:write"), http.MethodPatch, "/companies/api/v1/companies/"+mine.ID.String()+"/features",
			map[string]any{"areas": map[string]any{"regulator": false}}).OK(t)
		refused := call(http.MethodGet, fmt.Sprintf("/regulator/%d", usdot), nil)
		require.Equal(t, http.StatusForbidden, refused.Status)
		require.Equal(t, "regulator", refused.Get("details.area").String())
		judged := call(http.MethodPut, "/carriers/validate", map[string]any{"usdot": strconv.FormatInt(usdot, 10)}).OK(t)
		require.Equal(t, "unknown", judged.Get("status").String())
		require.Equal(t, "the company does not use the area regulator", judged.Get(`sources.#(name=="census").why`).String())
		require.True(t, call(http.MethodGet, "/carriers/router/test", nil).OK(t).Get("ok").Bool())
		require.Empty(t, call(http.MethodPost, "/board_lookup", map[string]any{"usdot": strconv.FormatInt(usdot, 10)}).OK(t).Get("data").Array())
	}, moduletest.Set(sandbox))
}
