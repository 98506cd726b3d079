package carriers_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestBoardLookup_AnswersAtOnceAndAsksInTheBackground(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		const path = area + "/board_lookup"
		first := a.Call(t, a.Owner.Token, http.MethodPost, path, `{"mc": "mc 0-990001"}`).OK(t)
		require.JSONEq(t, `{"usdot": "9900001", "data": [{"board": "sandbox", "outcome": "unavailable", "as_of": null, "profile": null, "refreshing": true}]}`, string(first.Body))
		answered := func(usdot int) moduletest.Response {
			var got moduletest.Response
			a.Eventually(t, func() bool {
				got = a.Call(t, a.Owner.Token, http.MethodPost, path, fmt.Sprintf(`{"usdot": "%d"}`, usdot)).OK(t)

				return !got.Get("data.0.refreshing").Bool()
			}, "the board is asked")

			return got
		}
		got := answered(9900001)
		require.Equal(t, "rows", got.Get("data.0.outcome").String())
		require.Equal(t, "Sample Auto Lines 001 LLC", got.Get("data.0.profile.name").String())
		require.Positive(t, got.Get("data.0.profile.rating.positive").Int())
		require.Equal(t, "cargo_insurance", got.Get("data.0.profile.documents.0.kind").String())
		require.NotEmpty(t, got.Get("data.0.as_of").String())
		for usdot, why := range map[int]string{9900092: "too many requests", 9900093: "refuses the account", 9900094: "did not answer in time"} {
			failed := answered(usdot)
			require.Equal(t, "unavailable", failed.Get("data.0.outcome").String())
			require.Contains(t, failed.Get("data.0.why").String(), why)
			require.Equal(t, "null", failed.Get("data.0.as_of").Raw)
		}
		require.Equal(t, "none", answered(9900091).Get("data.0.outcome").String())
		require.Equal(t, "none", answered(1234567).Get("data.0.outcome").String())
		require.Equal(t, "null", answered(9900095).Get("data.0.profile.rating").Raw)

		other := a.Call(t, a.NewCompany(t).Token, http.MethodPost, path, `{"usdot": "9900001"}`).OK(t)
		require.Equal(t, "null", other.Get("data.0.profile").Raw, "an answer belongs to the company whose account got it")
		a.Call(t, a.Owner.Token, http.MethodPost, path, `{}`).Refused(t, http.StatusUnprocessableEntity, "carriers.one_number")
		a.Call(t, a.Owner.Token, http.MethodPost, path, `{"usdot": "123456789"}`).Refused(t, http.StatusUnprocessableEntity, "carriers.invalid_number")
		a.Call(t, a.Owner.Token, http.MethodPost, path, `{"mc": "MC-1"}`).Refused(t, http.StatusNotFound, "carriers.not_in_registry")
	}, moduletest.Set(sandbox))
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		require.Empty(t, a.Call(t, a.Owner.Token, http.MethodPost, area+"/board_lookup", `{"usdot": "9900001"}`).OK(t).Get("data").Array(), "no account, no board")
	})
}
