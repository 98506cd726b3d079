package custommodules_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestLimits_OfRecordsAreEnforcedAndReported(t *testing.T) {
	t.Parallel()
	eachApp(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		owner := a.Owner.Token
		module := define(t, a, "Trucks", []object{{"key": "unit", "type": "text"}})
		define(t, a, "Secret", nil, object{"permissions": object{"read": []string{}}})
		create := func() moduletest.Response {
			return a.Call(t, owner, http.MethodPost, recordsPath, object{"module_uuid": module, "payload": object{}})
		}
		first := create().OK(t)
		require.Equal(t, "records;used=1;limit=3", first.Header.Get("Limits"))
		create().OK(t)
		bulk := a.Call(t, owner, http.MethodPost, recordsPath+"/bulk", object{"module_uuid": module, "atomic": false, "items": []object{
			{"do": "create", "payload": object{}}, {"do": "create", "payload": object{}},
		}}).OK(t)
		require.True(t, bulk.Get("data.0.ok").Bool())
		require.Equal(t, "custom_modules.too_many_records", bulk.Get("data.1.error.code").String())
		r := create().Refused(t, http.StatusUnprocessableEntity, "custom_modules.too_many_records")
		require.Equal(t, "The company has 3 records, and 3 are allowed.", r.Get("message").String())
		require.JSONEq(t, `{"used":3,"limit":3}`, r.Get("details").Raw)

		usage := a.Call(t, as(t, a, identity.Viewer), http.MethodGet, "/custom_modules/api/v1/usage", nil).OK(t)
		require.Equal(t, "modules;used=2;limit=500, records;used=3;limit=3", usage.Header.Get("Limits"))
		require.JSONEq(t, `[{"uuid":"`+module+`","name":"Trucks","records":3,"fields":1}]`, usage.Get("by_module").Raw)

		record := recordsPath + "/" + first.Get("uuid").String()
		a.Call(t, owner, http.MethodDelete, record, nil).OK(t)
		create().OK(t)
		a.Call(t, owner, http.MethodPost, record+"/restore", nil).Refused(t, http.StatusUnprocessableEntity, "custom_modules.too_many_records")
		usage = a.Call(t, owner, http.MethodGet, "/custom_modules/api/v1/usage", nil).OK(t)
		require.EqualValues(t, 3, usage.Get("records.used").Int())
		a.Call(t, owner, http.MethodDelete, modulesPath+"/"+module, nil).OK(t)
		usage = a.Call(t, owner, http.MethodGet, "/custom_modules/api/v1/usage", nil).OK(t)
		require.Zero(t, usage.Get("records.used").Int(), "a deleted module's records do not count")
	}, moduletest.Set("modules.custom_modules.max_records=3"))
}
