package custommodules_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const packsPath = "/custom_modules/api/v1/packs"

// pack is an exported pack, to be amended and imported.
func packOf(t *testing.T, r moduletest.Response) object {
	t.Helper()
	var p object
	require.NoError(t, json.Unmarshal(r.OK(t).Body, &p))
	delete(p, "$schema")

	return p
}

// shop is a pack of two modules that refer to each other, with something of everything.
func shop(version int) object {
	return object{
		"format": 1, "name": "shop", "version": version, "title": "Shop", "modules": []object{
			{"key": "orders", "name": "Orders", "title_field": "number", "permissions": object{"write": []string{"dispatcher", "admin"}}, "fields": []object{
				{"key": "number", "type": "auto_number", "options": object{"template": "O-{seq:4}"}},
				{"key": "customer", "type": "reference", "options": object{"module": "customers", "on_delete": "restrict"}},
				{"key": "state", "type": "select", "indexed": true, "default": "open", "options": object{"options": []object{
					{"id": "open", "label": "Open"}, {"id": "done", "label": "Done"},
				}}},
				{"key": "price", "type": "decimal", "required": true, "help": "In dollars"},
				{"key": "count", "type": "integer", "default": 1},
				{"key": "total", "type": "formula", "indexed": true, "options": object{"formula": "price * count", "result": "decimal"}},
			}},
			{"key": "customers", "name": "Buyers", "fields": []object{
				{"key": "name", "type": "text", "required": true, "indexed": true, "searchable": true},
				{"key": "last_order", "type": "reference", "options": object{"module": "orders", "on_delete": "set_null"}},
			}},
		},
	}
}

// field returns a field of a module of a pack.
func fieldIn(p object, module, field int) object {
	modules, _ := p["modules"].([]object)
	fields, _ := modules[module]["fields"].([]object)

	return fields[field]
}

func (y yard) importPack(t *testing.T, pack object, extra ...object) moduletest.Response {
	t.Helper()

	return y.post(t, packsPath+"/import", packRequest(pack, extra))
}

func (y yard) planPack(t *testing.T, pack object, extra ...object) moduletest.Response {
	t.Helper()

	return y.post(t, packsPath+"/plan", packRequest(pack, extra))
}

func packRequest(pack object, extra []object) object {
	body := object{"pack": pack}
	for _, more := range extra {
		maps.Copy(body, more)
	}

	return body
}

func TestPack_IsPlannedImportedAndTheSameThen(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		plan := y.planPack(t, shop(1)).OK(t)
		require.False(t, plan.Get("applied").Bool())
		require.Equal(t, int64(10), plan.Get("summary.create").Int(), plan.Get("summary").Raw)
		require.Equal(t, gjson.Null, plan.Get("modules.0.module_uuid").Type)
		require.Equal(t, int64(2), y.get(t, modulesPath).OK(t).Get("data.#").Int(), "a plan writes nothing")

		made := y.importPack(t, shop(1)).OK(t)
		require.Equal(t, plan.Get("modules.#.action").Raw, made.Get("modules.#.action").Raw)
		orders := y.get(t, modulesPath+"/"+made.Get("modules.0.module_uuid").String()).OK(t)
		require.JSONEq(t, `["number","customer","state","price","count","total"]`, orders.Get("fields.#.key").Raw)
		require.JSONEq(t, `[1,2,3,4,5,6]`, orders.Get("fields.#.position").Raw)
		require.JSONEq(t, `{"name":"shop","key":"orders","version":1}`, orders.Get("pack").Raw)
		require.JSONEq(t, `["admin","dispatcher"]`, orders.Get("permissions.write").Raw)
		require.Equal(t, orders.Get("fields.0.uuid").String(), orders.Get("title_field_uuid").String())

		buyers := made.Get("modules.1.module_uuid").String()
		buyer := y.create(t, buyers, object{"name": "Ann"}).OK(t).Get("uuid").String()
		order := y.create(t, orders.Get("uuid").String(), object{"price": "2.50", "count": 3, "customer": object{"record_uuid": buyer}}).OK(t)
		require.Equal(t, "7.50 open O-0001", order.Get("payload.total").String()+" "+order.Get("payload.state").String()+" "+order.Get("payload.number").String())

		etag := y.get(t, modulesPath+"/"+orders.Get("uuid").String()).Header.Get("ETag")
		for range 2 {
			again := y.importPack(t, shop(1)).OK(t)
			require.Equal(t, `{"create":0,"change":0,"same":10,"conflict":0}`, again.Get("summary").Raw)
		}
		require.Equal(t, etag, y.get(t, modulesPath+"/"+orders.Get("uuid").String()).Header.Get("ETag"))
	})
}

func TestPack_TravelsToAnotherCompanyAndBack(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		made := y.importPack(t, shop(1)).OK(t)
		order := object{"module_uuids": []string{made.Get("modules.0.module_uuid").String(), made.Get("modules.1.module_uuid").String()}, "name": "shop"}
		pack := packOf(t, y.post(t, packsPath+"/export", order))
		require.NotContains(t, string(y.post(t, packsPath+"/export", order).Body), made.Get("modules.0.module_uuid").String(), "ids do not travel")

		here := y.planPack(t, pack).OK(t)
		require.Zero(t, here.Get("summary.create").Int()+here.Get("summary.conflict").Int(), here.Get("modules").Raw)
		other := y.NewCompany(t)
		there := y.Call(t, other.Token, http.MethodPost, packsPath+"/import", object{"pack": pack}).OK(t)
		ids := []string{there.Get("modules.0.module_uuid").String(), there.Get("modules.1.module_uuid").String()}
		back := y.Call(t, other.Token, http.MethodPost, packsPath+"/export", object{"module_uuids": ids, "name": "shop"})
		require.Equal(t, pack, packOf(t, back))
	})
}

func TestPack_NewVersionLeavesWhatTheCompanyChanged(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		orders := y.importPack(t, shop(1)).OK(t).Get("modules.0.module_uuid").String()
		y.change(t, modulesPath+"/"+orders, object{"name": "Our orders"}).OK(t)
		y.change(t, y.field(t, orders, "price"), object{"key": "amount", "help": "In euros"}).OK(t)
		y.change(t, y.field(t, orders, "state"), object{"options": object{"options": []object{
			{"id": "open", "label": "Offen"}, {"id": "done", "label": "Done"}, {"id": "lost", "label": "Lost"},
		}}}).OK(t)
		y.remove(t, y.field(t, orders, "customer")).OK(t)

		next := shop(2)
		fieldIn(next, 0, 3)["help"] = "In US dollars"
		fieldIn(next, 0, 3)["label"] = "Price each"
		fieldIn(next, 0, 2)["options"] = object{"options": []object{
			{"id": "open", "label": "Open"}, {"id": "done", "label": "Finished"}, {"id": "paid", "label": "Paid"},
		}}
		modules, _ := next["modules"].([]object)
		modules[0]["description"] = "What is sold"
		modules[0]["fields"] = append(modules[0]["fields"].([]object)[:4:4], object{"key": "note", "type": "text"}) //nolint:forcetypeassert // made above
		plan := y.planPack(t, next).OK(t)
		require.Zero(t, plan.Get("summary.conflict").Int(), plan.Get("modules").Raw)
		made := y.importPack(t, next).OK(t)
		require.Equal(t, plan.Get("modules").Raw, gjson.GetBytes(made.Body, "modules").Raw)
		fate := map[string]string{}
		for _, f := range made.Get("modules.0.fields").Array() {
			fate[f.Get("key").String()] = f.Get("action").String()
		}
		require.Equal(t, map[string]string{
			"number": "same", "customer": "removed", "state": "change", "price": "change", "note": "create", "count": "left", "total": "left",
		}, fate)
		now := y.get(t, modulesPath+"/"+orders).OK(t)
		require.Equal(t, "Our orders What is sold 2", now.Get("name").String()+" "+now.Get("description").String()+" "+now.Get("pack.version").String())
		require.JSONEq(t, `["number","state","amount","count","total","note"]`, now.Get("fields.#.key").Raw)
		require.Equal(t, "In euros", now.Get("fields.2.help").String())
		require.Equal(t, "Price each", now.Get("fields.2.label").String())
		require.JSONEq(t, `["Offen","Finished","Lost","Paid"]`, now.Get("fields.1.options.options.#.label").Raw)

		require.Equal(t, "version", y.planPack(t, shop(1)).OK(t).Get("modules.0.problems.@keys.0").String())
		forced := y.importPack(t, next, object{"overwrite": true}).OK(t)
		require.Equal(t, "Orders", y.get(t, modulesPath+"/"+orders).Get("name").String(), forced.Get("modules").Raw)
		require.Equal(t, `{"create":0,"change":0,"same":9,"conflict":0}`, y.importPack(t, next).OK(t).Get("summary").Raw)
	})
}

func TestPack_NamesEveryConflictAndChangesNothing(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		orders := y.importPack(t, shop(1)).OK(t).Get("modules.0.module_uuid").String()
		next := shop(2)
		fieldIn(next, 0, 3)["type"] = "integer"
		fieldIn(next, 0, 4)["unique"] = true
		fieldIn(next, 1, 0)["label"] = "Full name"
		next["modules"] = append(next["modules"].([]object), object{"key": "cars", "name": "VEHICLES", "fields": []object{ //nolint:forcetypeassert // made above
			{"key": "buyer", "type": "reference", "options": object{"module": "nobody"}},
		}})
		next["outside"] = []object{{"key": "nobody", "name": "Nobody"}}
		refusal := y.importPack(t, next)
		refusal.Refused(t, http.StatusConflict, "custom_modules.pack_conflicts")
		require.JSONEq(t, `{
			"modules.orders.fields.price.type": ["The type of an existing field cannot be changed this way."],
			"modules.orders.fields.count.unique": ["The unique of an existing field cannot be changed this way."],
			"modules.cars.name": ["A module with this name exists that is not from the pack: give the new one another name in names, or use the existing one with bind."],
			"outside.nobody": ["The company has no module Nobody: choose one in bind."]
		}`, refusal.Get("details.conflicts").Raw)
		require.Equal(t, "1", y.get(t, modulesPath+"/"+orders).Get("pack.version").String())

		y.planPack(t, next, object{"bind": object{"nobody": y.customers}, "names": object{"cars": "Cars"}}).OK(t)
		fieldIn(next, 0, 3)["type"] = "decimal"
		delete(fieldIn(next, 0, 4), "unique")
		made := y.importPack(t, next, object{"bind": object{"nobody": y.customers}, "names": object{"cars": "Cars"}}).OK(t)
		cars := y.get(t, modulesPath+"/"+made.Get("modules.2.module_uuid").String()).OK(t)
		require.Equal(t, y.customers, cars.Get("fields.0.options.module_uuid").String())
		require.Equal(t, "Cars", cars.Get("name").String())
	})
}

func TestPack_IsReadStrictly(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		bad := func(amend func(p object)) moduletest.Response {
			p := shop(1)
			amend(p)

			return y.planPack(t, p)
		}
		refused(t, bad(func(p object) { p["format"] = 2; p["colour"] = "red" }), "custom_modules.invalid_pack", map[string]string{
			"pack.format": "The pack has format 2, but this version of the service supports formats up to 1.",
		})
		refused(t, bad(func(p object) { delete(p, "format") }), "custom_modules.invalid_pack", map[string]string{
			"pack.format": "The format is required: a whole number, currently 1.",
		})
		unknown := bad(func(p object) { fieldIn(p, 0, 1)["colour"] = "red" })
		require.Equal(t, http.StatusUnprocessableEntity, unknown.Status)
		require.Contains(t, unknown.Get("errors").Raw, "pack.modules.0.fields.1.colour")
		refused(t, bad(func(p object) {
			fieldIn(p, 0, 1)["options"] = object{"module": "users"}
			p["name"] = "Shop!"
		}), "custom_modules.invalid_pack", map[string]string{
			"pack.name":                              "The name must be in snake_case: the letters a to z, digits and underscores, starting with a letter.",
			"pack.modules.0.fields.1.options.module": "The pack has no module with this key, neither in modules nor in outside.",
		})
		refused(t, bad(func(p object) { fieldIn(p, 0, 3)["type"] = "money" }), "custom_modules.invalid_pack", map[string]string{
			"pack.modules.0.fields.3.type": "The key money is not known as a type.",
		})
		refused(t, y.post(t, packsPath+"/plan", object{}), "custom_modules.invalid_pack", map[string]string{
			"pack": "Send either pack, or install with the name of a pack that comes with the service.",
		})
		y.post(t, packsPath+"/plan", object{"install": "vehicle_inspections"}).Refused(t, http.StatusNotFound, "custom_modules.pack_not_found")
		refused(t, y.planPack(t, shop(1), object{"bind": object{"order": y.customers}}), "custom_modules.invalid_pack", map[string]string{
			"bind.order": "The key order is not known in this pack. Did you mean orders?",
		})
		theirs := y.Call(t, y.NewCompany(t).Token, http.MethodPost, modulesPath, object{"name": "Theirs"}).OK(t).Get("uuid").String()
		refused(t, y.planPack(t, shop(1), object{"bind": object{"orders": theirs}}), "custom_modules.invalid_pack", map[string]string{
			"bind.orders": "There is no module with the module uuid.",
		})
	})
}

func mustJSON(t *testing.T, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)

	return text
}
