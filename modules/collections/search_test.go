package collections_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/collections"
	"github.com/dispatchd/dispatchd/modules/custommodules"
	"github.com/dispatchd/dispatchd/modules/drivers"
	"github.com/dispatchd/dispatchd/modules/fleets"
	"github.com/dispatchd/dispatchd/modules/trucks"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/feature"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const searchPath = "/collections/api/v1/search"

// eachFleet runs test with trucks, drivers, fleets and a module Notes, whose title and body are searchable. There are a truck, a
// driver and two notes.
func eachFleet(t *testing.T, test func(t *testing.T, y yard)) {
	t.Helper()
	modules := []module.Module{collections.Module, custommodules.Module, drivers.Module, fleets.Module, trucks.Module}
	moduletest.BootEach(t, modules, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		y := yard{a, a.Call(t, a.Owner.Token, http.MethodPost, modulesPath, object{"name": "Notes", "fields": []object{
			{"key": "title", "type": "text", "searchable": true},
			{"key": "body", "type": "long_text", "searchable": true},
			{"key": "secret", "type": "text", "sensitive": true},
		}}).OK(t).Get("uuid").String()}
		for _, payload := range []object{
			{"title": "Radiator", "body": "Ask Zoë"},
			{"title": "Älpha", "body": "one two three four five six seven eight the RADIATOR leaks and drips and drips and drips and drips", "secret": "zebra"},
		} {
			a.Call(t, a.Owner.Token, http.MethodPost, "/custom_modules/api/v1/records", object{"module_uuid": y.lots, "payload": payload}).OK(t)
		}
		a.Call(t, a.Owner.Token, http.MethodPost, "/drivers/api/v1/drivers", object{"name": "Zoë Lee", "license_number": "zebra77"}).OK(t)
		a.Call(t, a.Owner.Token, http.MethodPost, "/trucks/api/v1/trucks", object{"unit": "Radiator truck", "notes": "Zoé drives it"}).OK(t)
		test(t, y)
	})
}

// search returns what a query finds as "type title (field)", a line each.
func (y yard) search(t *testing.T, token, q string) string {
	t.Helper()
	var lines []string
	for _, hit := range y.Call(t, token, http.MethodGet, searchPath+"?q="+url.QueryEscape(q), nil).OK(t).Get("data").Array() {
		lines = append(lines, hit.Get("type").String()+" "+hit.Get("title").String()+" ("+hit.Get("field").String()+")")
	}

	return strings.Join(lines, "\n")
}

func TestSearch_FindsRowsOfAllCollectionsByTheirTitlesFirst(t *testing.T) {
	t.Parallel()
	eachFleet(t, func(t *testing.T, y yard) {
		t.Helper()
		require.Equal(t, "custom_modules.record Radiator (title)\ntrucks.truck Radiator truck (unit)\ncustom_modules.record Älpha (body)",
			y.search(t, y.Owner.Token, "RADIÁTOR"))
		require.Equal(t, "drivers.driver Zoë Lee (name)\ntrucks.truck Radiator truck (notes)\ncustom_modules.record Radiator (body)",
			y.search(t, y.Owner.Token, "zoe"))
		require.Equal(t, "trucks.truck Radiator truck (notes)", y.search(t, y.Owner.Token, "drives zoe it"), "all words")
		for _, q := range []string{"zebra", "%%%", "nothing"} {
			require.Empty(t, y.search(t, y.Owner.Token, q), q)
		}
		first := y.get(t, searchPath+"?q=radiator&limit=1").OK(t)
		require.True(t, first.Get("meta.more").Bool())
		require.JSONEq(t, `{"name": "`+y.lots+`", "area": "custom_modules", "title": "Notes"}`, first.Get("data.0.collection").Raw)
		require.Equal(t, "… four five six seven eight the RADIATOR leaks and drips and drips and drips and drips",
			y.get(t, searchPath+"?q=radiator").OK(t).Get("data.2.snippet").String())
		truck := y.get(t, searchPath+"?q=zoe+drives").OK(t)
		require.JSONEq(t, `{"name": "trucks.truck", "area": "trucks", "title": "Trucks"}`, truck.Get("data.0.collection").Raw)
		require.Equal(t, "Zoé drives it", truck.Get("data.0.snippet").String())
		require.False(t, truck.Get("meta.more").Bool())

		at := "/trucks/api/v1/trucks/" + truck.Get("data.0.uuid").String()
		y.Call(t, y.Owner.Token, http.MethodDelete, at, nil).OK(t)
		y.Call(t, y.Owner.Token, http.MethodDelete, modulesPath+"/"+y.lots, nil).OK(t)
		require.Equal(t, "drivers.driver Zoë Lee (name)", y.search(t, y.Owner.Token, "zoe"), "what is deleted is not found")
	})
}

func TestSearch_FindsNothingThatTheCallerMayNotRead(t *testing.T) {
	t.Parallel()
	eachFleet(t, func(t *testing.T, y yard) {
		t.Helper()
		require.Equal(t, "drivers.driver Zoë Lee (name)", y.search(t, y.Token(t, y.Owner, "collections:read", "drivers:read"), "zoe"))
		require.Empty(t, y.search(t, y.Token(t, y.Owner, "collections:read"), "zoe"))
		require.Empty(t, y.search(t, y.NewCompany(t).Token, "zoe"), "another company's")
		y.Call(t, y.Token(t, y.Owner, "drivers:read"), http.MethodGet, searchPath+"?q=zoe", nil).Refused(t, http.StatusForbidden, "web.scope_missing")

		y.Call(t, y.Owner.Token, http.MethodPatch, modulesPath+"/"+y.lots, object{"permissions": object{"read": []string{"accountant"}}}).OK(t)
		user, err := y.Identity.CreateUser(t.Context(), identity.NewUser{Company: y.Owner.ID, Name: "Ann", Email: "ann@example.com", Role: identity.Dispatcher})
		require.NoError(t, err)
		_, ann, err := y.Identity.IssueToken(t.Context(), identity.NewToken{Company: y.Owner.ID, User: user.ID, Name: "ann", Scopes: []string{"*"}})
		require.NoError(t, err)
		require.Equal(t, "trucks.truck Radiator truck (unit)", y.search(t, ann, "radiator"), "the module is closed")
		require.Contains(t, y.search(t, y.Owner.Token, "radiator"), "custom_modules.record")

		_, err = y.Features.Apply(t.Context(), y.Owner.ID, feature.Change{Areas: map[string]bool{"trucks": false}})
		require.NoError(t, err)
		require.NotContains(t, y.search(t, y.Owner.Token, "zoe"), "trucks.truck", "the company does not use the area")
	})
}

func TestSearch_TakesOneStatementForAllResources(t *testing.T) {
	t.Parallel()
	eachFleet(t, func(t *testing.T, y yard) {
		t.Helper()
		y.get(t, searchPath+"?q=radiator").OK(t) // the definitions are known from then on
		var resources, modules atomic.Int64
		y.OnStatement(func(ctx context.Context, s database.Statement) {
			who, _ := principal.From(ctx)
			switch {
			case who.Company != y.Owner.ID:
			case strings.Contains(s.SQL, "resource_search") || strings.Contains(s.SQL, "_trucks") || strings.Contains(s.SQL, "_drivers"):
				resources.Add(1)
			case strings.Contains(s.SQL, "custom_modules_"):
				modules.Add(1)
			}
		})
		y.get(t, searchPath+"?q=radiator").OK(t)
		require.Equal(t, int64(1), resources.Load())
		require.LessOrEqual(t, modules.Load(), int64(4), "the modules, those that are hidden, the records by their words and by their ids")
	})
}

func TestSearch_RefusesWhatIsNoWord(t *testing.T) {
	t.Parallel()
	eachFleet(t, func(t *testing.T, y yard) {
		t.Helper()
		for _, q := range []string{"+", "a+b+c+d+e+f+g+h+i"} {
			y.get(t, searchPath+"?q="+q).Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")
		}
		y.get(t, searchPath).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		y.get(t, searchPath+"?q=a&limit=101").Refused(t, http.StatusUnprocessableEntity, "web.invalid")
	})
}
