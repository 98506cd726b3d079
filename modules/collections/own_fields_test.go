package collections_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/audit"
	"github.com/dispatchd/dispatchd/modules/custommodules"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const ownFields = collectionsPath + "/" + gate1 + "/fields"

// eachExtended is eachPort with the area that keeps the fields that companies add.
func eachExtended(t *testing.T, test func(t *testing.T, y yard)) {
	t.Helper()
	moduletest.BootEach(t, append(plainPort(), custommodules.Module, audit.Module), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		test(t, yard{App: a, lots: gate1})
	})
}

// addOwnField adds a field to gates and returns its path.
func (y yard) addOwnField(t *testing.T, body object) string {
	t.Helper()

	return y.Call(t, y.Owner.Token, http.MethodPost, ownFields, body).OK(t).Header.Get("Location")
}

func (y yard) patch(t *testing.T, path string, body object) moduletest.Response {
	t.Helper()

	return y.Call(t, y.Owner.Token, http.MethodPatch, path, body)
}

// invalid is an answer that refuses a field.
func invalid(t *testing.T, r moduletest.Response, code, field string) {
	t.Helper()
	r.Refused(t, http.StatusUnprocessableEntity, code)
	require.Contains(t, r.Get("errors").Map(), field, string(r.Body))
}

func TestOwnFields_AreNoFieldsOfAnotherCompanyAndNoModule(t *testing.T) {
	t.Parallel()
	eachExtended(t, func(t *testing.T, y yard) {
		t.Helper()
		y.Call(t, y.Owner.Token, http.MethodPost, gates, object{"name": "A", "custom": object{"bay": 1}}).
			Refused(t, http.StatusUnprocessableEntity, "port.invalid_gate")
		field := y.addOwnField(t, object{"key": "bay", "type": "integer"})
		require.Contains(t, field, ownFields)
		y.gate(t, object{"name": "A", "custom": object{"bay": 1}})

		require.Empty(t, y.get(t, modulesPath).OK(t).Get("data").Array(), "the fields are kept in no module that anybody sees")
		require.Empty(t, y.get(t, collectionsPath).OK(t).Get(`data.#(area=="custom_modules")`).Raw)
		require.Zero(t, y.get(t, "/custom_modules/api/v1/usage").OK(t).Get("records.used").Int())
		other := y.NewCompany(t)
		y.Call(t, other.Token, http.MethodGet, field, nil).Refused(t, http.StatusNotFound, "custom_modules.field_not_found")
		y.Call(t, other.Token, http.MethodPost, gates, object{"name": "A", "custom": object{"bay": 1}}).
			Refused(t, http.StatusUnprocessableEntity, "port.invalid_gate")
		require.Empty(t, y.Call(t, other.Token, http.MethodGet, ownFields, nil).OK(t).Get("data").Array())
		y.Call(t, y.Owner.Token, http.MethodPost, collectionsPath+"/port.visit/fields", object{"key": "bay", "type": "integer"}).
			Refused(t, http.StatusConflict, "custom_modules.collection_not_extended")
		reader := y.Token(t, y.Owner, "custom_modules:*", "collections:*")
		y.Call(t, reader, http.MethodGet, ownFields, nil).Refused(t, http.StatusForbidden, "web.scope_missing")
	})
}

func TestOwnFields_RefuseWhatDoesNotFitARowOfAnArea(t *testing.T) {
	t.Parallel()
	eachExtended(t, func(t *testing.T, y yard) {
		t.Helper()
		lots := newLots(t, y.App, y.Owner.Token)
		for field, body := range map[string]object{
			"type":              {"key": "sum", "type": "rollup", "options": object{"module_uuid": lots, "reference": "gate", "function": "count"}},
			"searchable":        {"key": "words", "type": "text", "searchable": true, "sensitive": true},
			"options.on_delete": {"key": "lot", "type": "reference", "options": object{"module_uuid": lots, "on_delete": "cascade"}},
		} {
			invalid(t, y.Call(t, y.Owner.Token, http.MethodPost, ownFields, body), "custom_modules.invalid_definition", field)
		}
	})
}

func TestOwnFields_AreUniqueUntilTheRowIsDeletedAndWhenItIsRestored(t *testing.T) {
	t.Parallel()
	eachExtended(t, func(t *testing.T, y yard) {
		t.Helper()
		y.addOwnField(t, object{"key": "code", "type": "text", "unique": true, "required": true})
		invalid(t, y.Call(t, y.Owner.Token, http.MethodPost, gates, object{"name": "A"}), "port.invalid_gate", "custom.code")
		a := y.gate(t, object{"name": "A", "custom": object{"code": "K1"}})
		taken := object{"name": "B", "custom": object{"code": "K1"}}
		invalid(t, y.Call(t, y.Owner.Token, http.MethodPost, gates, taken), "port.invalid_gate", "custom.code")
		some := y.bulk(t, y.Owner.Token, gate1, false, making(taken), making(object{"name": "C", "custom": object{"code": "K2"}}),
			object{"do": "update", "uuid": a, "payload": object{"custom": object{"code": "K2"}}}).OK(t)
		require.Equal(t, "[false,true,false]", some.Get("data.#.ok").Raw, string(some.Body))
		require.True(t, some.Get(`data.0.error.errors.payload\.custom\.code`).Exists(), string(some.Body))

		y.Call(t, y.Owner.Token, http.MethodDelete, gates+"/"+a, nil).OK(t)
		b := y.gate(t, taken)
		invalid(t, y.Call(t, y.Owner.Token, http.MethodPost, gates+"/"+a+"/restore", nil), "port.invalid_gate", "custom.code")
		y.patch(t, gates+"/"+b, object{"custom": object{"code": "K3"}}).OK(t)
		back := y.Call(t, y.Owner.Token, http.MethodPost, gates+"/"+a+"/restore", nil).OK(t)
		require.Equal(t, "K1", back.Get("custom.code").String())
	})
}

func TestOwnFields_ThatAreSensitiveAreForThoseWithTheScope(t *testing.T) {
	t.Parallel()
	eachExtended(t, func(t *testing.T, y yard) {
		t.Helper()
		y.addOwnField(t, object{"key": "pin", "type": "text", "sensitive": true})
		y.addOwnField(t, object{"key": "bay", "type": "integer"})
		a := y.gate(t, object{"name": "A", "custom": object{"pin": "tulip", "bay": 1}})
		y.patch(t, gates+"/"+a, object{"custom": object{"pin": "tulips"}}).OK(t)
		reader := y.Token(t, y.Owner, "port:read", "port:write", "collections:*", "custom_modules:read")
		for _, path := range []string{
			gates + "/" + a, gates, collectionsPath + "/" + gate1, collectionsPath + "/" + gate1 + "/export",
			collectionsPath + "/" + gate1 + "/items/" + a + "/history", collectionsPath + "/" + gate1 + "/items/" + a + "/history/1",
		} {
			shown := y.Call(t, reader, http.MethodGet, path, nil).OK(t)
			require.NotContains(t, string(shown.Body), "tulip", path)
			require.NotRegexp(t, `\bpin\b`, string(shown.Body), path)
		}
		invalid(t, y.Call(t, reader, http.MethodGet, gates+"?filter[custom.pin]=tulips", nil), "list.invalid_query", "filter[custom.pin]")
		invalid(t, y.Call(t, reader, http.MethodPatch, gates+"/"+a, object{"custom": object{"pin": "1"}}), "port.invalid_gate", "custom.pin")
		y.Call(t, reader, http.MethodPatch, gates+"/"+a, object{"custom": object{"bay": 2}}).OK(t)
		trail := y.get(t, "/audit/api/v1/entries?filter[item_uuid]="+a).OK(t)
		require.NotContains(t, string(trail.Body), "tulip")
		require.Equal(t, "tulips", y.get(t, gates+"/"+a).OK(t).Get("custom.pin").String())
	})
}

func TestOwnFields_AreColumnsOfFilesThatCanBeUndone(t *testing.T) {
	t.Parallel()
	eachExtended(t, func(t *testing.T, y yard) {
		t.Helper()
		y.addOwnField(t, object{"key": "bay", "type": "integer", "label": "Bay number"})
		y.addOwnField(t, object{"key": "opened", "type": "date"})
		a := y.gate(t, object{"name": "A", "custom": object{"bay": 1}})
		id := y.send(t, y.Owner.Token, gate1, "Name,Bay number,custom.opened\nA,7,2026-11-23\nB,8,\nC,many,\n")
		y.by(t, id)
		done := y.do(t, y.Owner.Token, id, "start")
		require.EqualValues(t, 1, done.Get("progress.created").Int(), string(done.Body))
		require.EqualValues(t, 1, done.Get("progress.updated").Int(), string(done.Body))
		failed := string(y.get(t, importsPath+"/"+id+"/errors").OK(t).Body)
		require.Contains(t, failed, `row 4, Bay number: ""many"" is not a whole number`)
		require.Equal(t, "name,custom.bay,custom.opened\nA,7,2026-11-23\nB,8,\n", y.exported(t, y.Owner.Token, "name,custom.bay,custom.opened"))
		undone := y.do(t, y.Owner.Token, id, "undo")
		require.EqualValues(t, 2, undone.Get("progress.undone").Int(), string(undone.Body))
		require.JSONEq(t, `{"bay":1,"opened":null}`, y.get(t, gates+"/"+a).OK(t).Get("custom").Raw)
	})
}

func TestOwnFields_KeepTheirValuesWhenTheyAreRenamedConvertedRemovedAndRestored(t *testing.T) {
	t.Parallel()
	eachExtended(t, func(t *testing.T, y yard) {
		t.Helper()
		field := y.addOwnField(t, object{"key": "bay", "type": "integer", "indexed": true})
		a := y.gate(t, object{"name": "A", "custom": object{"bay": 7}})
		y.patch(t, field, object{"key": "dock"}).OK(t)
		require.JSONEq(t, `{"dock":7}`, y.get(t, gates+"/"+a).OK(t).Get("custom").Raw)

		plan := y.Call(t, y.Owner.Token, http.MethodPost, field+"/plan", object{"change": "type", "type": "text"}).OK(t)
		y.Call(t, y.Owner.Token, http.MethodPost, field+"/apply", object{"plan_uuid": plan.Get("uuid").String()}).OK(t)
		y.Eventually(t, func() bool {
			return y.get(t, plan.Header.Get("Location")).OK(t).Get("state").String() == "applied"
		}, "the values are converted")
		require.JSONEq(t, `{"dock":"7"}`, y.get(t, gates+"/"+a).OK(t).Get("custom").Raw)
		y.patch(t, gates+"/"+a, object{"custom": object{"dock": "8"}}).OK(t)
		first := y.get(t, collectionsPath+"/"+gate1+"/items/"+a+"/history/1").OK(t)
		require.Equal(t, "7", first.Get("custom.dock").String())

		revert := y.Call(t, y.Owner.Token, http.MethodPost, collectionsPath+"/"+gate1+"/items/"+a+"/revert", object{"version": 1, "fields": []string{"custom.bay"}})
		invalid(t, revert, "port.invalid_gate", "fields.0")

		now := y.get(t, ownFields).OK(t).Get("data.0.uuid").String()
		y.Call(t, y.Owner.Token, http.MethodDelete, ownFields+"/"+now, nil).OK(t)
		require.False(t, y.get(t, gates+"/"+a).OK(t).Get("custom.dock").Exists())
		y.Call(t, y.Owner.Token, http.MethodPost, ownFields+"/"+now+"/restore", nil).OK(t)
		require.Equal(t, "8", y.get(t, gates+"/"+a).OK(t).Get("custom.dock").String())
	})
}

func TestOwnFields_ThatReferToARecordKeepItOrLetItGo(t *testing.T) {
	t.Parallel()
	eachExtended(t, func(t *testing.T, y yard) {
		t.Helper()
		lots := newLots(t, y.App, y.Owner.Token)
		record := func(code string) string {
			return y.Call(t, y.Owner.Token, http.MethodPost, "/custom_modules/api/v1/records",
				object{"module_uuid": lots, "payload": object{"code": code}}).OK(t).Get("uuid").String()
		}
		kept, gone := record("L1"), record("L2")
		y.addOwnField(t, object{"key": "lot", "type": "reference", "options": object{"module_uuid": lots}})
		y.addOwnField(t, object{"key": "spare", "type": "reference", "options": object{"module_uuid": lots, "on_delete": "set_null"}})
		to := func(id string) object { return object{"record_uuid": id} }
		missing := y.Call(t, y.Owner.Token, http.MethodPost, gates, object{"name": "A", "custom": object{"lot": to(uuid.NewString())}})
		invalid(t, missing, "port.invalid_gate", "custom.lot")
		a := y.gate(t, object{"name": "A", "custom": object{"lot": to(kept), "spare": to(gone)}})
		y.Call(t, y.Owner.Token, http.MethodDelete, "/custom_modules/api/v1/records/"+kept, nil).
			Refused(t, http.StatusConflict, "custom_modules.record_in_use")
		y.Call(t, y.Owner.Token, http.MethodDelete, "/custom_modules/api/v1/records/"+gone, nil).OK(t)
		now := y.get(t, gates+"/"+a).OK(t)
		require.JSONEq(t, `{"lot":{"record_uuid":"`+kept+`"},"spare":null}`, now.Get("custom").Raw)
		require.EqualValues(t, 2, now.Get("version").Int(), "what lets a reference go is a change of the row")
	})
}

func TestOwnFields_AreListedByViewsAndSortedPageByPage(t *testing.T) {
	t.Parallel()
	eachExtended(t, func(t *testing.T, y yard) {
		t.Helper()
		field := y.addOwnField(t, object{"key": "bay", "type": "decimal"})
		for name, bay := range map[string]any{"A": "10", "B": "9.5", "C": nil, "D": "-1"} {
			y.gate(t, object{"name": name, "custom": object{"bay": bay}})
		}
		y.gate(t, object{"name": "E"})
		var names []string
		next := gates + "?sort=custom.bay,name&per_page=2&fields=name"
		for path := next; ; {
			page := y.get(t, path).OK(t)
			for _, name := range page.Get("data.#.name").Array() {
				names = append(names, name.String())
			}
			cursor := page.Get("meta.next_cursor")
			if cursor.String() == "" {
				break
			}
			path = next + "&cursor=" + cursor.String()
		}
		require.Equal(t, []string{"D", "B", "A", "C", "E"}, names)
		view := y.Call(t, y.Owner.Token, http.MethodPost, collectionsPath+"/"+gate1+"/views", object{
			"name": "Bays", "filter": []object{{"field": "custom.bay", "op": "gte", "value": "9.5"}}, "sort": []object{{"field": "custom.bay", "descending": true}},
		}).OK(t).Get("uuid").String()
		y.patch(t, field, object{"key": "dock"}).OK(t)
		require.Equal(t, `["A","B"]`, y.get(t, gates+"?view="+view).OK(t).Get("data.#.name").Raw, "a view goes on with a field under its new key")
	})
}

func TestOwnFields_AreGoneForGoodWithTheRow(t *testing.T) {
	t.Parallel()
	at := clock.NewFake(clock.System{}.Now())
	modules := append(plainPort(), custommodules.Module)
	moduletest.BootEach(t, modules, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		y := yard{App: a, lots: gate1}
		y.addOwnField(t, object{"key": "code", "type": "text", "unique": true})
		kept := y.gate(t, object{"name": "A", "custom": object{"code": "K1"}})
		gone := y.gate(t, object{"name": "B", "custom": object{"code": "K2"}})
		y.Call(t, y.Owner.Token, http.MethodDelete, gates+"/"+gone, nil).OK(t)
		at.Advance(25 * time.Hour)
		_, err := y.Resources.Purge(t.Context())
		require.NoError(t, err)
		var left []string
		require.NoError(t, y.DB.Raw(t.Context(), "test").Raw("SELECT CAST(id AS text) FROM custom_modules_records").Scan(&left).Error)
		require.Equal(t, []string{kept}, left)
	}, moduletest.Set("resource.retention=24h"), moduletest.With(fx.Decorate(func(clock.Clock) clock.Clock { return at })))
}

func TestOwnFields_AreSeenOfItemsThatOthersReferTo(t *testing.T) {
	t.Parallel()
	eachExtended(t, func(t *testing.T, y yard) {
		t.Helper()
		y.addOwnField(t, object{"key": "bay", "type": "integer"})
		y.addOwnField(t, object{"key": "pin", "type": "text", "sensitive": true})
		a := y.gate(t, object{"name": "A", "custom": object{"bay": 7, "pin": "4711"}})
		b := y.gate(t, object{"name": "B", "nearest_uuid": a})
		seen := y.get(t, gates+"/"+b+"?expand=nearest").OK(t)
		require.JSONEq(t, `{"bay":7,"pin":"4711"}`, seen.Get("expanded.nearest.values.custom").Raw)
		reader := y.Token(t, y.Owner, "port:read")
		seen = y.Call(t, reader, http.MethodGet, gates+"/"+b+"?expand=nearest", nil).OK(t)
		require.JSONEq(t, `{"bay":7}`, seen.Get("expanded.nearest.values.custom").Raw)
	})
}
