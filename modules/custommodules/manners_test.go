package custommodules_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestDeleteField_OfASensitiveOneTakesItsScope(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		module := y.module(t, "People", object{"key": "name", "type": "text"}, object{"key": "ssn", "type": "text", "sensitive": true})
		definer := y.Token(t, y.Owner, "custom_modules:read", "custom_modules:write", "custom_modules:define")
		secret := y.field(t, module, "ssn")
		for _, call := range []struct {
			method, path string
			body         any
		}{{http.MethodDelete, secret, nil}, {http.MethodPost, secret + "/plan", object{"change": "delete"}}} {
			y.Call(t, definer, call.method, call.path, call.body).Refused(t, http.StatusForbidden, "web.scope_missing")
		}
		plan := y.planned(t, secret, object{"change": "delete"}).Get("uuid").String()
		y.Call(t, definer, http.MethodPost, secret+"/apply", object{"plan_uuid": plan}).
			Refused(t, http.StatusForbidden, "web.scope_missing")
		require.Equal(t, http.StatusNoContent, y.Call(t, definer, http.MethodDelete, y.field(t, module, "name"), nil).Status)
		require.Equal(t, http.StatusNoContent, y.Call(t, y.Owner.Token, http.MethodDelete, secret, nil).Status)
	})
}

func TestBulk_IsForbiddenToWhoMayDoNoneOfIt(t *testing.T) {
	t.Parallel()
	eachApp(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		module := define(t, a, "Trucks", []object{{"key": "unit", "type": "text"}}, object{"permissions": object{"delete": []string{"admin"}}})
		closed := define(t, a, "Rates", []object{{"key": "unit", "type": "text"}}, object{"permissions": object{"write": []string{"admin"}}})
		dispatcher := as(t, a, identity.Dispatcher)
		creates := object{"do": "create", "payload": object{"unit": "1"}}
		there := a.Call(t, a.Owner.Token, http.MethodPost, recordsPath, object{"module_uuid": module, "payload": object{}}).OK(t)
		deletes := object{"do": "delete", "uuid": there.Get("uuid").String()}
		bulk := func(module string, atomic bool, items ...object) moduletest.Response {
			return a.Call(t, dispatcher, http.MethodPost, bulkPath, object{"module_uuid": module, "atomic": atomic, "items": items})
		}
		for _, atomic := range []bool{true, false} {
			refusal := bulk(closed, atomic, creates).Refused(t, http.StatusForbidden, "custom_modules.not_permitted")
			require.Equal(t, "write", refusal.Get("details.permission").String())
			bulk(module, atomic, deletes).Refused(t, http.StatusForbidden, "custom_modules.not_permitted")
		}
		bulk(module, true, creates, deletes).Refused(t, http.StatusForbidden, "custom_modules.not_permitted")
		mixed := bulk(module, false, creates, deletes).OK(t)
		require.True(t, mixed.Get("data.0.ok").Bool())
		require.Equal(t, "custom_modules.not_permitted", mixed.Get("data.1.error.code").String())
	})
}

func TestBulk_LetsAnItemOfNoVerbFailByItself(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		parts := y.parts(t)
		some := y.bulk(t, parts, false, creating("a", 1), object{"do": "make"}, object{"do": "update", "payload": object{}}, creating("b", 2)).OK(t)
		require.Equal(t, "[true,false,false,true]", some.Get("data.#.ok").Raw)
		require.Equal(t, "`do` must be create, update, upsert or delete.", some.Get("data.1.error.errors.do.0").String())
		require.Equal(t, "The uuid is required.", some.Get("data.2.error.errors.uuid.0").String())
	})
}

func TestDefault_MustBeOneThatANewRecordCanHave(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		nobody := map[string]string{"default": "The default does not exist: it must be the UUID of a user of the company."}
		module := y.module(t, "Loads", object{"key": "by", "type": "user"}, object{
			"key": "state", "type": "select", "default": "new",
			"options": object{"options": []object{{"id": "new"}, {"id": "done"}}},
		}, object{"key": "tags", "type": "multi_select", "default": []string{"hot"}, "options": object{"options": []object{{"id": "hot"}, {"id": "cold"}}}})
		field := object{"key": "owner", "type": "user", "default": uuid.NewString()}
		refused(t, y.post(t, modulesPath+"/"+module+"/fields", field), "custom_modules.invalid_definition", nobody)
		refused(t, y.post(t, modulesPath, object{"name": "Others", "fields": []object{field}}), "custom_modules.invalid_definition",
			map[string]string{"fields.0.default": nobody["default"]})
		refused(t, y.change(t, y.field(t, module, "by"), object{"default": uuid.NewString()}), "custom_modules.invalid_definition", nobody)
		for key, options := range map[string][]object{
			"state": {{"id": "new", "archived": true}, {"id": "done"}}, "tags": {{"id": "hot", "archived": true}, {"id": "cold"}},
		} {
			archiving := y.change(t, y.field(t, module, key), object{"options": object{"options": options}}).
				Refused(t, http.StatusUnprocessableEntity, "custom_modules.invalid_definition")
			require.Contains(t, archiving.Get("errors.default.0").String(), "archived", key)
			y.change(t, y.field(t, module, key), object{"options": object{"options": options}, "default": nil}).OK(t)
		}
		y.create(t, module, object{}).OK(t)
	})
}

func TestRecords_RefuseWhatHasNoMeaning(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		module := y.module(t, "Loads", object{"key": "state", "type": "select", "indexed": true, "options": object{"options": []object{{"id": "new"}, {"id": "old", "archived": true}}}})
		record := y.create(t, module, object{"state": "new"}).OK(t).Header.Get("Location")
		for _, filter := range []string{"filter[state]=nwe", "filter[state][in]=new,nwe", "filter[state][ne]=nwe"} {
			typo := y.get(t, recordsPath+"?module_uuid="+module+"&"+filter)
			require.Equal(t, http.StatusUnprocessableEntity, typo.Status, filter)
			require.Contains(t, string(typo.Body), "must be one of new, old.")
		}
		require.EqualValues(t, 0, y.count(t, "module_uuid="+module+"&filter[state]=old"))

		require.Equal(t, http.StatusUnprocessableEntity, y.get(t, record+"?version=0").Status)
		y.get(t, record+"?version=1").OK(t)

		y.post(t, record+"/restore", nil).Refused(t, http.StatusConflict, "custom_modules.record_not_deleted")
		y.post(t, modulesPath+"/"+module+"/restore", nil).Refused(t, http.StatusConflict, "custom_modules.module_not_deleted")
		y.post(t, recordsPath+"/"+uuid.NewString()+"/restore", nil).Refused(t, http.StatusNotFound, "custom_modules.record_not_found")
		y.Call(t, y.NewCompany(t).Token, http.MethodPost, record+"/restore", nil).Refused(t, http.StatusNotFound, "custom_modules.record_not_found")
	})
}

func TestMessages_CallAFieldByItsLabelAndCountRecords(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		module := y.module(t, "Loads", object{"key": "rate_1", "label": "Rate (USD)", "type": "decimal", "required": true})
		refused(t, y.create(t, module, object{}), "custom_modules.invalid_payload", map[string]string{"payload.rate_1": "The Rate (USD) is required."})
		y.create(t, y.vehicles, y.documented()).OK(t)
		inUse := y.Call(t, y.Owner.Token, http.MethodDelete, recordsPath+"/"+y.customer, nil).Refused(t, http.StatusConflict, "custom_modules.record_in_use")
		require.Equal(t, "1 record refers to the record, by its field customer.", inUse.Get("message").String())
	})
}

func TestFormula_SaysWhatIsRight(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		for formula, says := range map[string]string{
			`if(year > 2000, 1, 2)`:       `A condition is written with ? and :, such as price > 100 ? "dear" : "cheap".`,
			`IIF(year > 2000, 1, 2)`:      `A condition is written with ? and :`,
			`99999999999999999999 + year`: "a number has too many digits",
		} {
			wrong := y.post(t, modulesPath+"/"+y.vehicles+"/fields",
				object{"key": "age", "type": "formula", "options": object{"formula": formula, "result": "integer"}}).
				Refused(t, http.StatusUnprocessableEntity, "custom_modules.invalid_definition")
			require.Contains(t, string(wrong.Body), says[:20], formula)
			require.NotContains(t, string(wrong.Body), "strconv")
		}
	})
}
