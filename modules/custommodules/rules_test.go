package custommodules_test

import (
	"maps"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// as makes a token of a user with a role, which may do what the role may.
func as(t *testing.T, a *moduletest.App, role identity.Role, scopes ...string) string {
	t.Helper()
	user, err := a.Identity.CreateUser(t.Context(), identity.NewUser{
		Company: a.Owner.ID, Name: string(role), Email: string(role) + strconv.Itoa(len(scopes)) + "@example.com", Role: role,
	})
	require.NoError(t, err)
	if len(scopes) == 0 {
		scopes = []string{"*"}
	}
	_, token, err := a.Identity.IssueToken(t.Context(), identity.NewToken{
		Company: a.Owner.ID, User: user.ID, Name: "test", Scopes: scopes,
	})
	require.NoError(t, err)

	return token
}

func eachApp(t *testing.T, test func(t *testing.T, a *moduletest.App), options ...moduletest.Option) {
	t.Helper()
	moduletest.BootEach(t, modules(), test, options...)
}

func define(t *testing.T, a *moduletest.App, name string, fields []object, more ...object) string {
	t.Helper()
	body := object{"name": name, "fields": fields}
	for _, m := range more {
		maps.Copy(body, m)
	}

	return a.Call(t, a.Owner.Token, http.MethodPost, modulesPath, body).OK(t).Get("uuid").String()
}

func TestDefinitions_TakeTheScopeDefine(t *testing.T) {
	t.Parallel()
	eachApp(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		module := define(t, a, "Trucks", []object{{"key": "unit", "type": "text"}})
		dispatcher := as(t, a, identity.Dispatcher)
		a.Call(t, dispatcher, http.MethodPost, recordsPath, object{"module_uuid": module, "payload": object{"unit": "1"}}).OK(t)
		for _, call := range []struct{ method, path string }{
			{http.MethodPost, modulesPath},
			{http.MethodPatch, modulesPath + "/" + module},
			{http.MethodDelete, modulesPath + "/" + module},
			{http.MethodPost, modulesPath + "/" + module + "/fields"},
			{http.MethodPost, modulesPath + "/" + module + "/archive"},
		} {
			var body any
			if call.method != http.MethodDelete && !strings.HasSuffix(call.path, "/archive") {
				body = object{"name": "x"}
			}
			r := a.Call(t, dispatcher, call.method, call.path, body).Refused(t, http.StatusForbidden, "web.scope_missing")
			require.Equal(t, "custom_modules:define", r.Get("details.scope").String(), call.path)
		}
		admin := as(t, a, identity.Admin)
		a.Call(t, admin, http.MethodPatch, modulesPath+"/"+module, object{"name": "Tractors"}).OK(t)
	})
}

func TestPermissions_HideAModuleFromWhoMayNotReadIt(t *testing.T) {
	t.Parallel()
	eachApp(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		fields := []object{{"key": "name", "type": "text", "unique": true}}
		hidden := define(t, a, "Payroll", fields, object{"permissions": object{"read": []string{"accountant"}}})
		open := define(t, a, "Trucks", append(fields, object{"key": "pay", "type": "reference", "options": object{"module_uuid": hidden}}))
		record := a.Call(t, a.Owner.Token, http.MethodPost, recordsPath, object{"module_uuid": hidden, "payload": object{"name": "Ann"}}).
			OK(t).Get("uuid").String()
		a.Call(t, a.Owner.Token, http.MethodPatch, recordsPath+"/"+record, object{"payload": object{"name": "Bob"}}).OK(t)
		field := a.Call(t, a.Owner.Token, http.MethodGet, modulesPath+"/"+hidden, nil).OK(t).Get("fields.0.uuid").String()
		for _, token := range []string{as(t, a, identity.Viewer), as(t, a, identity.Admin), a.Token(t, a.Owner, "*")} {
			for _, path := range []string{
				modulesPath + "/" + hidden, modulesPath + "/" + hidden + "/fields", modulesPath + "/" + hidden + "/fields/" + field,
				recordsPath + "?module_uuid=" + hidden, recordsPath + "/" + record, recordsPath + "/" + record + "/history",
				recordsPath + "/" + record + "?version=1", recordsPath + "/" + record + "?as_of=2001-01-01T00:00:00Z",
			} {
				r := a.Call(t, token, http.MethodGet, path, nil)
				require.Equalf(t, http.StatusNotFound, r.Status, "%s: %s", path, r.Body)
			}
			list := a.Call(t, token, http.MethodGet, modulesPath+"?count=exact", nil).OK(t)
			require.Equal(t, open, list.Get("data.0.uuid").String())
			require.EqualValues(t, 1, list.Get("meta.total").Int())
			require.EqualValues(t, 1, list.Get("data.#").Int())
		}
		admin := as(t, a, identity.Admin, "*:*")
		for _, call := range []struct {
			method, path string
			body         any
		}{
			{http.MethodPatch, modulesPath + "/" + hidden, object{"name": "x"}},
			{http.MethodDelete, modulesPath + "/" + hidden, nil},
			{http.MethodPost, modulesPath + "/" + hidden + "/duplicate", object{"name": "x"}},
			{http.MethodPost, modulesPath + "/" + hidden + "/fields", object{"key": "x", "type": "text"}},
			{http.MethodDelete, modulesPath + "/" + hidden + "/fields/" + field, nil},
			{http.MethodPost, recordsPath, object{"module_uuid": hidden, "payload": object{}}},
			{http.MethodPatch, recordsPath + "/" + record, object{"payload": object{"name": "Cid"}}},
			{http.MethodDelete, recordsPath + "/" + record, nil},
			{http.MethodPost, recordsPath + "/" + record + "/revert", object{"version": 1}},
			{http.MethodPost, recordsPath + "/bulk", object{"module_uuid": hidden, "items": []object{{"do": "create", "payload": object{}}}}},
		} {
			r := a.Call(t, admin, call.method, call.path, call.body, "If-Match", `"1"`)
			require.Equalf(t, http.StatusNotFound, r.Status, "%s %s: %s", call.method, call.path, r.Body)
			require.NotContains(t, string(r.Body), "Bob")
		}
		accountant := as(t, a, identity.Accountant)
		a.Call(t, accountant, http.MethodGet, modulesPath+"/"+hidden, nil).OK(t)
		require.EqualValues(t, 2, a.Call(t, accountant, http.MethodGet, modulesPath, nil).OK(t).Get("data.#").Int())

		// A record of a module that the caller may read stays, and does not tell what points at it.
		target := a.Call(t, a.Owner.Token, http.MethodPost, recordsPath, object{"module_uuid": open, "payload": object{"name": "T"}}).OK(t).Get("uuid").String()
		a.Call(t, a.Owner.Token, http.MethodPost, modulesPath+"/"+hidden+"/fields",
			object{"key": "truck", "type": "reference", "options": object{"module_uuid": open}}).OK(t)
		a.Call(t, a.Owner.Token, http.MethodPatch, recordsPath+"/"+record, object{"payload": object{"truck": object{"record_uuid": target}}}).OK(t)
		r := a.Call(t, admin, http.MethodDelete, recordsPath+"/"+target, nil).Refused(t, http.StatusConflict, "custom_modules.record_in_use")
		require.NotContains(t, string(r.Body), hidden)
		require.NotContains(t, string(r.Body), record)
	})
}

func TestPermissions_EachActionHasItsOwnRoles(t *testing.T) {
	t.Parallel()
	eachApp(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		module := define(t, a, "Trucks", []object{{"key": "unit", "type": "text"}}, object{"permissions": object{
			"write": []string{"dispatcher", "service"}, "delete": []string{"accountant"}, "define": []string{},
		}})
		shown := a.Call(t, a.Owner.Token, http.MethodGet, modulesPath+"/"+module, nil).OK(t).Get("permissions").Raw
		require.JSONEq(t, `{"read":["*"],"write":["dispatcher","service"],"delete":["accountant"],"define":[]}`, shown)
		dispatcher, accountant, admin := as(t, a, identity.Dispatcher), as(t, a, identity.Accountant), as(t, a, identity.Admin)
		create := object{"module_uuid": module, "payload": object{"unit": "1"}}
		record := recordsPath + "/" + a.Call(t, dispatcher, http.MethodPost, recordsPath, create).OK(t).Get("uuid").String()
		a.Call(t, a.Token(t, a.Owner, "*"), http.MethodPost, recordsPath, create).OK(t)
		for _, token := range []string{accountant, admin} {
			r := a.Call(t, token, http.MethodPost, recordsPath, create).Refused(t, http.StatusForbidden, "custom_modules.not_permitted")
			require.Equal(t, "write", r.Get("details.permission").String())
			a.Call(t, token, http.MethodPatch, record, object{"payload": object{"unit": "2"}}).Refused(t, http.StatusForbidden, "custom_modules.not_permitted")
			a.Call(t, token, http.MethodGet, record, nil).OK(t)
		}
		a.Call(t, dispatcher, http.MethodDelete, record, nil).Refused(t, http.StatusForbidden, "custom_modules.not_permitted")
		a.Call(t, accountant, http.MethodDelete, record, nil).OK(t)
		a.Call(t, dispatcher, http.MethodPost, record+"/restore", nil).Refused(t, http.StatusForbidden, "custom_modules.not_permitted")
		a.Call(t, accountant, http.MethodPost, record+"/restore", nil).OK(t)
		a.Call(t, admin, http.MethodPatch, modulesPath+"/"+module, object{"name": "x"}).Refused(t, http.StatusForbidden, "custom_modules.not_permitted")

		owner := a.Owner.Token
		a.Call(t, owner, http.MethodPatch, modulesPath+"/"+module, object{"permissions": object{"define": nil, "write": []string{"accountant"}}}).OK(t)
		a.Call(t, accountant, http.MethodPost, recordsPath, create).OK(t)
		a.Call(t, dispatcher, http.MethodPost, recordsPath, create).Refused(t, http.StatusForbidden, "custom_modules.not_permitted")
		a.Call(t, admin, http.MethodPatch, modulesPath+"/"+module, object{"permissions": nil}).OK(t)
		a.Call(t, dispatcher, http.MethodPost, recordsPath, create).OK(t)
		refused(t, a.Call(t, owner, http.MethodPatch, modulesPath+"/"+module, object{"permissions": object{"read": []string{"nobody"}, "erase": []string{}}}),
			"custom_modules.invalid_definition", map[string]string{
				"permissions.read":  `There is no role nobody; beside roles, there are "service" for tokens of no user, and "*".`,
				"permissions.erase": "The key erase is not known in permissions. Known are: define, delete, read, write.",
			})
	})
}

func TestSensitive_ValuesAreWithheldEverywhere(t *testing.T) {
	t.Parallel()
	eachApp(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		owner, dispatcher := a.Owner.Token, as(t, a, identity.Dispatcher)
		module := define(t, a, "Drivers", []object{
			{"key": "name", "type": "text", "unique": true},
			{"key": "ssn", "type": "text", "sensitive": true, "unique": true, "indexed": true},
			{"key": "hint", "type": "formula", "sensitive": true, "options": object{"formula": `ssn + "!"`, "result": "text"}},
		})
		record := recordsPath + "/" + a.Call(t, owner, http.MethodPost, recordsPath,
			object{"module_uuid": module, "payload": object{"name": "Ann", "ssn": "SECRET-1"}}).OK(t).Get("uuid").String()
		a.Call(t, owner, http.MethodPatch, record, object{"payload": object{"ssn": "SECRET-2"}}).OK(t)

		read := a.Call(t, dispatcher, http.MethodGet, record, nil).OK(t)
		require.JSONEq(t, `{"name":"Ann"}`, read.Get("payload").Raw)
		require.JSONEq(t, `["ssn","hint"]`, read.Get("masked").Raw)
		history := a.Call(t, dispatcher, http.MethodGet, record+"/history", nil).OK(t)
		require.JSONEq(t, `{}`, history.Get("data.0.changes").Raw)
		patched := a.Call(t, dispatcher, http.MethodPatch, record, object{"payload": object{"name": "Bea"}}).OK(t)
		require.NotContains(t, string(patched.Body), "SECRET")
		full := a.Call(t, owner, http.MethodGet, record, nil).OK(t)
		require.JSONEq(t, `{"name":"Bea","ssn":"SECRET-2","hint":"SECRET-2!"}`, full.Get("payload").Raw)
		require.False(t, full.Get("masked").Exists())

		stale := a.Call(t, dispatcher, http.MethodPatch, record, object{"payload": object{"name": "x"}}, "If-Match", `"1"`)
		require.Equal(t, http.StatusPreconditionFailed, stale.Status)
		require.JSONEq(t, `["name"]`, stale.Get("details.changed").Raw)
		refused(t, a.Call(t, dispatcher, http.MethodPatch, record, object{"payload": object{"ssn": "SECRET-2"}}),
			"custom_modules.invalid_payload", map[string]string{"payload.ssn": "The ssn is sensitive: this requires the scope custom_modules:sensitive."})
		for _, query := range []string{"filter[ssn]=SECRET-2", "sort=ssn", "filter[hint][like]=S", "fields=payload.ssn"} {
			r := a.Call(t, dispatcher, http.MethodGet, recordsPath+"?module_uuid="+module+"&"+query, nil)
			require.Equalf(t, http.StatusUnprocessableEntity, r.Status, "%s: %s", query, r.Body)
			a.Call(t, owner, http.MethodGet, recordsPath+"?module_uuid="+module+"&"+query, nil).OK(t)
		}
		upsert := object{"module_uuid": module, "items": []object{{"do": "upsert", "by": "ssn", "payload": object{"ssn": "SECRET-2"}}}}
		require.NotContains(t, string(a.Call(t, dispatcher, http.MethodPost, recordsPath+"/bulk", upsert).Body), "SECRET")
		reverted := a.Call(t, dispatcher, http.MethodPost, record+"/revert", object{"version": 1}).OK(t)
		require.JSONEq(t, `{"name":"Ann"}`, reverted.Get("payload").Raw)
		require.Equal(t, "SECRET-2", a.Call(t, owner, http.MethodGet, record, nil).OK(t).Get("payload.ssn").String(), "what he does not see stays")

		field := a.Call(t, owner, http.MethodGet, modulesPath+"/"+module, nil).OK(t).Get("fields.1.uuid").String()
		definer := a.Token(t, a.Owner, "custom_modules:define", "custom_modules:read")
		refused(t, a.Call(t, definer, http.MethodPatch, modulesPath+"/"+module+"/fields/"+field, object{"sensitive": false}),
			"custom_modules.invalid_definition", map[string]string{"sensitive": "Changing this requires the scope custom_modules:sensitive."})
		refused(t, a.Call(t, definer, http.MethodPost, modulesPath+"/"+module+"/fields",
			object{"key": "leak", "type": "formula", "options": object{"formula": "ssn", "result": "text"}}),
			"custom_modules.invalid_definition",
			map[string]string{"options.formula": "The formula uses the sensitive field ssn: its own field must be sensitive too."})
	})
}

func TestAutoNumber_IsGivenInOrderAndNeverTwice(t *testing.T) {
	t.Parallel()
	eachApp(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		owner := a.Owner.Token
		module := define(t, a, "Claims", []object{
			{"key": "what", "type": "text", "unique": true},
			{"key": "number", "type": "auto_number", "indexed": true},
			{"key": "code", "type": "auto_number", "unique": true, "options": object{"template": "R-{seq:5}"}},
			{"key": "label", "type": "formula", "options": object{"formula": `code + "/" + text(number)`, "result": "text"}},
		})
		create := func(what string) moduletest.Response {
			return a.Call(t, owner, http.MethodPost, recordsPath, object{"module_uuid": module, "payload": object{"what": what}})
		}
		first := create("a").OK(t)
		require.JSONEq(t, `{"what":"a","number":1,"code":"R-00001","label":"R-00001/1"}`, first.Get("payload").Raw)
		create("a").Refused(t, http.StatusUnprocessableEntity, "custom_modules.value_taken")
		second := create("b").OK(t)
		require.Greater(t, second.Get("payload.number").Int(), int64(1))
		refused(t, a.Call(t, owner, http.MethodPost, recordsPath, object{"module_uuid": module, "payload": object{"number": 7, "label": "x"}}),
			"custom_modules.invalid_payload", map[string]string{
				"payload.number": "The number is computed and cannot be set.", "payload.label": "The label is computed and cannot be set.",
			})
		record := recordsPath + "/" + second.Get("uuid").String()
		patched := a.Call(t, owner, http.MethodPatch, record, object{"payload": object{"what": "c"}}).OK(t)
		require.Equal(t, second.Get("payload.code").String(), patched.Get("payload.code").String())
		list := a.Call(t, owner, http.MethodGet, recordsPath+"?module_uuid="+module+"&sort=-number&filter[number][gt]=1", nil).OK(t)
		require.EqualValues(t, 1, list.Get("data.#").Int())

		fields := a.Call(t, owner, http.MethodGet, modulesPath+"/"+module, nil).OK(t)
		code := modulesPath + "/" + module + "/fields/" + fields.Get("fields.2.uuid").String()
		a.Call(t, owner, http.MethodPatch, code, object{"options": object{"template": "R-{seq:3}"}}).OK(t)
		a.Call(t, owner, http.MethodPatch, code, object{"options": object{"template": "Q-{seq:3}"}}).OK(t)
		require.Equal(t, "Q-001", create("d").OK(t).Get("payload.code").String())
		refused(t, a.Call(t, owner, http.MethodPatch, code, object{"options": object{"template": ""}}),
			"custom_modules.invalid_definition", map[string]string{"options.template": "The values of the field cannot be converted."})
		r := a.Call(t, owner, http.MethodPatch, code, object{"options": object{"template": "no"}})
		r.Refused(t, http.StatusUnprocessableEntity, "custom_modules.invalid_definition")
	})
}

func TestFormula_FollowsItsRecordAndItsFields(t *testing.T) {
	t.Parallel()
	eachApp(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		owner := a.Owner.Token
		module := define(t, a, "Lines", []object{
			{"key": "total", "type": "formula", "indexed": true, "options": object{"formula": "net * 1.07", "result": "decimal"}},
			{"key": "price", "type": "decimal"},
			{"key": "count", "type": "integer"},
			{"key": "net", "type": "formula", "options": object{"formula": "price * count", "result": "decimal"}},
		})
		made := a.Call(t, owner, http.MethodPost, recordsPath, object{"module_uuid": module, "payload": object{"price": "19.99", "count": 3}}).OK(t)
		require.JSONEq(t, `{"total":"64.17","price":"19.99","count":3,"net":"59.97"}`, made.Get("payload").Raw)
		record := recordsPath + "/" + made.Get("uuid").String()
		require.Equal(t, "42.78", a.Call(t, owner, http.MethodPatch, record, object{"payload": object{"count": 2}}).OK(t).Get("payload.total").String())
		found := func(query string) int64 {
			return a.Call(t, owner, http.MethodGet, recordsPath+"?module_uuid="+module+"&"+query, nil).OK(t).Get("data.#").Int()
		}
		require.EqualValues(t, 1, found("filter[total]=42.78&sort=total"))
		huge := a.Call(t, owner, http.MethodPost, recordsPath,
			object{"module_uuid": module, "payload": object{"price": "999999999999999999.99", "count": 10}}).OK(t)
		require.False(t, huge.Get("payload.total").Exists())
		require.Contains(t, huge.Get("warnings").Raw, "could not be computed")

		fields := a.Call(t, owner, http.MethodGet, modulesPath+"/"+module, nil).OK(t)
		path := func(i string) string {
			return modulesPath + "/" + module + "/fields/" + fields.Get("fields."+i+".uuid").String()
		}
		a.Call(t, owner, http.MethodPatch, path("1"), object{"key": "unit_price"}).OK(t)
		require.Equal(t, "unit_price * count", a.Call(t, owner, http.MethodGet, path("3"), nil).OK(t).Get("options.formula").String())
		require.Equal(t, "21.39", a.Call(t, owner, http.MethodPatch, record, object{"payload": object{"count": 1}}).OK(t).Get("payload.total").String())
		a.Call(t, owner, http.MethodDelete, path("1"), nil).Refused(t, http.StatusConflict, "custom_modules.field_in_use")
		refused(t, a.Call(t, owner, http.MethodPatch, path("3"), object{"options": object{"formula": "total - 1"}}),
			"custom_modules.invalid_definition", map[string]string{
				"options.formula": "The formula is circular: total → net → total.",
				"formulas.total":  "The formula of total is circular: total → net → total.",
			})

		a.Call(t, owner, http.MethodPatch, path("3"), object{"options": object{"formula": "unit_price * count * 10"}}).OK(t)
		require.Eventually(t, func() bool {
			return a.Call(t, owner, http.MethodGet, record, nil).OK(t).Get("payload.total").String() == "213.89" &&
				a.Call(t, owner, http.MethodGet, path("0"), nil).OK(t).Get("index_state").String() == "ready"
		}, time.Minute, 50*time.Millisecond)
		require.EqualValues(t, 1, found("filter[total]=213.89"))
	})
}

func TestItems_OfOtherAreasMustBeThere(t *testing.T) {
	t.Parallel()
	eachApp(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		owner := a.Owner.Token
		_, err := a.Identity.Company(t.Context(), a.Owner.ID)
		require.NoError(t, err)
		refused(t, a.Call(t, owner, http.MethodPost, modulesPath, object{"name": "x", "fields": []object{
			{"key": "about", "type": "item", "options": object{"types": []string{"custom_modules.recrod"}}},
		}}), "custom_modules.invalid_definition", map[string]string{
			"fields.0.options.types": "There is no item type custom_modules.recrod. Did you mean custom_modules.record?",
		})
		module := define(t, a, "Notes", []object{{"key": "about", "type": "item", "indexed": true}})
		made := a.Call(t, owner, http.MethodPost, recordsPath, object{"module_uuid": module, "payload": object{}}).OK(t).Get("uuid").String()
		about := func(typ, id string) moduletest.Response {
			return a.Call(t, owner, http.MethodPost, recordsPath,
				object{"module_uuid": module, "payload": object{"about": object{"type": typ, "uuid": id}}})
		}
		note := about("custom_modules.record", made).OK(t)
		require.JSONEq(t, `{"about":{"type":"custom_modules.record","uuid":"`+made+`"}}`, note.Get("payload").Raw)
		refused(t, about("custom_modules.record", "0190d0c0-0000-7000-8000-000000000999"), "custom_modules.invalid_payload",
			map[string]string{"payload.about": "The about does not exist."})
		refused(t, about("sms.message", made), "custom_modules.invalid_payload",
			map[string]string{"payload.about": `There is no item type "sms.message"; the nearest is custom_modules.record.`})
		list := a.Call(t, owner, http.MethodGet, recordsPath+"?module_uuid="+module+"&filter[about]="+made, nil).OK(t)
		require.EqualValues(t, 1, list.Get("data.#").Int())
	})
}
