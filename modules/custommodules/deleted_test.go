package custommodules_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestDeleted_RecordsAreListedAndReadUntilTheyAreRestored(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		var paths, ids []string
		for range 3 {
			made := y.create(t, y.vehicles, y.documented()).OK(t)
			paths, ids = append(paths, made.Header.Get("Location")), append(ids, made.Get("uuid").String())
		}
		for _, path := range paths[:2] {
			y.remove(t, path).OK(t)
		}
		for _, base := range []string{recordsPath + "?module_uuid=" + y.vehicles + "&", modulesPath + "/" + y.vehicles + "/records?"} {
			gone := y.get(t, base+"deleted=true").OK(t)
			require.Equal(t, []string{ids[1], ids[0]}, texts(gone, "data.#.uuid"), "the latest first")
			require.Equal(t, "12500.00", gone.Get("data.0.payload.price").String())
			require.NotEmpty(t, gone.Get("data.0.deleted_at").String())
			first := y.get(t, base+"deleted=true&per_page=1").OK(t)
			next := y.get(t, base+"deleted=true&per_page=1&cursor="+first.Get("meta.next_cursor").String()).OK(t)
			require.Equal(t, []string{ids[0]}, texts(next, "data.#.uuid"))
			require.Equal(t, []string{ids[2]}, texts(y.get(t, base+"").OK(t), "data.#.uuid"))
		}
		y.get(t, recordsPath+"?module_uuid="+y.vehicles+"&deleted=true&sort=price").Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")
		read := y.get(t, paths[0]+"?deleted=true&expand=customer").OK(t)
		require.Equal(t, "Blue Ridge Motors", read.Get("payload.customer.record.payload.name").String())
		require.Equal(t, []string{"deleted", "created"}, texts(y.get(t, paths[0]+"/history?deleted=true").OK(t), "data.#.verb"))
		y.get(t, paths[2]+"?deleted=true").Refused(t, http.StatusNotFound, "custom_modules.record_not_found")
		y.Call(t, y.NewCompany(t).Token, http.MethodGet, paths[0]+"?deleted=true", nil).Refused(t, http.StatusNotFound, "custom_modules.record_not_found")
		y.post(t, paths[0]+"/restore", nil).OK(t)
		require.Equal(t, []string{ids[1]}, texts(y.get(t, recordsPath+"?module_uuid="+y.vehicles+"&deleted=true").OK(t), "data.#.uuid"))
	})
}

func TestDeleted_ModulesAreListedUntilTheyAreRestored(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		y.remove(t, modulesPath+"/"+y.vehicles).OK(t)
		gone := y.get(t, modulesPath+"?deleted=true").OK(t)
		require.Equal(t, []string{"Vehicles"}, texts(gone, "data.#.name"))
		require.Equal(t, []string{"8"}, texts(gone, "data.#.fields.#"))
		require.NotEmpty(t, gone.Get("data.0.deleted_at").String())
		y.post(t, modulesPath+"/"+y.vehicles+"/restore", nil).OK(t)
		require.Zero(t, y.get(t, modulesPath+"?deleted=true").OK(t).Get("data.#").Int())
	})
}

func TestDeleted_FieldComesBackWithItsValuesAndReferences(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		path := y.vehicle(t)
		changed := y.vehicle(t)
		module := modulesPath + "/" + y.vehicles
		fields := y.get(t, module).OK(t)
		at := func(key string) string {
			return module + "/fields/" + fields.Get(`fields.#(key=="`+key+`").uuid`).String()
		}
		for _, key := range []string{"customer", "price"} {
			y.remove(t, at(key)).OK(t)
		}
		require.Equal(t, []string{"price", "customer"}, texts(y.get(t, module+"/fields?deleted=true&sort=-key").OK(t), "data.#.key"))
		y.patch(t, changed, object{"year": 2001}).OK(t)
		seen := y.get(t, changed+"/history").OK(t)
		require.Equal(t, "12500.00", seen.Get(`data.0.deleted_fields.#(key=="price").before`).String(), seen.Get("data.0").Raw)
		require.Equal(t, "12500.00", seen.Get(`data.1.deleted_fields.#(key=="price").after`).String(), seen.Get("data.1").Raw)

		back := y.post(t, at("price")+"/restore", nil).OK(t)
		require.Equal(t, at("price"), back.Header.Get("Location"))
		require.False(t, back.Get("indexed").Bool())
		y.post(t, at("customer")+"/restore", nil).OK(t)
		read := y.get(t, path).OK(t)
		require.Equal(t, "12500.00 "+y.customer, read.Get("payload.price").String()+" "+read.Get("payload.customer.record_uuid").String())
		require.False(t, y.get(t, changed).OK(t).Get("payload.price").Exists(), "it was changed meanwhile: its history has the value")
		require.Equal(t, int64(1), y.get(t, recordsPath+"/"+y.customer+"/links/counts").OK(t).Get("data.0.count").Int())
		y.remove(t, recordsPath+"/"+y.customer).Refused(t, http.StatusConflict, "custom_modules.record_in_use")
		require.Eventually(t, func() bool {
			return y.get(t, at("customer")).OK(t).Get("index_state").String() == "ready"
		}, time.Minute, 5*time.Millisecond)
		require.Equal(t, int64(1), y.count(t, "module_uuid="+y.vehicles+"&filter[customer]="+y.customer))

		y.post(t, at("price")+"/restore", nil).Refused(t, http.StatusNotFound, "custom_modules.field_not_found")
		y.remove(t, at("price")).OK(t)
		y.post(t, module+"/fields", object{"key": "price", "type": "text"}).OK(t)
		y.post(t, at("price")+"/restore", nil).Refused(t, http.StatusConflict, "custom_modules.field_key_taken")
	})
}

func TestRestore_BringsACascadeBack(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		tree := y.module(t, "Tree", object{"key": "name", "type": "text"})
		y.post(t, modulesPath+"/"+tree+"/fields", object{"key": "parent", "type": "reference", "options": object{"module_uuid": tree, "on_delete": "cascade"}}).OK(t)
		node := func(name string, parent any) moduletest.Response {
			return y.create(t, tree, object{"name": name, "parent": parent}).OK(t)
		}
		to := func(of moduletest.Response) object { return object{"record_uuid": of.Get("uuid").String()} }
		root := node("root", nil)
		middle := node("middle", to(root))
		leaf := node("leaf", to(middle))
		alone := node("alone", to(root))
		y.remove(t, alone.Header.Get("Location")).OK(t)
		y.remove(t, root.Header.Get("Location")).OK(t)
		require.Equal(t, "cascade:"+root.Get("uuid").String(), y.get(t, leaf.Header.Get("Location")+"/history?deleted=true").OK(t).Get("data.0.source").String())

		y.post(t, root.Header.Get("Location")+"/restore", nil).OK(t)
		for _, back := range []moduletest.Response{root, middle, leaf} {
			read := y.get(t, back.Header.Get("Location")).OK(t)
			require.JSONEq(t, back.Get("payload").Raw, read.Get("payload").Raw)
			require.Equal(t, int64(3), read.Get("version").Int())
		}
		y.get(t, alone.Header.Get("Location")).Refused(t, http.StatusNotFound, "custom_modules.record_not_found")

		y.patch(t, root.Header.Get("Location"), object{"parent": to(leaf)}).OK(t) // a circle
		y.remove(t, middle.Header.Get("Location")).OK(t)
		y.post(t, middle.Header.Get("Location")+"/restore", nil).OK(t)
		require.Equal(t, leaf.Get("uuid").String(), y.get(t, root.Header.Get("Location")).OK(t).Get("payload.parent.record_uuid").String())
		require.Equal(t, int64(3), y.count(t, "module_uuid="+tree))

		self := node("self", nil)
		y.patch(t, self.Header.Get("Location"), object{"parent": to(self)}).OK(t)
		y.remove(t, self.Header.Get("Location")).OK(t)
		y.post(t, self.Header.Get("Location")+"/restore", nil).OK(t)
	})
}

func TestHistory_SaysThatAFieldChangeMadeAVersion(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		path := y.vehicle(t)
		field := modulesPath + "/" + y.vehicles + "/fields/" + y.get(t, modulesPath+"/"+y.vehicles).OK(t).Get(`fields.#(key=="year").uuid`).String()
		plan := y.post(t, field+"/plan", object{"change": "type", "type": "text"}).OK(t).Get("uuid").String()
		y.post(t, field+"/apply", object{"plan_uuid": plan}).OK(t)
		require.Eventually(t, func() bool {
			return y.get(t, path+"/history").OK(t).Get("data.0.source").String() == "field_change:"+plan
		}, time.Minute, 5*time.Millisecond)
	})
}
