package dispatches_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCarrierPay_RequiresTheScopeForMargins(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load, at, _ := d.given(t, 1)
		reader := d.Token(t, d.Owner, "dispatches:read", "dispatches:write", "loads:read", "loads:write")
		require.NotEmpty(t, d.get(t, at).Get("carrier_pay").String())
		one := d.Call(t, reader, http.MethodGet, at, nil).OK(t)
		require.False(t, one.Get("carrier_pay").Exists() || one.Get("snapshot").Exists(), string(one.Body))
		refused := d.Call(t, reader, http.MethodGet, base+"/dispatches?sort=carrier_pay", nil).Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")
		require.Contains(t, refused.Get("errors.sort.0").String(), "requires the scope loads:margins")
		d.Call(t, reader, http.MethodGet, at+"/rate_confirmation", nil).Refused(t, http.StatusForbidden, "web.scope_missing")
		d.Call(t, reader, http.MethodPost, base+"/dispatches", object{"load_uuid": idOf(load), "carrier_uuid": idOf(load), "carrier_pay": "1.00"}).
			Refused(t, http.StatusForbidden, "web.scope_missing")
	})
}
