package loads_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/collections"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestCreate_IsLimitedByThePlanOfTheMonth(t *testing.T) {
	t.Parallel()
	plan := moduletest.Limiting(map[string]int64{"loads_per_month": 3})
	moduletest.BootEach(t, append(areas(), collections.Module, plan), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		o := office{App: a}
		o.call(t, http.MethodDelete, o.made(t, object{"stops": stops()}), nil).OK(t)
		one := object{"do": "create", "payload": object{"stops": stops()}}
		many := o.post(t, "/collections/api/v1/collections/loads.load/bulk", object{"items": []object{one, one, one}, "atomic": false}).OK(t)
		require.Equal(t, `[true,true,false]`, many.Get("data.#.ok").Raw, "what was deleted stays counted, and what fits of several is made")
		refused := o.post(t, loadsPath, object{"stops": stops()}).Refused(t, http.StatusConflict, "billing.limit_reached")
		require.Equal(t, "loads_per_month 3", refused.Get("details.limit").String()+" "+refused.Get("details.used").String(), "what was refused is not counted")
	})
}
