package modules_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestCollections_AreGroupedAndSortedByTheirCurrency(t *testing.T) {
	t.Parallel()
	const least = 14
	moduletest.BootEach(t, modules.All(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		const all = "/collections/api/v1/collections"
		found := 0
		for _, one := range a.Call(t, a.Owner.Token, http.MethodGet, all, nil).OK(t).Get("data").Array() {
			name := one.Get("name").String()
			for _, f := range a.Call(t, a.Owner.Token, http.MethodGet, all+"/"+name, nil).OK(t).Get("fields").Array() {
				if key := f.Get("key").String(); key == "currency" || key == "credit_currency" {
					found++
					a.Call(t, a.Owner.Token, http.MethodGet, all+"/"+name+"/groups?group_by="+key+"&filter["+key+"]=USD", nil).OK(t)
				}
			}
		}
		require.GreaterOrEqual(t, found, least)
	})
}
