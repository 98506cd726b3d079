package catalog_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/catalog"
	"github.com/dispatchd/dispatchd/modules/collections"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/contacts"
	"github.com/dispatchd/dispatchd/modules/custommodules"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const path = "/catalog/api/v1/services"

type object = map[string]any

func each(t *testing.T, test func(t *testing.T, a *moduletest.App)) {
	t.Helper()
	moduletest.BootEach(t, []module.Module{collections.Module, catalog.Module}, test)
}

func TestImport_TakesADefaultOnceAndLeavesWhatTheCompanyMadeOfIt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		call := func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		}
		call(http.MethodPost, path, object{"code": "inop", "name": "Winching"}).OK(t)
		first := call(http.MethodPost, path+"/import", object{"codes": []string{"storage", "inop", "storage"}}).OK(t)
		require.JSONEq(t, `["imported","taken"]`, first.Get("data.#.outcome").Raw)
		at := path + "/" + first.Get("data.0.service_uuid").String()
		storage := call(http.MethodPatch, at, object{"code": "yard", "name": "Yard", "price": "35.5"}).OK(t)
		require.Equal(t, "35.50", storage.Get("price").String())
		require.Equal(t, "USD", storage.Get("currency").String(), "the company's")
		require.Equal(t, "default", storage.Get("source").String())

		again := call(http.MethodPost, path+"/import", object{"all": true}).OK(t)
		require.Equal(t, call(http.MethodGet, "/catalog/api/v1/defaults", nil).OK(t).Get("data.#").Int(), again.Get("data.#").Int())
		require.Equal(t, "kept", again.Get(`data.#(code=="storage").outcome`).String())
		require.Equal(t, "Yard", call(http.MethodGet, at, nil).OK(t).Get("name").String())
		require.Equal(t, "kept", call(http.MethodPost, path+"/import", object{"all": true}).OK(t).Get(`data.#(code=="detention").outcome`).String())
		require.Equal(t, again.Get("data.#").Int(), call(http.MethodGet, path+"?per_page=200", nil).OK(t).Get("data.#").Int())

		call(http.MethodDelete, at, nil).OK(t)
		require.Equal(t, "imported", call(http.MethodPost, path+"/import", object{"codes": []string{"storage"}}).OK(t).Get("data.0.outcome").String())
	})
}

func TestImport_NamesDefaultsThatThereAreNot(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		for _, body := range []object{{}, {"all": true, "codes": []string{"storage"}}, {"codes": []string{"nothing"}}} {
			a.Call(t, a.Owner.Token, http.MethodPost, path+"/import", body).Refused(t, http.StatusUnprocessableEntity, "catalog.invalid_service")
		}
		require.Zero(t, a.Call(t, a.Owner.Token, http.MethodGet, path, nil).OK(t).Get("data.#").Int())
	})
}

func TestService_RefusesPricesOfACustomerThatContradictEachOther(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		prices := func(overrides ...object) moduletest.Response {
			return a.Call(t, a.Owner.Token, http.MethodPost, path, object{"code": "wash", "name": "Wash", "price_overrides": overrides})
		}
		spring := object{"tag": "dealers", "price": "30", "from": "2026-03-01", "to": "2026-05-31"}
		for field, wrong := range map[string][]object{
			"price_overrides.0":       {{"price": "30"}},
			"price_overrides.0.to":    {{"tag": "dealers", "price": "30", "from": "2026-03-01", "to": "2026-02-28"}},
			"price_overrides.1":       {spring, {"tag": "dealers", "price": "31", "from": "2026-05-31"}},
			"price_overrides.0.price": {{"tag": "dealers", "price": "cheap"}},
		} {
			refused := prices(wrong...)
			require.Equal(t, http.StatusUnprocessableEntity, refused.Status, field)
			require.Contains(t, refused.Get("errors").Map(), field)
		}
		made := prices(spring, object{"tag": "dealers", "price": "31", "from": "2026-06-01"}, object{"tag": "auctions", "price": "-0.125"}).OK(t)
		require.Equal(t, "30.00", made.Get("price_overrides.0.price").String())
		require.Equal(t, "-0.125", made.Get("price_overrides.2.price").String())
	})
}

func TestServices_AreFilteredSortedAndGroupedByPrice(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		for i, price := range []any{"9.5", "10", "-1.25", "100.125", nil, "10.00", "0", "-10"} {
			code := string(rune('a' + i))
			a.Call(t, a.Owner.Token, http.MethodPost, path, object{"code": code, "name": code, "price": price, "cost": "0.1"}).OK(t)
		}
		listed := func(query string) string {
			return a.Call(t, a.Owner.Token, http.MethodGet, path+"?"+query, nil).OK(t).Get("data.#.code").Raw
		}
		for query, want := range map[string]string{
			"sort=price": `["h","c","g","a","b","f","d","e"]`, "sort=-price&per_page=3": `["d","f","b"]`,
			"filter[price]=10.0": `["b","f"]`, "filter[price][gte]=9.50": `["a","b","d","f"]`, "filter[price][lt]=-01": `["c","h"]`,
			"filter[price][gt]=10": `["d"]`, "filter[price][lte]=0": `["c","g","h"]`, "filter[price][in]=100.1250,-10": `["d","h"]`,
			"filter[price][ne]=10": `["a","c","d","e","g","h"]`, "filter[price][null]=true": `["e"]`, "filter[cost]=.1": "",
		} {
			if want == "" {
				a.Call(t, a.Owner.Token, http.MethodGet, path+"?"+query, nil).Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")

				continue
			}
			require.JSONEq(t, want, listed(query), query)
		}
		first := a.Call(t, a.Owner.Token, http.MethodGet, path+"?sort=price&per_page=3", nil).OK(t)
		require.JSONEq(t, `["a","b","f"]`, listed("sort=price&per_page=3&cursor="+first.Get("meta.next_cursor").String()))

		grouped := a.Call(t, a.Owner.Token, http.MethodGet, "/collections/api/v1/collections/catalog.service/groups?group_by=price&sum=price,cost", nil).OK(t)
		require.JSONEq(t, `["-10.00","-1.25","0.00","9.50","10.00","100.125",null]`, grouped.Get("data.#.keys.price").Raw)
		require.Equal(t, "20.00", grouped.Get("data.4.sums.price").String())
		require.Equal(t, "0.20", grouped.Get("data.4.sums.cost").String())
	})
}

func TestCost_IsAbsentWithoutTheScopeForMargins(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		at := a.Call(t, a.Owner.Token, http.MethodPost, path, object{"code": "yard", "name": "Yard", "price": "35.00", "cost": "21.37"}).OK(t).Header.Get("Location")
		reader := a.Token(t, a.Owner, "catalog:read", "catalog:write", "collections:read")
		for _, from := range []string{at, path, path + "?fields=code,cost", "/collections/api/v1/search?q=Yard"} {
			require.NotContains(t, string(a.Call(t, reader, http.MethodGet, from, nil).OK(t).Body), "21.37", from)
		}
		require.Equal(t, "35.00", a.Call(t, reader, http.MethodGet, at, nil).OK(t).Get("price").String(), "what customers pay is no secret")
		refused := a.Call(t, reader, http.MethodGet, path+"?sort=cost", nil).Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")
		require.Contains(t, string(refused.Body), "requires the scope catalog:margins")
		a.Call(t, reader, http.MethodPatch, at, object{"cost": "1.00"}).Refused(t, http.StatusForbidden, "web.scope_missing")
		all := a.Token(t, a.Owner, "catalog:read", "catalog:margins")
		require.Equal(t, "21.37", a.Call(t, all, http.MethodGet, at, nil).OK(t).Get("cost").String())
	})
}

func TestFormulas_CannotUseFieldsWithAScope(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, []module.Module{catalog.Module, collections.Module, custommodules.Module}, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		formula := func(text string) moduletest.Response {
			return a.Call(t, a.Owner.Token, http.MethodPost, "/collections/api/v1/collections/catalog.service/fields", object{
				"key": "twice", "type": "formula", "sensitive": true, "options": object{"formula": text, "result": "decimal"},
			})
		}
		refused := formula("cost * 2").Refused(t, http.StatusUnprocessableEntity, "custom_modules.invalid_definition")
		require.Contains(t, refused.Get("errors").Raw, "require the scope catalog:margins: no formula can use it")
		formula("price * 2").OK(t)
	})
}

func TestPriceOverrides_FollowMergedContacts(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, []module.Module{catalog.Module, companies.Module, contacts.Module}, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		call := func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		}
		contact := func(name string) string {
			return call(http.MethodPost, "/contacts/api/v1/contacts", object{"name": name}).OK(t).Get("uuid").String()
		}
		ann, twin := contact("Ann"), contact("Ann's twin")
		priced := func(code string, of ...object) string {
			return call(http.MethodPost, path, object{"code": code, "name": code, "price": "35.00", "price_overrides": of}).OK(t).Header.Get("Location")
		}
		one := priced("one", object{"contact_uuid": twin, "price": "30.00"})
		both := priced("both", object{"contact_uuid": twin, "price": "30.00"}, object{"contact_uuid": ann, "price": "31.00"})
		whose := func(at string) string {
			return call(http.MethodGet, at, nil).OK(t).Get("price_overrides.#.contact_uuid").Raw
		}
		call(http.MethodPost, "/contacts/api/v1/contacts/merge", object{"into": ann, "from": []string{twin}}).OK(t)
		require.JSONEq(t, `["`+ann+`"]`, whose(one))
		require.JSONEq(t, `["`+twin+`", "`+ann+`"]`, whose(both), "the price of the contact that stays counts")
		call(http.MethodPost, "/contacts/api/v1/contacts/"+twin+"/unmerge", nil).OK(t)
		require.JSONEq(t, `["`+twin+`"]`, whose(one))
	})
}
