package custommodules_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// patch changes a record as the owner.
func (y yard) patch(t *testing.T, path string, payload any, headers ...string) moduletest.Response {
	t.Helper()

	return y.Call(t, y.Owner.Token, http.MethodPatch, path, object{"payload": payload}, headers...)
}

// post calls an operation without a body as the owner.
func (y yard) post(t *testing.T, path string, body any) moduletest.Response {
	t.Helper()

	return y.Call(t, y.Owner.Token, http.MethodPost, path, body)
}

// vehicle stores the documented vehicle and returns its path.
func (y yard) vehicle(t *testing.T) string {
	t.Helper()

	return y.create(t, y.vehicles, y.documented()).OK(t).Header.Get("Location")
}

// module defines a module as the owner and returns its id.
func (y yard) module(t *testing.T, name string, fields ...object) string {
	t.Helper()

	return y.post(t, modulesPath, object{"name": name, "fields": fields}).OK(t).Get("uuid").String()
}

func (y yard) count(t *testing.T, query string) int64 {
	t.Helper()

	return y.get(t, recordsPath+"?"+query).OK(t).Get("data.#").Int()
}

func TestUpdateRecord_IsAMergePatch(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		path := y.vehicle(t)
		changed := y.patch(t, path, object{"price": "9999.5", "notes": nil, "year": 2020}).OK(t)
		require.Equal(t, `"2"`, changed.Header.Get("ETag"))
		require.Equal(t, path, changed.Header.Get("Location"))
		want := y.documented()
		want["price"], want["year"], want["notes"] = "9999.50", 2020, nil
		require.Equal(t, int64(2), changed.Get("version").Int())
		require.JSONEq(t, encode(t, want), changed.Get("payload").Raw)
		require.JSONEq(t, string(changed.Body), string(y.get(t, path).OK(t).Body))

		require.Equal(t, int64(1), y.count(t, "module_uuid="+y.vehicles+"&filter[price]=9999.5&filter[year]=2020"))
		require.Zero(t, y.count(t, "module_uuid="+y.vehicles+"&filter[price]=12500"))
	})
}

func TestUpdateRecord_MakesNoVersionOfNothing(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		path := y.vehicle(t)
		same := y.patch(t, path, object{"price": "12500", "customer": object{"record_uuid": y.customer}}).OK(t)
		require.Equal(t, `"1"`, same.Header.Get("ETag"))
		y.patch(t, path, object{}).OK(t)
		require.Equal(t, []string{"created"}, texts(y.get(t, path+"/history").OK(t), "data.#.verb"))
	})
}

func TestUpdateRecord_SaysWhatIsWrongWithThePatchAlone(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		path := y.vehicle(t)
		refused(t, y.patch(t, path, object{"vin": nil, "year": "x", "colour": 1}), "custom_modules.invalid_payload", map[string]string{
			"payload.vin": "The VIN is required.", "payload.year": "The year must be a whole number.",
			"payload.colour": "The key colour is not known in this module. Known are: customer, notes, operable, pickup_date, pickup_time, price, vin, year.",
		})
		refused(t, y.patch(t, path, object{"customer": object{"record_uuid": y.vehicles}}), "custom_modules.invalid_payload",
			map[string]string{"payload.customer": "The customer does not exist."})
		refused(t, y.patch(t, path, nil), "custom_modules.invalid_record", map[string]string{"payload": "The payload is required."})

		y.post(t, modulesPath+"/"+y.vehicles+"/fields", object{"key": "lot", "type": "text", "required": true}).OK(t)
		y.patch(t, path, object{"year": 2021}).OK(t)
		refused(t, y.patch(t, path, object{"lot": nil}), "custom_modules.invalid_payload", map[string]string{"payload.lot": "The lot is required."})
	})
}

func TestUpdateRecord_RefusesAStaleVersionAndSaysWhatHasChanged(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		path := y.vehicle(t)
		y.patch(t, path, object{"price": "1.00"}, "If-Match", `"1"`).OK(t)
		y.patch(t, path, object{"notes": "Moved"}).OK(t)
		stale := y.patch(t, path, object{"year": 2000}, "If-Match", `"1"`)
		stale.Refused(t, http.StatusPreconditionFailed, "web.stale")
		require.Equal(t, int64(3), stale.Get("details.current_version").Int())
		require.JSONEq(t, `["price","notes"]`, stale.Get("details.changed").Raw)
		y.Call(t, y.Owner.Token, http.MethodDelete, path, nil, "If-Match", `"2"`).Refused(t, http.StatusPreconditionFailed, "web.stale")
	})
}

func TestUpdateRecord_LetsOneOfManyWritersWinEachVersion(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		path := y.vehicle(t)
		const writers = 32
		for version := range 3 {
			answers := make([]int, writers)
			var all sync.WaitGroup
			for i := range writers {
				all.Go(func() {
					answers[i] = y.Call(t, y.Owner.Token, http.MethodPatch, path, object{"payload": object{"year": 1900 + i + version*writers}},
						"If-Match", strconv.Quote(strconv.Itoa(version+1))).Status
				})
			}
			all.Wait()
			won := 0
			for _, status := range answers {
				if status == http.StatusOK {
					won++
				} else {
					require.Equal(t, http.StatusPreconditionFailed, status)
				}
			}
			require.Equal(t, 1, won)
		}
		require.Equal(t, int64(4), y.get(t, path).OK(t).Get("version").Int())
	})
}

func TestDeleteRecord_HidesItUntilItIsRestored(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		path := y.vehicle(t)
		y.Call(t, y.Owner.Token, http.MethodDelete, path, nil).OK(t)
		for _, gone := range []moduletest.Response{
			y.get(t, path), y.patch(t, path, object{"year": 1}), y.get(t, path+"/history"), y.Call(t, y.Owner.Token, http.MethodDelete, path, nil),
		} {
			gone.Refused(t, http.StatusNotFound, "custom_modules.record_not_found")
		}
		require.Zero(t, y.count(t, "module_uuid="+y.vehicles))
		require.Zero(t, y.count(t, "module_uuid="+y.vehicles+"&filter[year]=2019"))

		back := y.post(t, path+"/restore", nil).OK(t)
		require.Equal(t, int64(3), back.Get("version").Int())
		require.JSONEq(t, encode(t, y.documented()), back.Get("payload").Raw)
		require.Equal(t, int64(1), y.count(t, "module_uuid="+y.vehicles+"&filter[year]=2019"))
		y.post(t, path+"/restore", nil).Refused(t, http.StatusConflict, "custom_modules.record_not_deleted")

		other := y.NewCompany(t)
		y.Call(t, other.Token, http.MethodDelete, path, nil).Refused(t, http.StatusNotFound, "custom_modules.record_not_found")
	})
}

func TestDeleteRecord_DoesWithReferencesWhatTheirFieldsSay(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		owners := y.module(t, "Owners", object{"key": "name", "type": "text"})
		pointing := func(name, way string) string {
			return y.module(t, name, object{"key": "owner", "type": "reference", "options": object{"module_uuid": owners, "on_delete": way}})
		}
		restricted, cleared, followed := pointing("Restricted", "restrict"), pointing("Cleared", "set_null"), pointing("Followed", "cascade")
		owner := func() string { return y.create(t, owners, object{"name": "A"}).OK(t).Get("uuid").String() }
		to := func(module, record string) string {
			return y.create(t, module, object{"owner": object{"record_uuid": record}}).OK(t).Header.Get("Location")
		}
		remove := func(record string) moduletest.Response {
			return y.Call(t, y.Owner.Token, http.MethodDelete, recordsPath+"/"+record, nil)
		}

		held := owner()
		to(restricted, held)
		emptied := to(cleared, held)
		refusal := remove(held).Refused(t, http.StatusConflict, "custom_modules.record_in_use")
		require.Equal(t, "owner", refusal.Get("details.field").String())
		require.Equal(t, held, y.get(t, emptied).OK(t).Get("payload.owner.record_uuid").String(), "all or nothing")

		free := owner()
		emptied, gone := to(cleared, free), to(followed, free)
		remove(free).OK(t)
		require.Equal(t, "null", y.get(t, emptied).OK(t).Get("payload.owner").Raw)
		require.Equal(t, int64(2), y.get(t, emptied).OK(t).Get("version").Int())
		y.get(t, gone).Refused(t, http.StatusNotFound, "custom_modules.record_not_found")
		refused(t, y.post(t, gone+"/restore", nil), "custom_modules.invalid_payload", map[string]string{"payload.owner": "The owner does not exist."})
		y.post(t, recordsPath+"/"+free+"/restore", nil).OK(t)
		require.Equal(t, free, y.get(t, gone).OK(t).Get("payload.owner.record_uuid").String(), "it came back with its owner")
		require.Equal(t, "null", y.get(t, emptied).OK(t).Get("payload.owner").Raw)
	})
}

func TestDeleteRecord_RefusesToChangeTooMuchAtOnce(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		tree := y.module(t, "Tree", object{"key": "name", "type": "text"})
		leaves := y.module(t, "Leaves", object{"key": "tree", "type": "reference", "options": object{"module_uuid": tree, "on_delete": "cascade"}})
		root := y.create(t, tree, object{"name": "A"}).OK(t).Get("uuid").String()
		for range 4 {
			y.create(t, leaves, object{"tree": object{"record_uuid": root}}).OK(t)
		}
		y.Call(t, y.Owner.Token, http.MethodDelete, recordsPath+"/"+root, nil).
			Refused(t, http.StatusConflict, "custom_modules.cascade_too_large")
		require.Equal(t, int64(4), y.count(t, "module_uuid="+leaves))
	}, moduletest.Set("modules.custom_modules.max_cascade=3"))
}

func TestUnique_HoldsForRecordsThatAreThere(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		parts := y.module(t, "Parts", object{"key": "code", "type": "text", "unique": true}, object{"key": "size", "type": "integer"})
		first := y.create(t, parts, object{"code": "a"}).OK(t)
		again := y.create(t, parts, object{"code": "a"})
		refused(t, again, "custom_modules.value_taken", map[string]string{"payload.code": "The code has already been taken."})
		require.Equal(t, first.Get("uuid").String(), again.Get(`details.taken_by.payload\.code`).String())
		for _, empty := range []object{{}, {"code": nil}, {"code": ""}} {
			y.create(t, parts, empty).OK(t)
			y.create(t, parts, empty).OK(t)
		}
		path := first.Header.Get("Location")
		y.patch(t, path, object{"size": 3}).OK(t)
		second := y.create(t, parts, object{"code": "b"}).OK(t).Header.Get("Location")
		y.patch(t, second, object{"code": "a"}).Refused(t, http.StatusUnprocessableEntity, "custom_modules.value_taken")
		y.patch(t, path, object{"code": "c"}).OK(t)
		y.patch(t, second, object{"code": "a"}).OK(t)

		y.Call(t, y.Owner.Token, http.MethodDelete, second, nil).OK(t)
		y.create(t, parts, object{"code": "a"}).OK(t)
		y.post(t, second+"/restore", nil).Refused(t, http.StatusUnprocessableEntity, "custom_modules.value_taken")
	})
}

func TestUnique_LetsOneOfManyWritersHaveAValue(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		parts := y.module(t, "Parts", object{"key": "code", "type": "text", "unique": true})
		const writers = 32
		answers := make([]int, writers)
		var all sync.WaitGroup
		for i := range writers {
			all.Go(func() {
				answers[i] = y.Call(t, y.Owner.Token, http.MethodPost, recordsPath, object{"module_uuid": parts, "payload": object{"code": "same"}}).Status
			})
		}
		all.Wait()
		won := 0
		for _, status := range answers {
			if status == http.StatusOK {
				won++
			} else {
				require.Equal(t, http.StatusUnprocessableEntity, status)
			}
		}
		require.Equal(t, 1, won)
		require.Equal(t, int64(1), y.count(t, "module_uuid="+parts))
	})
}

func TestFields_HaveDefaultsAndMayBeReadOnly(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		parts := y.module(t, "Parts",
			object{"key": "size", "type": "integer", "default": 7, "indexed": true, "help": "In inches", "section": "Body"},
			object{"key": "serial", "type": "text", "read_only": true})
		require.JSONEq(t, `{"size": 7}`, y.create(t, parts, object{}).OK(t).Get("payload").Raw)
		require.JSONEq(t, `{"size": null}`, y.create(t, parts, object{"size": nil}).OK(t).Get("payload").Raw)
		require.Equal(t, int64(1), y.count(t, "module_uuid="+parts+"&filter[size]=7"))
		refused(t, y.create(t, parts, object{"serial": "1"}), "custom_modules.invalid_payload",
			map[string]string{"payload.serial": "The serial is read-only."})

		refused(t, y.post(t, modulesPath, object{"name": "Bad", "fields": []object{
			{"key": "a", "type": "integer", "default": "x"}, {"key": "b", "type": "long_text", "unique": true},
		}}), "custom_modules.invalid_definition", map[string]string{
			"fields.0.default": "The default must be a whole number.",
			"fields.1.unique":  "A field of the type long_text cannot be unique.",
		})
	})
}

func TestHistory_ShowsEveryVersionAndGivesValuesBack(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		made := y.create(t, y.vehicles, y.documented()).OK(t)
		path := made.Header.Get("Location")
		second := y.patch(t, path, object{"price": "1.00", "notes": nil}).OK(t)
		y.patch(t, path, object{"price": "2.00", "year": 2001}).OK(t)

		history := y.get(t, path+"/history").OK(t)
		require.Equal(t, "3 updated 1.00 2.00", join(history, "version", "verb", "changes.price.before", "changes.price.after"))
		require.Equal(t, "2019", history.Get("data.0.changes.year.before").Raw)
		require.Equal(t, "user", history.Get("data.0.actor_kind").String())
		require.Equal(t, []string{"updated", "updated", "created"}, texts(history, "data.#.verb"))
		require.Equal(t, "null", history.Get("data.1.changes.notes.after").Raw)
		first := history.Get("data.2")
		require.Equal(t, `{"before":null,"after":"12500.00"}`, first.Get("changes.price").Raw)
		require.Equal(t, made.Get("created_at").String()+" user", first.Get("at").String()+" "+first.Get("actor_kind").String())

		for _, query := range []string{"?version=1", "?as_of=" + made.Get("created_at").String()} {
			require.JSONEq(t, string(made.Body), string(y.get(t, path+query).OK(t).Body), query)
		}
		require.JSONEq(t, string(second.Body), string(y.get(t, path+"?version=2").OK(t).Body))
		y.get(t, path+"?version=4").Refused(t, http.StatusNotFound, "custom_modules.version_not_found")
		y.get(t, path+"?as_of=2001-01-01T00:00:00Z").Refused(t, http.StatusNotFound, "custom_modules.version_not_found")
		y.get(t, path+"?version=2&as_of=2001-01-01T00:00:00Z").Refused(t, http.StatusUnprocessableEntity, "custom_modules.invalid_record")

		back := y.post(t, path+"/revert", object{"version": 1, "fields": []string{"notes"}}).OK(t)
		require.Equal(t, "Keys at the desk 2.00", back.Get("payload.notes").String()+" "+back.Get("payload.price").String())
		all := y.post(t, path+"/revert", object{"version": 1}).OK(t)
		require.JSONEq(t, made.Get("payload").Raw, all.Get("payload").Raw)
		require.Equal(t, int64(5), all.Get("version").Int())
		refused(t, y.post(t, path+"/revert", object{"version": 1, "fields": []string{"notess"}}), "custom_modules.invalid_record",
			map[string]string{"fields.0": "The key notess is not known in this module. Did you mean notes?"})
	})
}

// join puts values of the first row of a page together.
func join(page moduletest.Response, keys ...string) string {
	values := make([]string, len(keys))
	for i, key := range keys {
		values[i] = page.Get("data.0." + key).String()
	}

	return strings.Join(values, " ")
}

func encode(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)

	return string(text)
}
