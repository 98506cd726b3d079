package custommodules_test

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// schemaOf compiles the schema of a module's payloads.
func schemaOf(t *testing.T, y yard, token, module, use string) *jsonschema.Schema {
	t.Helper()
	text := y.Call(t, token, http.MethodGet, modulesPath+"/"+module+"/schema?for="+use, nil).OK(t).Body
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("urn:schema", document))
	schema, err := compiler.Compile("urn:schema")
	require.NoError(t, err)

	return schema
}

func validate(t *testing.T, schema *jsonschema.Schema, value string) error {
	t.Helper()
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(value)))
	require.NoError(t, err)

	return schema.Validate(instance)
}

func TestSchema_TakesWhatTheServiceTakes(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		token := y.Owner.Token
		module := y.Call(t, token, http.MethodPost, modulesPath, object{"name": "All types", "fields": []object{
			{"key": "name", "type": "text", "required": true},
			{"key": "state", "type": "select", "required": true, "default": "new", "options": object{"options": []object{{"id": "new", "label": "New"}}}},
			{"key": "count", "type": "integer"},
			{"key": "price", "type": "decimal"},
			{"key": "ok", "type": "boolean"},
			{"key": "day", "type": "date"},
			{"key": "moment", "type": "datetime"},
			{"key": "wall", "type": "local_datetime"},
			{"key": "clock", "type": "time"},
			{"key": "tags", "type": "multi_select", "options": object{"options": []object{{"id": "a", "label": "A"}, {"id": "b", "label": "B"}}}},
			{"key": "mail", "type": "email"},
			{"key": "phone", "type": "phone"},
			{"key": "site", "type": "url"},
			{"key": "extra", "type": "json", "options": object{"schema": object{"type": "object", "required": []string{"a"}}}},
			{"key": "customer", "type": "reference", "options": object{"module_uuid": y.customers}},
			{"key": "place", "type": "address"},
			{"key": "point", "type": "geo_point"},
			{"key": "vin", "type": "vin"},
			{"key": "dot", "type": "usdot_number"},
			{"key": "mc", "type": "mc_number"},
			{"key": "scac", "type": "scac"},
			{"key": "kind", "type": "equipment"},
			{"key": "load", "type": "weight"},
			{"key": "size", "type": "length"},
			{"key": "ticket", "type": "auto_number"},
			{"key": "double", "type": "formula", "options": object{"formula": "price * 2", "result": "decimal", "scale": 2}},
			{"key": "locked", "type": "text", "read_only": true},
			{"key": "long", "type": "long_text"},
		}}).OK(t).Get("uuid").String()
		create, update, read := schemaOf(t, y, token, module, "create"), schemaOf(t, y, token, module, "update"), schemaOf(t, y, token, module, "read")

		full := `{"name": "Ann", "count": 9007199254740993, "price": "12.50", "ok": true, "day": "2026-12-01", "moment": "2026-12-01T09:30:00Z",
			"wall": "2026-12-01 09:30:00", "clock": "09:30:00", "tags": ["b", "a"], "mail": "a@example.com", "phone": "+12025550143",
			"site": "https://example.com", "extra": {"a": [1]}, "customer": {"record_uuid": "` + y.customer + `"},
			"place": {"city": "Dallas", "state": "TX"}, "point": {"lat": 1.5, "lng": -2}, "vin": "1HGCM82633A004352", "dot": "123", "mc": "MC-123456",
			"scac": "ABCD", "kind": "open", "load": {"value": "12.5", "unit": "lb"}, "size": {"value": "53"}, "long": "a\nb"}`
		nothing := `{"name": "Bob", "count": null, "place": null, "customer": null}`
		for _, payload := range []string{full, nothing} {
			require.NoError(t, validate(t, create, payload))
			made := y.Call(t, token, http.MethodPost, modulesPath+"/"+module+"/records", `{"payload":`+payload+`}`).OK(t)
			require.NoError(t, validate(t, read, made.Get("payload").Raw), made.Get("payload").Raw)
			for _, patch := range []string{`{"place": {"city": "Austin", "state": null}}`, `{"count": 3}`, `{"extra": {"a": 1}}`, `{}`} {
				require.NoError(t, validate(t, update, patch))
				changed := y.Call(t, token, http.MethodPatch, modulesPath+"/"+module+"/records/"+made.Get("uuid").String(), `{"payload":`+patch+`}`).OK(t)
				require.NoError(t, validate(t, read, changed.Get("payload").Raw))
			}
		}
		for _, wrong := range []string{
			`{}`, `{"name": null}`, `{"name": 7}`, `{"name": "x", "count": "7"}`, `{"name": "x", "ticket": 3}`, `{"name": "x", "locked": "y"}`,
			`{"name": "x", "double": "3"}`, `{"name": "x", "state": "old"}`, `{"name": "x", "other": 1}`, `{"name": "x", "customer": "y"}`,
		} {
			require.Error(t, validate(t, create, wrong), wrong)
			refused := y.Call(t, token, http.MethodPost, modulesPath+"/"+module+"/records", `{"payload":`+wrong+`}`)
			refused.Refused(t, http.StatusUnprocessableEntity, "custom_modules.invalid_payload")
		}
		require.Error(t, validate(t, update, `{"name": null}`))
	})
}

func TestSchema_IsTaggedAndShowsWhatTheCallerSees(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		fields := modulesPath + "/" + y.customers + "/fields"
		y.Call(t, y.Owner.Token, http.MethodPost, fields, object{"key": "ssn", "type": "text", "sensitive": true}).OK(t)
		reader := y.Token(t, y.Owner, "custom_modules:read")
		for _, path := range []string{modulesPath + "/" + y.customers + "/schema", "/custom_modules/api/v1/openapi.json"} {
			whole, open := y.get(t, path).OK(t), y.Call(t, reader, http.MethodGet, path, nil).OK(t)
			require.Contains(t, string(whole.Body), `"ssn"`)
			require.NotContains(t, string(open.Body), `"ssn"`)
			tag := whole.Header.Get("ETag")
			require.NotEqual(t, tag, open.Header.Get("ETag"))
			require.Regexp(t, `^"[0-9a-f]{32}"$`, tag)
			again := y.Call(t, y.Owner.Token, http.MethodGet, path, nil, "If-None-Match", tag)
			require.Equal(t, http.StatusNotModified, again.Status)
			require.Empty(t, again.Body)
			key := map[bool]string{true: "city", false: "street"}[path == "/custom_modules/api/v1/openapi.json"]
			y.Call(t, y.Owner.Token, http.MethodPost, fields, object{"key": key, "type": "text"}).OK(t)
			again = y.Call(t, y.Owner.Token, http.MethodGet, path, nil, "If-None-Match", tag).OK(t)
			require.Contains(t, string(again.Body), key)
		}
	})
}

func TestOpenAPI_HasTheOperationsThatTheTokenMayUse(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		const path = "/custom_modules/api/v1/openapi.json"
		document := func(token string) moduletest.Response { return y.Call(t, token, http.MethodGet, path, nil).OK(t) }
		records := `paths./custom_modules/api/v1/modules/` + y.vehicles + `/records`
		whole := document(y.Owner.Token)
		require.Equal(t, "3.1.0", whole.Get("openapi").String())
		require.Equal(t, "create_vehicles", whole.Get(records+".post.operationId").String())
		require.Equal(t, "delete_vehicles", whole.Get(records+"/{record_uuid}.delete.operationId").String())
		require.Equal(t, `["vin"]`, whole.Get("components.schemas.VehiclesCreate.required").Raw)

		reader := document(y.Token(t, y.Owner, "custom_modules:read"))
		require.True(t, reader.Get(records+".get").Exists())
		require.False(t, reader.Get(records+".post").Exists())
		require.False(t, reader.Get("components.schemas.VehiclesCreate").Exists())
		require.Empty(t, document(y.NewCompany(t).Token).Get("paths").Map())

		y.Call(t, y.Owner.Token, http.MethodPatch, modulesPath+"/"+y.vehicles, object{"permissions": object{"read": []string{}}}).OK(t)
		require.False(t, document(y.Token(t, y.Owner, "custom_modules:read")).Get(records).Exists())
		y.Call(t, y.Owner.Token, http.MethodPost, modulesPath, object{"name": "VEHICLES!", "fields": []object{}}).OK(t)
		again := document(y.Owner.Token)
		require.Equal(t, "create_vehicles", again.Get(records+".post.operationId").String(), "another of the same name changes nothing")
		require.Len(t, again.Get("paths").Map(), 6)
	})
}

func TestModuleRecords_AreThoseOfTheModule(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		token := y.Owner.Token
		records := modulesPath + "/" + y.customers + "/records"
		one := records + "/" + y.customer
		require.Equal(t, int64(1), y.get(t, records+"?filter[name]=Blue%20Ridge%20Motors").OK(t).Get("data.#").Int())
		y.get(t, one).OK(t)
		other := modulesPath + "/" + y.vehicles + "/records/" + y.customer
		for method, body := range map[string]any{http.MethodGet: nil, http.MethodPatch: object{"payload": object{}}, http.MethodDelete: nil} {
			y.Call(t, token, method, other, body).Refused(t, http.StatusNotFound, "custom_modules.record_not_found")
		}
		y.Call(t, token, http.MethodPatch, one, object{"payload": object{"name": "x"}}, "If-Match", `"7"`).Refused(t, http.StatusPreconditionFailed, "web.stale")
		y.Call(t, token, http.MethodDelete, one, nil)
		y.get(t, one).Refused(t, http.StatusNotFound, "custom_modules.record_not_found")
		y.Call(t, token, http.MethodPost, records, object{"payload": object{}, "module_uuid": y.vehicles}).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
	})
}
