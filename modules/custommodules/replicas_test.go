package custommodules_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestDefinitions_AreFollowedWhereverTheyAreChanged(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		here := moduletest.Boot(t, url, modules())
		there := moduletest.Boot(t, url, modules())
		token := here.Owner.Token
		post := func(a *moduletest.App, path string, body object) moduletest.Response {
			return a.Call(t, token, http.MethodPost, path, body)
		}
		module := post(here, modulesPath, object{"name": "Trucks", "fields": []object{{"key": "unit", "type": "text"}}}).
			OK(t).Get("uuid").String()
		for _, a := range []*moduletest.App{here, there} { // both have the definition in memory now
			post(a, recordsPath, object{"module_uuid": module, "payload": object{"unit": "1"}}).OK(t)
		}
		fields := modulesPath + "/" + module + "/fields"

		post(here, fields, object{"key": "plate", "type": "text", "indexed": true}).OK(t)
		made := post(there, recordsPath, object{"module_uuid": module, "payload": object{"plate": "TN 42"}}).OK(t)
		require.JSONEq(t, `{"plate":"TN 42"}`, made.Get("payload").Raw)

		post(here, fields, object{"key": "axles", "type": "integer"}).OK(t)
		made = post(here, recordsPath, object{"module_uuid": module, "payload": object{"axles": 3}}).OK(t)
		read := there.Call(t, token, http.MethodGet, made.Header.Get("Location"), nil).OK(t)
		require.JSONEq(t, `{"axles":3}`, read.Get("payload").Raw)

		post(here, fields, object{"key": "colour", "type": "text", "required": true}).OK(t)
		refused(t, post(there, recordsPath, object{"module_uuid": module, "payload": object{"axles": 3}}),
			"custom_modules.invalid_payload", map[string]string{"payload.colour": "The colour is required."})

		post(here, fields, object{"key": "seats", "type": "integer", "indexed": true}).OK(t)
		list := there.Call(t, token, http.MethodGet, recordsPath+"?module_uuid="+module+"&filter[seats]=2&sort=seats", nil).OK(t)
		require.Zero(t, list.Get("data.#").Int())
	})
}
