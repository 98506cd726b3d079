package collections_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func itemsOf(name, id string) string { return collectionsPath + "/" + name + "/items/" + id }

func (y yard) post(t *testing.T, path string, body any, headers ...string) moduletest.Response {
	t.Helper()

	return y.Call(t, y.Owner.Token, http.MethodPost, path, body, headers...)
}

func TestHistory_OfAResourceSaysWhatChangedAndGoesBack(t *testing.T) {
	t.Parallel()
	eachPort(t, func(t *testing.T, y yard) {
		t.Helper()
		near := y.gate(t, object{"name": "Near"})
		id := y.gate(t, object{
			"name": "North", "lanes": 4, "serial": "S1", "code": "4711", "phone": "202-555-0143", "nearest_uuid": near, "notices": []string{"Slow", "<b>"},
		})
		path, items := gates+"/"+id, itemsOf(gate1, id)
		first := y.get(t, path).OK(t)
		y.Call(t, y.Owner.Token, http.MethodPatch, path, object{
			"name": "South", "lanes": 5, "kind": "one_way", "code": "4712", "phone": nil, "nearest_uuid": nil, "notices": nil,
		}).OK(t)
		y.Call(t, y.Owner.Token, http.MethodDelete, path, nil).OK(t)
		require.Equal(t, `["deleted","updated","created"]`, y.get(t, items+"/history?deleted=true").OK(t).Get("data.#.verb").Raw)
		y.get(t, items+"/history").Refused(t, http.StatusNotFound, "port.gate_not_found")
		y.post(t, path+"/restore", nil).OK(t)

		all := y.get(t, items+"/history").OK(t)
		require.Equal(t, `[4,3,2,1]`, all.Get("data.#.version").Raw)
		changed := all.Get("data.2")
		require.Equal(t, "user", changed.Get("actor_kind").String())
		require.NotEmpty(t, changed.Get("request_id").String())
		require.JSONEq(t, `{
			"name": {"before": "North", "after": "South"}, "lanes": {"before": 4, "after": 5}, "kind": {"before": "entry", "after": "one_way"},
			"code": {"before": "4711", "after": "4712"}, "phone": {"before": "+12025550143", "after": null},
			"nearest_uuid": {"before": "`+near+`", "after": null}, "notices": {"before": ["Slow", "<b>"], "after": []}
		}`, changed.Get("changes").Raw)
		require.JSONEq(t, `{"before": null, "after": "S1"}`, all.Get("data.3.changes.serial").Raw, "what it was created with")
		second := y.get(t, items+"/history?per_page=2").OK(t)
		next := y.get(t, items+"/history?per_page=2&cursor="+second.Get("meta.next_cursor").String()).OK(t)
		require.Equal(t, `[2,1]`, next.Get("data.#.version").Raw)
		require.JSONEq(t, changed.Raw, next.Get("data.0").Raw)
		y.get(t, items+"/history?filter[version]=x").Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")

		require.JSONEq(t, string(first.Body), string(y.get(t, items+"/history/1").OK(t).Body))
		y.post(t, items+"/revert", object{"version": 1}, "If-Match", first.Header.Get("ETag")).Refused(t, http.StatusPreconditionFailed, "web.stale")
		y.post(t, items+"/revert", object{"version": 9}).Refused(t, http.StatusNotFound, "collection.version_not_found")
		y.post(t, items+"/revert", object{"version": 1, "fields": []string{"colour", "version"}}).Refused(t, http.StatusUnprocessableEntity, "port.invalid_gate")

		some := y.post(t, items+"/revert", object{"version": 1, "fields": []string{"lanes", "notices"}}).OK(t)
		require.Equal(t, "South", some.Get("name").String())
		require.Equal(t, int64(4), some.Get("lanes").Int())
		require.JSONEq(t, `["Slow", "<b>"]`, some.Get("notices").Raw)
		back := y.post(t, items+"/revert", object{"version": 1}, "If-Match", some.Header.Get("ETag"), "Idempotency-Key", "back").OK(t)
		again := y.post(t, items+"/revert", object{"version": 1}, "If-Match", some.Header.Get("ETag"), "Idempotency-Key", "back").OK(t)
		require.Equal(t, int64(6), again.Get("version").Int())
		require.Equal(t, path, back.Header.Get("Location"))
		for _, key := range []string{"name", "lanes", "kind", "serial", "code", "phone", "nearest_uuid", "notices"} {
			require.Equal(t, first.Get(key).Value(), back.Get(key).Value(), key)
		}
	})
}

func TestHistory_ShowsAndChangesOnlyWhatTheCallerMaySee(t *testing.T) {
	t.Parallel()
	eachPort(t, func(t *testing.T, y yard) {
		t.Helper()
		id := y.gate(t, object{"name": "North", "code": "4711"})
		items := itemsOf(gate1, id)
		y.Call(t, y.Owner.Token, http.MethodPatch, gates+"/"+id, object{"name": "South", "code": "4712"}).OK(t)
		blind := y.Token(t, y.Owner, "collections:*", "port:read", "port:write")
		for _, path := range []string{"/history", "/history/1"} {
			require.NotContains(t, string(y.Call(t, blind, http.MethodGet, items+path, nil).OK(t).Body), `"471`)
		}
		refused := y.Call(t, blind, http.MethodPost, items+"/revert", object{"version": 1}).Refused(t, http.StatusUnprocessableEntity, "port.invalid_gate")
		require.Equal(t, "The code is another one by now, and takes the scope port:sensitive.", refused.Get("errors.code.0").String())
		named := y.Call(t, blind, http.MethodPost, items+"/revert", object{"version": 1, "fields": []string{"name"}}).OK(t)
		require.Equal(t, "North", named.Get("name").String())
		require.Equal(t, "4712", y.get(t, gates+"/"+id).OK(t).Get("code").String())
		y.Call(t, y.Token(t, y.Owner, "collections:*", "port:read"), http.MethodPost, items+"/revert", object{"version": 1}).
			Refused(t, http.StatusForbidden, "web.scope_missing")

		made := y.post(t, "/port/api/v1/remarks", object{"words": "Locked", "about": object{"type": "port.spot", "uuid": vault}}).OK(t)
		y.Call(t, y.Owner.Token, http.MethodPatch, made.Header.Get("Location"), object{"about": nil}).OK(t)
		for _, path := range []string{"/history", "/history/1"} {
			told := itemsOf(remark, made.Get("uuid").String()) + path
			require.Contains(t, string(y.get(t, told).OK(t).Body), vault)
			require.NotContains(t, string(y.Call(t, blind, http.MethodGet, told, nil).OK(t).Body), vault, "it is about what is hidden from the caller")
		}
	})
}

func TestRevert_NamesWhatKeepsARowFromGoingBack(t *testing.T) {
	t.Parallel()
	eachPort(t, func(t *testing.T, y yard) {
		t.Helper()
		near := y.gate(t, object{"name": "Near"})
		id := y.gate(t, object{"name": "North", "nearest_uuid": near})
		y.Call(t, y.Owner.Token, http.MethodDelete, gates+"/"+near, nil).OK(t)
		items := itemsOf(gate1, id)
		told := y.get(t, items+"/history").OK(t).Get("data.0")
		require.Equal(t, "cascade:"+near, told.Get("source").String())
		require.Equal(t, near, told.Get("changes.nearest_uuid.before").String())
		gone := y.post(t, items+"/revert", object{"version": 1}).Refused(t, http.StatusUnprocessableEntity, "port.invalid_gate")
		require.Equal(t, "The nearest uuid does not belong to any gate.", gone.Get("errors.nearest_uuid.0").String())

		y.Call(t, y.Owner.Token, http.MethodPatch, gates+"/"+id, object{"name": "South"}).OK(t)
		y.gate(t, object{"name": "NORTH"})
		taken := y.post(t, items+"/revert", object{"version": 2}).Refused(t, http.StatusConflict, "port.gate_taken")
		require.Equal(t, "The name is taken by NORTH.", taken.Get("errors.name.0").String())
	})
}

func TestHistory_OfACustomModuleIsThatOfItsOwnPaths(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		const records = "/custom_modules/api/v1/records"
		made := y.post(t, records, object{"module_uuid": y.lots, "payload": object{"code": "A", "gate_code": "4711"}}).OK(t)
		id := made.Get("uuid").String()
		y.Call(t, y.Owner.Token, http.MethodPatch, records+"/"+id, object{"payload": object{"code": "B", "price": "1.50", "gate_code": nil}}).OK(t)
		items := itemsOf(y.lots, id)
		require.JSONEq(t, y.get(t, records+"/"+id+"/history").OK(t).Get("data").Raw, y.get(t, items+"/history").OK(t).Get("data").Raw)
		require.JSONEq(t, string(y.get(t, records+"/"+id+"?version=1").OK(t).Body), string(y.get(t, items+"/history/1").OK(t).Body))
		y.get(t, items+"/history/3").Refused(t, http.StatusNotFound, "custom_modules.version_not_found")
		back := y.post(t, items+"/revert", object{"version": 1}).OK(t)
		require.JSONEq(t, `{"code": "A", "gate_code": "4711", "price": null}`, back.Get("payload").Raw)
		require.Equal(t, records+"/"+id, back.Header.Get("Location"))

		other := otherLots(t, y)
		for _, module := range []string{other, uuid.NewString()} {
			for _, path := range []string{"/history", "/history/1"} {
				y.get(t, itemsOf(module, id)+path).Refused(t, http.StatusNotFound, "custom_modules.record_not_found")
			}
		}
		y.post(t, itemsOf(other, id)+"/revert", object{"version": 1}).Refused(t, http.StatusNotFound, "custom_modules.record_not_found")
	})
}

// otherLots makes another module and returns its id.
func otherLots(t *testing.T, y yard) string {
	t.Helper()

	return y.post(t, modulesPath, object{"name": "Other lots", "fields": []object{{"key": "code", "type": "text"}}}).OK(t).Get("uuid").String()
}
