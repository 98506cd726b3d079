package resource_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const (
	gates = "/yard/api/v1/gates"
	docks = "/yard/api/v1/docks"
)

func each(t *testing.T, test func(t *testing.T, a *moduletest.App), options ...moduletest.Option) {
	t.Helper()
	moduletest.BootEach(t, yard(tables()), test, options...)
}

type object = map[string]any

// escaped is a name for gjson, to which a dot leads inside.
func escaped(name string) string { return strings.ReplaceAll(name, ".", `\.`) }

func TestResource_IsCreatedReadListedChangedDeletedAndRestored(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		call := func(method, path string, body any, headers ...string) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body, headers...)
		}
		made := call(http.MethodPost, gates, object{"name": " North ", "serial": "S-1", "notices": []object{{"words": "Slow"}}}).OK(t)
		at := made.Header.Get("Location")
		require.Equal(t, "North", made.Get("name").String())
		require.Equal(t, "G-0001", made.Get("number").String())
		require.Equal(t, int64(2), made.Get("lanes").Int(), "the default")
		require.Equal(t, "entry", made.Get("kind").String())
		require.Equal(t, "open", made.Get("state").String())
		require.Equal(t, int64(24), made.Get("measured").Int(), "by the area's service")
		require.Equal(t, "Slow", made.Get("notices.0.words").String())
		require.JSONEq(t, string(made.Body), string(call(http.MethodGet, at, nil).OK(t).Body))

		changed := call(http.MethodPatch, at, object{"lanes": 4}, "If-Match", made.Header.Get("ETag")).OK(t)
		require.Equal(t, int64(48), changed.Get("measured").Int())
		require.Equal(t, int64(2), changed.Get("version").Int())
		require.Equal(t, "S-1", changed.Get("serial").String())
		call(http.MethodPatch, at, object{"lanes": 5}, "If-Match", made.Header.Get("ETag")).Refused(t, http.StatusPreconditionFailed, "web.stale")
		same := call(http.MethodPatch, at, object{"lanes": 4}).OK(t)
		require.Equal(t, int64(2), same.Get("version").Int(), "nothing changed")

		listed := call(http.MethodGet, gates+"?filter[lanes][gte]=4&q=nórth&sort=-lanes&fields=name", nil).OK(t)
		require.Equal(t, "North", listed.Get("data.0.name").String())
		require.Zero(t, a.Call(t, a.NewCompany(t).Token, http.MethodGet, gates, nil).OK(t).Get("data.#").Int())

		coded := call(http.MethodPatch, at, object{"code": "1234"}).OK(t)
		require.Equal(t, "4321", call(http.MethodPatch, at, object{"code": "4321"}).OK(t).Get("code").String(), "what was there is replaced")
		require.Equal(t, "4321", call(http.MethodGet, at, nil).OK(t).Get("code").String())
		require.Equal(t, int64(3), coded.Get("version").Int())

		shut := call(http.MethodPost, at+"/shut", nil).OK(t)
		require.Equal(t, "shut", shut.Get("state").String())
		call(http.MethodPost, at+"/shut", nil).Refused(t, http.StatusConflict, "state.not_allowed")

		call(http.MethodDelete, at, nil).OK(t)
		call(http.MethodGet, at, nil).Refused(t, http.StatusNotFound, "yard.gate_not_found")
		call(http.MethodDelete, at, nil).Refused(t, http.StatusNotFound, "yard.gate_not_found")
		require.Zero(t, call(http.MethodGet, gates, nil).OK(t).Get("data.#").Int())
		require.NotEmpty(t, call(http.MethodGet, gates+"?deleted=true", nil).OK(t).Get("data.0.deleted_at").String())
		require.Equal(t, "shut", call(http.MethodPost, at+"/restore", nil).OK(t).Get("state").String())

		require.Equal(t, []string{"yard.gate.shut"}, a.EventNames(t, a.Owner))
		require.Equal(t, []string{
			"yard.gate.created", "yard.gate.updated", "yard.gate.updated", "yard.gate.updated", "yard.gate.shut", "yard.gate.deleted", "yard.gate.restored",
		}, a.Audited(t, a.Owner))
	})
}

func TestResource_SaysWhatIsWrongWithABody(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		at := a.Call(t, a.Owner.Token, http.MethodPost, gates, object{"name": "North", "serial": "S-1"}).OK(t).Header.Get("Location")
		for name, test := range map[string]struct {
			method, path, field, words string
			body                       object
		}{
			"required":          {http.MethodPost, gates, "name", "The name is required.", object{"lanes": 1}},
			"blank":             {http.MethodPost, gates, "name", "The name is required.", object{"name": " \t"}},
			"taken away":        {http.MethodPatch, at, "name", "The name is required.", object{"name": nil}},
			"too long":          {http.MethodPost, gates, "name", "The name must be at most 20 characters long.", object{"name": "123456789012345678901"}},
			"too many":          {http.MethodPost, gates, "lanes", "The lanes must be at most 9.", object{"name": "x", "lanes": 10}},
			"none of the words": {http.MethodPatch, at, "kind", "The kind must be one of: entry, exit.", object{"kind": "x"}},
			"unknown":           {http.MethodPatch, at, "colour", "This key is not known. Known are: code, custom, dock_uuid, guard_uuid, kind, lanes, name, notices, phone, spare_uuid, tested.", object{"colour": "red"}},
			"the service's":     {http.MethodPatch, at, "state", "The state is set by the verbs of its life, such as POST /yard/api/v1/gates/{uuid}/shut. Please leave it out here.", object{"state": "shut"}},
			"fixed":             {http.MethodPatch, at, "serial", "The serial cannot be changed.", object{"serial": "S-2"}},
			"no such item":      {http.MethodPatch, at, "dock_uuid", "The dock uuid does not belong to any dock.", object{"dock_uuid": a.Owner.ID}},
			"no such user":      {http.MethodPatch, at, "guard_uuid", "The guard uuid does not belong to any user of the company.", object{"guard_uuid": a.Owner.ID}},
			"the area's":        {http.MethodPatch, at, "name", "The name is forbidden.", object{"name": "Forbidden"}},
			"no phone":          {http.MethodPatch, at, "phone", "The phone must be a phone number, such as +1 202 555 0143.", object{"phone": "12"}},
			"no date":           {http.MethodPatch, at, "tested", "The tested must be a date: YYYY-MM-DD.", object{"tested": "12"}},
			"inside a list":     {http.MethodPatch, at, "notices.0.words", "The words must not be empty.", object{"notices": []object{{"words": ""}}}},
		} {
			refused := a.Call(t, a.Owner.Token, test.method, test.path, test.body)
			require.Equal(t, http.StatusUnprocessableEntity, refused.Status, name)
			require.Equal(t, test.words, refused.Get("errors."+escaped(test.field)+".0").String(), "%s: %s", name, refused.Body)
		}
		changed := a.Call(t, a.Owner.Token, http.MethodPatch, at, object{"lanes": 3, "notices": nil, "kind": nil}).OK(t)
		same := a.Call(t, a.Owner.Token, http.MethodPatch, at, object{"name": " " + changed.Get("name").String() + "\n"}).OK(t)
		require.Equal(t, changed.Get("version").Int(), same.Get("version").Int(), "in its normal form it is the same")
	})
}

func TestResource_BringsValuesAndFiltersIntoTheNormalFormOfTheirType(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		made := a.Call(t, a.Owner.Token, http.MethodPost, gates, object{"name": "North", "phone": "(202) 555-0143", "tested": "2026-09-22"}).OK(t)
		a.Call(t, a.Owner.Token, http.MethodPost, gates, object{"name": "South"}).OK(t)
		require.Equal(t, "+12025550143", made.Get("phone").String())
		for query, want := range map[string]string{
			"filter[phone]=202-555-0143": "North", "filter[tested][lt]=2026-09-23": "North", "filter[tested][null]=true": "South",
			"sort=-tested": "North", "sort=tested&filter[phone][null]=true": "South",
		} {
			listed := a.Call(t, a.Owner.Token, http.MethodGet, gates+"?"+query, nil).OK(t)
			require.Equal(t, want, listed.Get("data.0.name").String(), query)
		}
		first := a.Call(t, a.Owner.Token, http.MethodGet, gates+"?per_page=1&sort=-tested", nil).OK(t)
		next := a.Call(t, a.Owner.Token, http.MethodGet, gates+"?per_page=1&sort=-tested&cursor="+first.Get("meta.next_cursor").String(), nil).OK(t)
		require.Equal(t, "2026-09-22", first.Get("data.0.tested").String())
		require.Equal(t, "South", next.Get("data.0.name").String())
	})
}

func TestResource_NamesWhoHasAUniqueValue(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		first := a.Call(t, a.Owner.Token, http.MethodPost, gates, object{"name": "North"}).OK(t)
		refused := a.Call(t, a.Owner.Token, http.MethodPost, gates, object{"name": "North"}).Refused(t, http.StatusConflict, "yard.gate_taken")
		require.Equal(t, "There is one already: North.", refused.Get("message").String())
		require.Equal(t, first.Get("uuid").String(), refused.Get("details.uuid").String())
		keyed := a.Call(t, a.Owner.Token, http.MethodPost, gates, object{"name": "North"}, "Idempotency-Key", "once")
		require.Equal(t, first.Get("uuid").String(), keyed.Refused(t, http.StatusConflict, "yard.gate_taken").Get("details.uuid").String())
		a.Call(t, a.NewCompany(t).Token, http.MethodPost, gates, object{"name": "North"}).OK(t)

		at := first.Header.Get("Location")
		a.Call(t, a.Owner.Token, http.MethodDelete, at, nil).OK(t)
		a.Call(t, a.Owner.Token, http.MethodPost, gates, object{"name": "North"}).OK(t)
		a.Call(t, a.Owner.Token, http.MethodPost, at+"/restore", nil).Refused(t, http.StatusConflict, "yard.gate_taken")
	})
}

func TestResource_KeepsSensitiveFieldsFromThoseWithoutTheScope(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		at := a.Call(t, a.Owner.Token, http.MethodPost, gates, object{"name": "North", "code": "1234"}).OK(t).Header.Get("Location")
		plain := a.Token(t, a.Owner, "yard:read", "yard:write")
		require.Equal(t, "1234", a.Call(t, a.Owner.Token, http.MethodGet, at, nil).OK(t).Get("code").String())
		require.Empty(t, a.Call(t, plain, http.MethodGet, at, nil).OK(t).Get("code").String())
		require.Empty(t, a.Call(t, plain, http.MethodGet, gates, nil).OK(t).Get("data.0.code").String())
		a.Call(t, plain, http.MethodGet, gates+"?filter[code]=1234", nil).Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")
		a.Call(t, plain, http.MethodPatch, at, object{"code": "4321"}).Refused(t, http.StatusForbidden, "web.scope_missing")
		require.Empty(t, a.Call(t, plain, http.MethodPatch, at, object{"lanes": 3}).OK(t).Get("code").String())
		require.Equal(t, "1234", a.Call(t, a.Owner.Token, http.MethodGet, gates+"?filter[code]=1234", nil).OK(t).Get("data.0.code").String())
	})
}

func TestResource_ClearsOrKeepsWhatRefersToADeletedItem(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		dock := a.Call(t, a.Owner.Token, http.MethodPost, docks, object{"name": "Dock 1"}).OK(t)
		id := dock.Get("uuid").String()
		gate := a.Call(t, a.Owner.Token, http.MethodPost, gates, object{"name": "North", "dock_uuid": id, "spare_uuid": id}).OK(t)
		at := gate.Header.Get("Location")
		for _, shown := range []string{
			a.Call(t, a.Owner.Token, http.MethodGet, at+"?expand=dock", nil).OK(t).Get("expanded.dock").Raw,
			a.Call(t, a.Owner.Token, http.MethodGet, gates+"?expand=dock", nil).OK(t).Get("data.0.expanded.dock").Raw,
		} {
			require.Contains(t, shown, `"title":"Dock 1"`)
			require.Contains(t, shown, `"exists":true`)
		}
		a.Call(t, a.Owner.Token, http.MethodGet, at+"?expand=nothing", nil).Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")

		refused := a.Call(t, a.Owner.Token, http.MethodDelete, docks+"/"+id, nil).Refused(t, http.StatusConflict, "yard.dock_in_use")
		require.Equal(t, "It is in use by a gate, such as North. Change what refers to it first.", refused.Get("message").String())
		a.Call(t, a.Owner.Token, http.MethodPatch, at, object{"spare_uuid": nil}).OK(t)
		a.Call(t, a.Owner.Token, http.MethodDelete, docks+"/"+id, nil).OK(t)
		cleared := a.Call(t, a.Owner.Token, http.MethodGet, at, nil).OK(t)
		require.Equal(t, "null", cleared.Get("dock_uuid").Raw)
		require.Equal(t, int64(3), cleared.Get("version").Int())
	})
}
