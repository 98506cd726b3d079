package sms_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/audit"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestTrail_NamesTheFieldsThatWereChanged(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, append(modules(), audit.Module), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		d := open(t, a)
		patch := func(path, body string) {
			a.Call(t, a.Owner.Token, http.MethodPatch, base+path, body).OK(t)
		}
		// changes is what the newest entry of an action says.
		changes := func(action string) string {
			a.Sealed(t, a.Owner)

			return a.Call(t, a.Owner.Token, http.MethodGet, "/audit/api/v1/entries?filter[action]="+action, nil).OK(t).Get("data.0.changes").Raw
		}

		patch("/settings", `{"region": "CA"}`)
		require.JSONEq(t, `{"region": {"before": "US", "after": "CA"}}`, changes("sms.settings.updated"))
		patch("/numbers/"+d.number, `{"label": "Night"}`)
		require.JSONEq(t, `{"label": {"before": "", "after": "Night"}}`, changes("sms.number.updated"))
		patch("/accounts/"+d.account, `{"name": "Main", "credentials": {"token": "hunter3"}}`)
		account := changes("sms.account.updated")
		require.NotContains(t, account, "hunter3")
		require.JSONEq(t, `{"name": {"before": "Sandbox", "after": "Main"}, "credentials": {"before": null, "after": null}}`, account)
		d.post(t, "/accounts/"+d.account+"/disable", nil).OK(t)
		require.Contains(t, changes("sms.account.updated"), `"disabled_at"`)
		d.post(t, "/accounts/"+d.account+"/enable", nil).OK(t)

		d.put(t, "/numbers/company/default", map[string]any{"number_uuid": d.number}).OK(t)
		require.JSONEq(t, `{"default_number_uuid": {"before": null, "after": "`+d.number+`"}}`, changes("sms.settings.updated"))
		d.put(t, "/numbers/user/default", map[string]any{"number_uuid": d.number}).OK(t)
		require.JSONEq(t, `{"number_uuid": {"before": null, "after": "`+d.number+`"}}`, changes("sms.user_default.updated"))
		a.Call(t, a.Owner.Token, http.MethodDelete, base+"/numbers/user/default", nil).OK(t)
		require.JSONEq(t, `{"number_uuid": {"before": "`+d.number+`", "after": null}}`, changes("sms.user_default.updated"))
	})
}
