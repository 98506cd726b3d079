package collections_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/collections"
	"github.com/dispatchd/dispatchd/modules/drivers"
	"github.com/dispatchd/dispatchd/modules/fleets"
	"github.com/dispatchd/dispatchd/modules/tasks"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// user is the token of a user of the company with a role.
func (y yard) user(t *testing.T, role identity.Role) string {
	t.Helper()
	user, err := y.Identity.CreateUser(t.Context(), identity.NewUser{
		Company: y.Owner.ID, Email: string(role) + "@example.com", Name: string(role), Role: role,
	})
	require.NoError(t, err)
	_, token, err := y.Identity.IssueToken(t.Context(), identity.NewToken{Company: y.Owner.ID, User: user.ID, Name: "t", Scopes: []string{"*"}})
	require.NoError(t, err)

	return token
}

// A view that was saved by the paths of custom modules is there by these too, and the other way round: it is the same view.
func TestViews_AreThoseOfTheArea(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		all, theirs := collectionsPath+"/"+y.lots+"/views", modulesPath+"/"+y.lots+"/views"
		for _, code := range []string{"A", "B", "C"} {
			y.Call(t, y.Owner.Token, http.MethodPost, modulesPath+"/"+y.lots+"/records", object{"payload": object{"code": code, "gate_code": "Q4711"}}).OK(t)
		}
		made := y.Call(t, y.Owner.Token, http.MethodPost, all, object{
			"name": "From B", "filter": []object{{"field": "code", "op": "gte", "value": "B"}}, "sort": []object{{"field": "code", "descending": true}},
			"columns": []string{"code", "version"},
		}).OK(t)
		id, one := made.Get("uuid").String(), made.Header.Get("Location")
		require.Equal(t, all+"/"+id, one)
		require.Equal(t, `"1"`, made.Header.Get("ETag"))
		require.Equal(t, "From B", y.get(t, theirs+"/"+id).OK(t).Get("name").String())
		require.Equal(t, `["C","B"]`, y.get(t, modulesPath+"/"+y.lots+"/records?view="+id).OK(t).Get("data.#.payload.code").Raw)
		export := string(y.get(t, collectionsPath+"/"+y.lots+"/export?view="+id).OK(t).Body)
		require.Equal(t, "uuid,code,version", strings.TrimSpace(strings.SplitN(export, "\n", 2)[0]))
		require.NotContains(t, export, "Q4711")

		changed := y.Call(t, y.Owner.Token, http.MethodPatch, one, object{"name": "From C", "filter": []object{{"field": "code", "op": "gte", "value": "C"}}}, "If-Match", `"1"`).OK(t)
		require.Equal(t, "code", changed.Get("sort.0.field").String(), "what is not given stays")
		require.Equal(t, `["C"]`, y.get(t, modulesPath+"/"+y.lots+"/records?view="+id).OK(t).Get("data.#.payload.code").Raw)
		y.Call(t, y.Owner.Token, http.MethodPatch, one, object{"name": "x"}, "If-Match", `"1"`).Refused(t, http.StatusPreconditionFailed, "web.stale")
		y.Call(t, y.Owner.Token, http.MethodPatch, one, object{"filter": []object{{"field": "cod", "op": "eq", "value": "x"}}}).
			Refused(t, http.StatusUnprocessableEntity, "collection.invalid_view")

		made = y.Call(t, y.Owner.Token, http.MethodPost, theirs, object{"name": "All", "shared": true}).OK(t)
		require.Equal(t, `["All","From C"]`, y.get(t, all).OK(t).Get("data.#.name").Raw)
		require.Equal(t, http.StatusNoContent, y.Call(t, y.Owner.Token, http.MethodDelete, all+"/"+made.Get("uuid").String(), nil).Status)
		y.get(t, theirs+"/"+made.Get("uuid").String()).Refused(t, http.StatusNotFound, "custom_modules.view_not_found")
	})
}

func TestViews_AreOnesOwnOrEverybodys(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		all := collectionsPath + "/" + y.lots + "/views"
		ann := y.user(t, identity.Viewer)
		own := y.Call(t, y.Owner.Token, http.MethodPost, all, object{"name": "Mine"}).OK(t).Header.Get("Location")
		refusedAnn := func(r moduletest.Response) { r.Refused(t, http.StatusNotFound, "collection.view_not_found") }
		refusedAnn(y.Call(t, ann, http.MethodGet, own, nil))
		refusedAnn(y.Call(t, ann, http.MethodPatch, own, object{"name": "x"}))
		refusedAnn(y.Call(t, ann, http.MethodDelete, own, nil))
		require.Zero(t, y.Call(t, ann, http.MethodGet, all, nil).OK(t).Get("data.#").Int())

		y.Call(t, y.Owner.Token, http.MethodPatch, own, object{"shared": true}).OK(t)
		require.Equal(t, "Mine", y.Call(t, ann, http.MethodGet, own, nil).OK(t).Get("name").String())
		y.Call(t, ann, http.MethodPatch, own, object{"name": "x"}).Refused(t, http.StatusForbidden, "web.scope_missing")
		y.Call(t, ann, http.MethodPost, all, object{"name": "x", "shared": true}).Refused(t, http.StatusForbidden, "web.scope_missing")
		y.Call(t, ann, http.MethodPost, all, object{"name": "Ann's"}).OK(t)

		y.Call(t, y.Token(t, y.Owner, "collections:*"), http.MethodGet, all, nil).Refused(t, http.StatusForbidden, "web.scope_missing")
		other := y.NewCompany(t).Token
		y.Call(t, other, http.MethodGet, all, nil).Refused(t, http.StatusNotFound, "collection.not_found")
		y.Call(t, other, http.MethodGet, own, nil).Refused(t, http.StatusNotFound, "collection.not_found")
	})
}

func TestViews_SayWhichOfTheirFieldsAreGone(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		fields := modulesPath + "/" + y.lots + "/fields"
		price := y.get(t, fields).OK(t).Get(`data.#(key=="price").uuid`).String()
		one := y.Call(t, y.Owner.Token, http.MethodPost, collectionsPath+"/"+y.lots+"/views", object{
			"name": "Dear", "filter": []object{{"field": "price", "op": "gt", "value": "100"}}, "columns": []string{"code"},
		}).OK(t).Header.Get("Location")
		y.Call(t, y.Owner.Token, http.MethodDelete, fields+"/"+price, nil)
		require.JSONEq(t, `[{"path":"filter.0","field":"`+price+`"}]`, y.get(t, one).OK(t).Get("broken").Raw)
		require.Equal(t, "Was dear", y.Call(t, y.Owner.Token, http.MethodPatch, one, object{"name": "Was dear"}).OK(t).Get("name").String())
		_, id, _ := strings.Cut(one, "/views/")
		y.get(t, collectionsPath+"/"+y.lots+"/export?view="+id).Refused(t, http.StatusUnprocessableEntity, "custom_modules.view_broken")
		y.Call(t, y.Owner.Token, http.MethodPatch, one, object{"filter": []object{}}).OK(t)
		y.get(t, collectionsPath+"/"+y.lots+"/export?view="+id).OK(t)
	})
}

func TestViews_OfResourcesDecideAboutTheirListsAndExports(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, []module.Module{collections.Module, tasks.Module}, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		const tasksPath, all = "/tasks/api/v1/tasks", collectionsPath + "/tasks.task/views"
		y := yard{App: a}
		ann := y.user(t, identity.Dispatcher)
		me := func(token string) string {
			return a.Call(t, token, http.MethodPost, tasksPath, object{"title": "Mine"}).OK(t).Get("created_by").String()
		}
		now := clock.System{}.Now()
		for title, days := range map[string]int{"Late": -3, "Soon": 1, "Far": 40} {
			for _, token := range []string{a.Owner.Token, ann} {
				a.Call(t, a.Owner.Token, http.MethodPost, tasksPath, object{
					"title": title, "due_at": now.AddDate(0, 0, days), "assignee_uuid": me(token), "priority": "high",
				}).OK(t)
			}
		}
		made := a.Call(t, a.Owner.Token, http.MethodPost, all, object{
			"name": "Mine, soon", "shared": true, "sort": []object{{"field": "due_at", "descending": true}}, "columns": []string{"title", "priority"},
			"filter": []object{{"field": "assignee_uuid", "op": "eq", "value": "me"}, {"field": "due_at", "op": "lte", "value": "today+7d"}},
		}).OK(t)
		view := made.Get("uuid").String()
		require.Equal(t, `["today+7d"]`, made.Get(`filter.#(field=="due_at")#.value`).Raw, "it is another day each time")
		for _, token := range []string{a.Owner.Token, ann} {
			found := a.Call(t, token, http.MethodGet, tasksPath+"?view="+view, nil).OK(t)
			require.Equal(t, `["Soon","Late"]`, found.Get("data.#.title").Raw)
			require.False(t, found.Get("data.0.state").Exists(), "the columns are those of the view")
			next := a.Call(t, token, http.MethodGet, tasksPath+"?per_page=1&view="+view, nil).OK(t).Get("meta.next_cursor").String()
			require.Equal(t, `["Late"]`, a.Call(t, token, http.MethodGet, tasksPath+"?per_page=1&view="+view+"&cursor="+next, nil).OK(t).Get("data.#.title").Raw)
			require.Equal(t, `["Late","Soon"]`, a.Call(t, token, http.MethodGet, tasksPath+"?sort=title&view="+view, nil).OK(t).Get("data.#.title").Raw)
			export := string(a.Call(t, token, http.MethodGet, collectionsPath+"/tasks.task/export?view="+view, nil).OK(t).Body)
			require.Equal(t, []string{"uuid,title,priority", "Soon,high", "Late,high"}, withoutUUIDs(export))
		}
		a.Call(t, a.Owner.Token, http.MethodPost, all, object{"name": "x", "filter": []object{{"field": "titel", "op": "eq", "value": "x"}}}).
			Refused(t, http.StatusUnprocessableEntity, "collection.invalid_view")
		wrong := a.Call(t, a.Owner.Token, http.MethodPost, all, object{"name": "x", "sort": []object{{"field": "description"}}})
		wrong.Refused(t, http.StatusUnprocessableEntity, "collection.invalid_view")
		require.Contains(t, wrong.Get("errors.sort.0").String(), "description")

		viewer := y.user(t, identity.Viewer)
		a.Call(t, viewer, http.MethodPost, all, object{"name": "x", "shared": true}).Refused(t, http.StatusForbidden, "web.scope_missing")
		a.Call(t, viewer, http.MethodDelete, all+"/"+view, nil).Refused(t, http.StatusForbidden, "web.scope_missing")
		own := a.Call(t, viewer, http.MethodPost, all, object{"name": "x"}).OK(t).Get("uuid").String()
		a.Call(t, ann, http.MethodGet, tasksPath+"?view="+own, nil).Refused(t, http.StatusNotFound, "collection.view_not_found")
		a.Call(t, a.NewCompany(t).Token, http.MethodGet, tasksPath+"?view="+view, nil).Refused(t, http.StatusNotFound, "collection.view_not_found")
		a.Call(t, a.Owner.Token, http.MethodDelete, all+"/"+view, nil).OK(t)
		a.Call(t, a.Owner.Token, http.MethodGet, tasksPath+"?view="+view, nil).Refused(t, http.StatusNotFound, "collection.view_not_found")
	})
}

// withoutUUIDs is an export without the first column of its rows.
func withoutUUIDs(export string) []string {
	lines := strings.Fields(export)
	for i := range lines[1:] {
		_, lines[i+1], _ = strings.Cut(lines[i+1], ",")
	}

	return lines
}

func TestViews_OfResourcesHideSensitiveFields(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, []module.Module{collections.Module, drivers.Module, fleets.Module}, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		const driversPath, all = "/drivers/api/v1/drivers", collectionsPath + "/drivers.driver/views"
		view := a.Call(t, a.Owner.Token, http.MethodPost, all, object{
			"name": "By license", "shared": true, "filter": []object{{"field": "license_number", "op": "eq", "value": "X424242"}},
			"columns": []string{"name", "license_number"},
		}).OK(t).Get("uuid").String()
		a.Call(t, a.Owner.Token, http.MethodGet, driversPath+"?view="+view, nil).OK(t)
		reader := a.Token(t, a.Owner, "collections:*", "drivers:read")
		seen := a.Call(t, reader, http.MethodGet, all+"/"+view, nil).OK(t)
		require.NotContains(t, string(seen.Body), "424242")
		require.JSONEq(t, `[{"path":"filter.0","field":"license_number"},{"path":"columns.1","field":"license_number"}]`, seen.Get("broken").Raw)
		a.Call(t, reader, http.MethodGet, driversPath+"?view="+view, nil).Refused(t, http.StatusUnprocessableEntity, "collection.view_broken")
		var action, changes string
		require.NoError(t, a.DB.SQL().QueryRowContext(t.Context(), "SELECT action, CAST(changes AS text) FROM audit_entries WHERE item_type = 'drivers.view'").
			Scan(&action, &changes))
		require.Equal(t, "drivers.view.created", action)
		require.Contains(t, changes, "license_number")
		require.NotContains(t, changes, "424242")
	})
}
