package custommodules_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestModule_PublishesEachStepOfItsLife(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		call := func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, "/custom_modules/api/v1"+path, body).OK(t)
		}
		kind := call(http.MethodPost, "/modules", map[string]any{"name": "Docks", "fields": []map[string]any{{"key": "name", "type": "text"}}}).Get("uuid").String()
		record := call(http.MethodPost, "/records", map[string]any{"module_uuid": kind, "payload": map[string]any{"name": "A1"}}).Get("uuid").String()
		call(http.MethodPatch, "/records/"+record, map[string]any{"payload": map[string]any{"name": "A2"}})
		call(http.MethodDelete, "/records/"+record, nil)
		call(http.MethodPost, "/records/"+record+"/restore", nil)
		require.Equal(t, []string{
			"custom_modules.record.created", "custom_modules.record.updated", "custom_modules.record.deleted", "custom_modules.record.restored",
		}, a.EventNames(t, a.Owner, "custom_modules.record."))

		call(http.MethodPatch, "/modules/"+kind, map[string]any{"name": "Doors"})
		call(http.MethodDelete, "/records/"+record, nil)
		call(http.MethodDelete, "/modules/"+kind, nil)
		call(http.MethodPost, "/modules/"+kind+"/restore", nil)
		require.Equal(t, []string{
			"custom_modules.module.created", "custom_modules.module.updated", "custom_modules.module.deleted", "custom_modules.module.restored",
		}, a.EventNames(t, a.Owner, "custom_modules.module."))
	})
}
