package custommodules_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// change patches something as the owner.
func (y yard) change(t *testing.T, path string, body any, headers ...string) moduletest.Response {
	t.Helper()

	return y.Call(t, y.Owner.Token, http.MethodPatch, path, body, headers...)
}

func (y yard) remove(t *testing.T, path string) moduletest.Response {
	t.Helper()

	return y.Call(t, y.Owner.Token, http.MethodDelete, path, nil)
}

// field returns the path of a field of a module.
func (y yard) field(t *testing.T, module, key string) string {
	t.Helper()
	id := y.get(t, modulesPath+"/"+module).OK(t).Get("fields.#(key==" + key + ").uuid").String()
	require.NotEmpty(t, id)

	return modulesPath + "/" + module + "/fields/" + id
}

func TestModule_IsRenamedArchivedAndDuplicated(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		path, record := modulesPath+"/"+y.vehicles, y.vehicle(t)
		renamed := y.change(t, path, object{"name": "Cars", "description": "All of them"}, "If-Match", `"1"`).OK(t)
		require.Equal(t, "Cars 2", fmt.Sprint(renamed.Get("name"), " ", renamed.Get("version")))
		y.change(t, path, object{"name": "customers"}).Refused(t, http.StatusConflict, "custom_modules.module_name_taken")
		y.change(t, path, object{"name": "X"}, "If-Match", `"1"`).Refused(t, http.StatusPreconditionFailed, "web.stale")

		y.post(t, path+"/archive", nil).OK(t)
		for _, refusal := range []moduletest.Response{
			y.create(t, y.vehicles, y.documented()), y.patch(t, record, object{"year": 2000}), y.remove(t, record),
		} {
			refusal.Refused(t, http.StatusConflict, "custom_modules.module_archived")
		}
		y.get(t, record).OK(t)
		require.NotEmpty(t, y.get(t, path).OK(t).Get("archived_at").String())
		y.post(t, path+"/unarchive", nil).OK(t)
		y.patch(t, record, object{"year": 2000}).OK(t)

		copied := y.post(t, path+"/duplicate", object{"name": "Cars 2"}).OK(t)
		require.Equal(t, y.get(t, path).Get("fields.#.key").Raw, copied.Get("fields.#.key").Raw)
		require.NotEqual(t, y.vehicles, copied.Get("uuid").String())
		require.Zero(t, y.count(t, "module_uuid="+copied.Get("uuid").String()))
	})
}

func TestModule_IsDeletedWithItsRecordsAndRestored(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		record := y.vehicle(t)
		y.remove(t, modulesPath+"/"+y.customers).Refused(t, http.StatusConflict, "custom_modules.module_in_use")
		path := modulesPath + "/" + y.vehicles
		y.remove(t, path).OK(t)
		y.get(t, path).Refused(t, http.StatusNotFound, "custom_modules.module_not_found")
		y.get(t, record).Refused(t, http.StatusNotFound, "custom_modules.record_not_found")
		y.patch(t, record, object{"year": 1}).Refused(t, http.StatusNotFound, "custom_modules.record_not_found")
		y.remove(t, record).Refused(t, http.StatusNotFound, "custom_modules.record_not_found")
		y.create(t, y.vehicles, y.documented()).Refused(t, http.StatusNotFound, "custom_modules.module_not_found")

		taken := y.module(t, "Vehicles")
		y.post(t, path+"/restore", nil).Refused(t, http.StatusConflict, "custom_modules.module_name_taken")
		y.remove(t, modulesPath+"/"+taken).OK(t)
		y.post(t, path+"/restore", nil).OK(t)
		y.get(t, record).OK(t)
		y.patch(t, record, object{"year": 1}).OK(t)
		other := y.NewCompany(t)
		y.Call(t, other.Token, http.MethodDelete, path, nil).Refused(t, http.StatusNotFound, "custom_modules.module_not_found")
	})
}

func TestField_ChangesWithoutTouchingRecords(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		record := y.vehicle(t)
		price := y.field(t, y.vehicles, "price")
		y.change(t, price, object{"key": "amount", "label": "Amount", "help": "In dollars", "required": true, "position": 1}).OK(t)
		require.Equal(t, "12500.00", y.get(t, record).OK(t).Get("payload.amount").String())
		require.Equal(t, int64(1), y.get(t, record).Get("version").Int())
		require.Equal(t, int64(1), y.count(t, "module_uuid="+y.vehicles+"&filter[amount]=12500"))
		fields := y.get(t, modulesPath+"/"+y.vehicles).OK(t)
		require.JSONEq(t, `["amount","vin","year","operable","pickup_date","pickup_time","notes","customer"]`, fields.Get("fields.#.key").Raw)
		require.Equal(t, "[1,2,3,4,5,6,7,8]", fields.Get("fields.#.position").Raw)
		y.change(t, price, object{"key": "vin"}).Refused(t, http.StatusConflict, "custom_modules.field_key_taken")
		refused(t, y.change(t, price, object{"position": 9, "default": "x"}), "custom_modules.invalid_definition", map[string]string{
			"position": "The position must be between 1 and 8.",
			"default":  `The default must be a decimal number in a string, such as "12500.00".`,
		})
		refused(t, y.change(t, y.field(t, y.vehicles, "customer"), object{"options": object{"module_uuid": y.vehicles}}),
			"custom_modules.invalid_definition", map[string]string{"options.module_uuid": "The module that a field refers to cannot be changed."})

		y.change(t, price, object{"options": object{"scale": 3}, "default": "1"}).OK(t)
		require.Equal(t, "12500.00", y.get(t, record).OK(t).Get("payload.amount").String(), "what is there stays")
		require.Equal(t, "1.000", y.create(t, y.vehicles, object{"vin": "1HGCM82633A004352"}).OK(t).Get("payload.amount").String())
	})
}

func TestField_IsRemovedWithItsValues(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		record := y.vehicle(t)
		y.remove(t, y.field(t, y.vehicles, "customer")).OK(t)
		y.remove(t, y.field(t, y.vehicles, "year")).OK(t)
		require.False(t, y.get(t, record).OK(t).Get("payload.year").Exists())
		y.get(t, recordsPath+"?module_uuid="+y.vehicles+"&filter[year]=2019").Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")
		y.remove(t, modulesPath+"/"+y.customers).OK(t)

		y.post(t, modulesPath+"/"+y.vehicles+"/fields", object{"key": "year", "type": "text"}).OK(t)
		require.False(t, y.get(t, record).OK(t).Get("payload.year").Exists(), "another field of the same key has its own values")
		changed := y.patch(t, record, object{"year": "new"}).OK(t)
		require.Equal(t, "new", changed.Get("payload.year").String())
	})
}

func TestIndex_IsBuiltForTheRecordsThatAreThere(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		parts := y.module(t, "Parts", object{"key": "size", "type": "integer"}, object{"key": "old", "type": "integer", "indexed": true})
		for i := range 7 {
			y.create(t, parts, object{"size": i % 3, "old": 100 + i}).OK(t)
		}
		filter := "module_uuid=" + parts + "&filter[size]=1&sort=-size"
		y.get(t, recordsPath+"?"+filter).Refused(t, http.StatusUnprocessableEntity, "custom_modules.field_not_indexed")
		y.remove(t, y.field(t, parts, "old")).OK(t) // its slot has values, and is free now

		size := y.field(t, parts, "size")
		require.Equal(t, "building", y.change(t, size, object{"indexed": true}).OK(t).Get("index_state").String())
		y.create(t, parts, object{"size": 1}).OK(t)
		require.Eventually(t, func() bool { return y.get(t, size).Get("index_state").String() == "ready" }, time.Minute, 10*time.Millisecond)
		require.Equal(t, int64(3), y.count(t, filter))
		page := y.get(t, recordsPath+"?module_uuid="+parts+"&sort=size").OK(t)
		require.Equal(t, "[0,0,0,1,1,1,2,2]", page.Get("data.#.payload.size").Raw)
		require.Equal(t, "[1,1,1,1,1,1,1,1]", page.Get("data.#.version").Raw)

		y.change(t, size, object{"indexed": false}).OK(t)
		y.get(t, recordsPath+"?"+filter).Refused(t, http.StatusUnprocessableEntity, "custom_modules.field_not_indexed")
	}, moduletest.Set("modules.custom_modules.max_scan=5"))
}

func TestOptions_AreArchivedNotTakenAway(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		colours := func(archived bool) object {
			return object{"options": []object{{"id": "red", "label": "Red", "archived": archived}, {"id": "blue", "label": "Blue"}}}
		}
		parts := y.module(t, "Parts", object{"key": "colour", "type": "select", "options": colours(false)}, object{"key": "size", "type": "integer"})
		red := y.create(t, parts, object{"colour": "red"}).OK(t).Header.Get("Location")
		field := y.field(t, parts, "colour")
		refused(t, y.change(t, field, object{"options": object{"options": []object{{"id": "blue", "label": "Blue"}}}}),
			"custom_modules.invalid_definition", map[string]string{
				"options.options": "The option red cannot be removed while there are records: set its archived to true.",
			})
		y.change(t, field, object{"options": colours(true)}).OK(t)
		y.create(t, parts, object{"colour": "red"}).Refused(t, http.StatusUnprocessableEntity, "custom_modules.invalid_payload")
		y.patch(t, red, object{"colour": "red", "size": 3}).OK(t)
	})
}

func TestUserField_NamesAUserOfTheCompany(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		jobs := y.module(t, "Jobs", object{"key": "driver", "type": "user", "indexed": true})
		for _, nobody := range []string{uuid.NewString(), y.customer} {
			refused(t, y.create(t, jobs, object{"driver": nobody}), "custom_modules.invalid_payload",
				map[string]string{"payload.driver": "The driver does not exist."})
		}
	})
}
