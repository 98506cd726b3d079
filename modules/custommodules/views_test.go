package custommodules_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/platform/identity"
)

// views is where the views of the vehicles are.
func (y yard) views() string { return modulesPath + "/" + y.vehicles + "/views" }

// saveView saves a view of cars since 2020, the dearest first.
func (y yard) saveView(t *testing.T) (uuid string) {
	t.Helper()

	return y.Call(t, y.Owner.Token, http.MethodPost, y.views(), object{
		"name": "New and dear", "filter": []object{{"field": "year", "op": "gte", "value": "2020"}},
		"sort": []object{{"field": "price", "descending": true}}, "columns": []string{"vin", "price", "version"},
	}).OK(t).Get("uuid").String()
}

func (y yard) cars(t *testing.T) {
	t.Helper()
	for year, price := range map[int]string{2019: "5.00", 2020: "7.00", 2021: "9.00"} {
		y.create(t, y.vehicles, object{"vin": "1HGCM82633A004352", "year": year, "price": price}).OK(t)
	}
}

func TestViews_AreTheFilterSortAndColumnsOfAList(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		y.cars(t)
		id := y.saveView(t)
		for _, path := range []string{recordsPath + "?module_uuid=" + y.vehicles + "&view=" + id, modulesPath + "/" + y.vehicles + "/records?view=" + id} {
			found := y.get(t, path).OK(t)
			require.JSONEq(t, `[{"price":"9.00","vin":"1HGCM82633A004352"},{"price":"7.00","vin":"1HGCM82633A004352"}]`, found.Get("data.#.payload").Raw)
			require.Equal(t, "1", found.Get("data.0.version").String())
			require.Equal(t, `["7.00","9.00"]`, y.get(t, path+"&sort=price").OK(t).Get("data.#.payload.price").Raw)
			require.Equal(t, `["5.00"]`, y.get(t, path+"&filter[year]=2019").OK(t).Get("data.#.payload.price").Raw)
			require.Equal(t, `[2021,2020]`, y.get(t, path+"&fields=payload.year").OK(t).Get("data.#.payload.year").Raw)
			page := y.get(t, path+"&per_page=1").OK(t)
			next := y.get(t, path+"&per_page=1&cursor="+page.Get("meta.next_cursor").String()).OK(t)
			require.Equal(t, "7.00", next.Get("data.0.payload.price").String())
		}
		rows := table(t, y.export(t, "view="+id))
		require.Equal(t, []string{"uuid", "vin", "price", "version"}, rows[0])
		require.Equal(t, []string{"1HGCM82633A004352", "9.00", "1"}, rows[1][1:])
		require.Len(t, rows, 3)
		y.export(t, "view="+y.customer).Refused(t, http.StatusNotFound, "custom_modules.view_not_found")
	})
}

func TestViews_FollowTheirFieldsAndSayWhichAreGone(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		y.cars(t)
		one := y.views() + "/" + y.saveView(t)
		list := recordsPath + "?module_uuid=" + y.vehicles + "&view=" + y.get(t, one).OK(t).Get("uuid").String()
		fields := modulesPath + "/" + y.vehicles + "/fields"
		field := map[string]string{}
		for _, f := range y.get(t, fields).OK(t).Get("data").Array() {
			field[f.Get("key").String()] = f.Get("uuid").String()
		}
		y.Call(t, y.Owner.Token, http.MethodPatch, fields+"/"+field["year"], object{"key": "built"}).OK(t)
		require.Equal(t, "built", y.get(t, one).OK(t).Get("filter.0.field").String())
		require.Equal(t, int64(2), y.get(t, list).OK(t).Get("data.#").Int())

		y.Call(t, y.Owner.Token, http.MethodDelete, fields+"/"+field["vin"], nil)
		require.Equal(t, int64(2), y.get(t, list).OK(t).Get("data.#").Int(), "a column that is gone")
		y.Call(t, y.Owner.Token, http.MethodDelete, fields+"/"+field["year"], nil)
		broken := y.get(t, one).OK(t)
		require.JSONEq(t, `[{"path":"filter.0","field_uuid":"`+field["year"]+`"},{"path":"columns.0","field_uuid":"`+field["vin"]+`"}]`, broken.Get("broken").Raw)
		refused(t, y.get(t, list), "custom_modules.view_broken", map[string]string{"view.filter.0": "The field " + field["year"] + " is gone."})
	})
}

func TestViews_AreOnesOwnOrShared(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		user, err := y.Identity.CreateUser(t.Context(), identity.NewUser{Company: y.Owner.ID, Email: "ann@example.com", Name: "Ann", Role: "viewer"})
		require.NoError(t, err)
		_, ann, err := y.Identity.IssueToken(t.Context(), identity.NewToken{Company: y.Owner.ID, User: user.ID, Name: "ann", Scopes: []string{"*"}})
		require.NoError(t, err)
		own := y.views() + "/" + y.saveView(t)
		y.Call(t, ann, http.MethodGet, own, nil).Refused(t, http.StatusNotFound, "custom_modules.view_not_found")
		y.Call(t, ann, http.MethodDelete, own, nil).Refused(t, http.StatusNotFound, "custom_modules.view_not_found")
		require.Zero(t, y.Call(t, ann, http.MethodGet, y.views(), nil).OK(t).Get("data.#").Int())
		mine := y.Call(t, ann, http.MethodPost, y.views(), object{"name": "Mine"}).OK(t)
		require.False(t, mine.Get("shared").Bool())

		y.Call(t, y.Owner.Token, http.MethodPut, own, object{"name": "Ours", "shared": true}, "If-Match", `"1"`).OK(t)
		y.Call(t, y.Owner.Token, http.MethodPut, own, object{"name": "Ours", "shared": true}, "If-Match", `"1"`).
			Refused(t, http.StatusPreconditionFailed, "web.stale")
		require.Equal(t, `["Mine","Ours"]`, y.Call(t, ann, http.MethodGet, y.views(), nil).OK(t).Get("data.#.name").Raw)
		for _, method := range []string{http.MethodDelete, http.MethodPut} {
			body := map[string]any{http.MethodPut: object{"name": "x"}}[method]
			y.Call(t, ann, method, own, body).Refused(t, http.StatusForbidden, "web.scope_missing")
		}
		y.Call(t, ann, http.MethodPost, y.views(), object{"name": "x", "shared": true}).Refused(t, http.StatusForbidden, "web.scope_missing")
		service := y.Token(t, y.Owner, "custom_modules:read")
		refused(t, y.Call(t, service, http.MethodPost, y.views(), object{"name": "x"}), "custom_modules.invalid_view",
			map[string]string{"shared": "A service token has no private views: shared must be true."})
		y.Call(t, y.NewCompany(t).Token, http.MethodGet, own, nil).Refused(t, http.StatusNotFound, "custom_modules.module_not_found")
		require.Equal(t, http.StatusNoContent, y.Call(t, y.Owner.Token, http.MethodDelete, own, nil).Status)
	})
}

func TestViews_AreCheckedWhenTheyAreSaved(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		refused(t, y.Call(t, y.Owner.Token, http.MethodPost, y.views(), object{
			"name": " ", "filter": []object{{"field": "yer", "op": "eq", "value": "1"}}, "sort": []object{{"field": "nothing"}}, "columns": []string{"vim"},
		}), "custom_modules.invalid_view", map[string]string{
			"name": "The name is required.", "filter.0": "The key yer is not known in this module. Did you mean year?",
			"sort.0": "The key nothing is not known in this module. Known are: created_at, created_by, customer, notes, operable, pickup_date, pickup_time, price, " +
				"updated_at, updated_by, uuid, version, vin, year.", "columns.0": "The key vim is not known in this module. Did you mean vin?",
		})
		for _, wrong := range []object{
			{"field": "year", "op": "like", "value": "1"},
			{"field": "year", "op": "eq", "value": "x"},
			{"field": "year", "op": "xx", "value": "1"},
			{"field": "year", "op": "eq", "value": "1", "group": -1},
			{"field": "year", "op": "eq", "value": "1", "group": 1000},
		} {
			y.Call(t, y.Owner.Token, http.MethodPost, y.views(), object{"name": "x", "filter": []object{wrong}}).
				Refused(t, http.StatusUnprocessableEntity, "custom_modules.invalid_view")
		}
		y.Call(t, y.Owner.Token, http.MethodPost, y.views(), object{"name": "x", "sort": []object{{"field": "notes"}}}).
			Refused(t, http.StatusUnprocessableEntity, "custom_modules.invalid_view")
	})
}

func TestViews_HideSensitiveFields(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		y.Call(t, y.Owner.Token, http.MethodPost, modulesPath+"/"+y.customers+"/fields", object{"key": "ssn", "type": "text", "sensitive": true}).OK(t)
		reader := y.Token(t, y.Owner, "custom_modules:read")
		views := modulesPath + "/" + y.customers + "/views"
		id := y.Call(t, y.Owner.Token, http.MethodPost, views, object{
			"name": "x", "shared": true, "filter": []object{{"field": "ssn", "op": "eq", "value": "424242"}},
		}).OK(t).Get("uuid").String()
		require.NotContains(t, string(y.Call(t, reader, http.MethodGet, views+"/"+id, nil).OK(t).Body), "424242")
		y.Call(t, reader, http.MethodGet, recordsPath+"?module_uuid="+y.customers+"&view="+id, nil).
			Refused(t, http.StatusUnprocessableEntity, "custom_modules.view_broken")
	})
}

func TestViews_LeaveTheirChangesInTheTrail(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		y.Call(t, y.Owner.Token, http.MethodPost, modulesPath+"/"+y.vehicles+"/fields", object{"key": "pin", "type": "text", "sensitive": true}).OK(t)
		id := y.saveView(t)
		one := y.views() + "/" + id
		y.Call(t, y.Owner.Token, http.MethodPut, one, object{"name": "Dear", "filter": []object{{"field": "pin", "op": "eq", "value": "zebra"}}}).OK(t)
		require.Equal(t, http.StatusNoContent, y.Call(t, y.Owner.Token, http.MethodDelete, one, nil).Status)

		entries := y.trail(t, "custom_modules.view")
		require.Equal(t, []string{"custom_modules.view.created", "custom_modules.view.updated", "custom_modules.view.deleted"}, actions(entries))
		require.JSONEq(t, `{"before":"New and dear","after":"Dear"}`, gjson.Get(entries[1].changes, "name").Raw)
		require.Equal(t, "2020", gjson.Get(entries[0].changes, "filter.after.0.value").String())
		require.Equal(t, "(not kept)", gjson.Get(entries[1].changes, "filter.after.0.value").String())
		require.NotContains(t, entries[1].changes+entries[2].changes, "zebra")
	})
}
