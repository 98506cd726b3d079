package carriers_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestUnmerge_GoesBackwardsInTime(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		carrier := func(name string) string {
			return a.Call(t, a.Owner.Token, http.MethodPost, carriersPath, object{"legal_name": name}).OK(t).Get("uuid").String()
		}
		merge := func(into, from string) {
			a.Call(t, a.Owner.Token, http.MethodPost, carriersPath+"/merge", object{"into": into, "from": []string{from}}).OK(t)
		}
		unmerge := func(id string) moduletest.Response {
			return a.Call(t, a.Owner.Token, http.MethodPost, carriersPath+"/"+id+"/unmerge", nil)
		}
		first, second, third := carrier("First"), carrier("Second"), carrier("Third")
		merge(second, first)
		merge(third, second)

		refused := unmerge(first).Refused(t, http.StatusConflict, "carriers.unmerge_later_first")
		require.Equal(t, second, refused.Get("details.uuid").String())
		require.Equal(t, []string{"carriers.carrier.merged", "carriers.carrier.merged"}, a.EventNames(t, a.Owner, "carriers.carrier.merged", "carriers.carrier.unmerged"))
		unmerge(second).OK(t)
		require.Empty(t, unmerge(first).OK(t).Get("merged_into_uuid").String())
		require.Equal(t, []string{
			"carriers.carrier.merged", "carriers.carrier.merged", "carriers.carrier.unmerged", "carriers.carrier.unmerged",
		}, a.EventNames(t, a.Owner, "carriers.carrier.merged", "carriers.carrier.unmerged"))
	})
}

func TestUnmerge_IsForAWhile(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		into := a.Call(t, a.Owner.Token, http.MethodPost, carriersPath, object{"legal_name": "Into"}).OK(t).Get("uuid").String()
		from := a.Call(t, a.Owner.Token, http.MethodPost, carriersPath, object{"legal_name": "From"}).OK(t).Get("uuid").String()
		a.Call(t, a.Owner.Token, http.MethodPost, carriersPath+"/merge", object{"into": into, "from": []string{from}}).OK(t)

		a.Call(t, a.Owner.Token, http.MethodPost, carriersPath+"/"+from+"/unmerge", nil).Refused(t, http.StatusConflict, "carriers.unmerge_expired")
		require.Equal(t, into, a.Call(t, a.Owner.Token, http.MethodGet, carriersPath+"/"+from, nil).OK(t).Get("merged_into_uuid").String())
		require.Equal(t, []string{"carriers.carrier.merged"}, a.EventNames(t, a.Owner, "carriers.carrier.merged", "carriers.carrier.unmerged"))
	}, moduletest.Set("modules.carriers.unmerge_within=0s"))
}
