package esign_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/audit"
	"github.com/dispatchd/dispatchd/modules/esign"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestAudit_HasWhatChangedOfSettingsAndConnections(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, []module.Module{attachments.Module, audit.Module, esign.Module}, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		account := post(t, a, "/accounts", `{"name": "Sandbox"}`).OK(t).Get("uuid").String()
		before := get(t, a, "/accounts/"+account+"/connection").OK(t).Get("endpoint_uuid").String()
		put := func(method, path, body string) {
			a.Call(t, a.Owner.Token, method, accountsBase+path, body).OK(t)
		}
		put(http.MethodPatch, "/settings", `{"return_hosts": ["app.example.com", "example.org"]}`)
		put(http.MethodPatch, "/settings", `{"return_hosts": ["example.org"]}`)
		put(http.MethodPut, "/accounts/"+account+"/verification", `{"verification": "both"}`)
		after := post(t, a, "/accounts/"+account+"/rotate_callback", nil).OK(t).Get("endpoint_uuid").String()

		changes := func(action string) string {
			return a.Call(t, a.Owner.Token, http.MethodGet, "/audit/api/v1/entries?filter[action]="+action, nil).OK(t).Get("data.#.changes").Raw
		}
		require.JSONEq(t, `[{"return_hosts": {"before": "app.example.com, example.org", "after": "example.org"}},
			{"return_hosts": {"before": "", "after": "app.example.com, example.org"}}]`, changes("esign.settings_changed"))
		require.JSONEq(t, `[{"endpoint_uuid": {"before": "`+before+`", "after": "`+after+`"}},
			{"verification": {"before": "hmac", "after": "both"}}]`, changes("esign.connection_changed"))
	})
}
