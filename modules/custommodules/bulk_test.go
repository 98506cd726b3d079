package custommodules_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const bulkPath = recordsPath + "/bulk"

// parts defines a module with a unique field.
func (y yard) parts(t *testing.T) string {
	t.Helper()

	return y.module(t, "Parts", object{"key": "code", "type": "text", "unique": true}, object{"key": "size", "type": "integer", "indexed": true})
}

func (y yard) bulk(t *testing.T, module string, atomic bool, items ...object) moduletest.Response {
	t.Helper()

	return y.post(t, bulkPath, object{"module_uuid": module, "atomic": atomic, "items": items})
}

func creating(code string, size int) object {
	return object{"do": "create", "payload": object{"code": code, "size": size}}
}

func TestBulk_DoesEverythingInOneCall(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		parts := y.parts(t)
		made := y.bulk(t, parts, true, creating("a", 1), creating("b", 2), creating("c", 3)).OK(t)
		require.Equal(t, int64(3), made.Get("meta.succeeded").Int())
		a, b := made.Get("data.0.record.uuid").String(), made.Get("data.1.record.uuid").String()

		mixed := y.bulk(t, parts, true,
			object{"do": "update", "uuid": a, "version": 1, "payload": object{"size": 10}},
			object{"do": "delete", "uuid": b},
			object{"do": "upsert", "by": "code", "payload": object{"code": "c", "size": 30}},
			object{"do": "upsert", "by": "code", "payload": object{"code": "b", "size": 20}},
		).OK(t)
		require.Equal(t, "10", mixed.Get("data.0.record.payload.size").Raw)
		require.False(t, mixed.Get("data.1.record").Exists())
		require.Equal(t, made.Get("data.2.record.uuid").String(), mixed.Get("data.2.record.uuid").String())
		require.NotEqual(t, b, mixed.Get("data.3.record.uuid").String(), "the deleted one gave its code free")
		page := y.get(t, recordsPath+"?module_uuid="+parts+"&sort=size").OK(t)
		require.Equal(t, "[10,20,30]", page.Get("data.#.payload.size").Raw)
	})
}

func TestBulk_ChangesNothingWhenAnAtomicOneFails(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		parts := y.parts(t)
		y.create(t, parts, object{"code": "a"}).OK(t)
		refused(t, y.bulk(t, parts, true,
			creating("b", 1), creating("a", 1), object{"do": "create", "payload": object{"size": "x"}},
			object{"do": "update", "uuid": uuid.NewString(), "payload": object{}},
			object{"do": "upsert", "by": "size", "payload": object{"size": 1}},
		), "custom_modules.bulk_refused", map[string]string{
			"items.1.payload.code": "The code has already been taken.",
			"items.2.payload.size": "The size must be a whole number.",
			"items.3":              "There is no such record.",
			"items.4.by":           "`by` must be the key of a unique field: code.",
		})
		require.Equal(t, int64(1), y.count(t, "module_uuid="+parts))
		y.bulk(t, parts, true, creating("b", 1)).OK(t)
	})
}

func TestBulk_LetsEachItemSucceedOrFailByItself(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		parts := y.parts(t)
		some := y.bulk(t, parts, false, creating("a", 1), creating("a", 2), creating("b", 3),
			object{"do": "update", "uuid": y.customer, "payload": object{"name": "x"}}).OK(t)
		require.Equal(t, "[true,false,true,false]", some.Get("data.#.ok").Raw)
		require.Equal(t, "custom_modules.value_taken", some.Get("data.1.error.code").String())
		require.Equal(t, "custom_modules.record_not_found", some.Get("data.3.error.code").String(), "of another module")
		require.Equal(t, int64(2), some.Get("meta.failed").Int())
		require.Equal(t, int64(2), y.count(t, "module_uuid="+parts))
		stale := y.bulk(t, parts, false, object{"do": "delete", "uuid": some.Get("data.0.record.uuid").String(), "version": 9}).OK(t)
		require.Equal(t, "custom_modules.stale", stale.Get("data.0.error.code").String())
	})
}

func TestBulk_AnswersBrieflyWhenItsRecordsAreLarge(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		notes := y.module(t, "Notes", object{"key": "code", "type": "text", "unique": true}, object{"key": "text", "type": "long_text"})
		var upserts []object
		for _, code := range []string{"a", "b", "c"} {
			y.create(t, notes, object{"code": code, "text": strings.Repeat("x", 1500)}).OK(t)
			upserts = append(upserts, object{"do": "upsert", "by": "code", "payload": object{"code": code}})
		}
		for _, atomic := range []bool{true, false} {
			answer := y.bulk(t, notes, atomic, upserts...).OK(t)
			require.Equal(t, "[true,true,true]", answer.Get("data.#.ok").Raw)
			require.Equal(t, "a", answer.Get("data.0.record.payload.code").String())
			require.False(t, answer.Get("data.0.brief").Exists())
			for _, at := range []string{"data.1", "data.2"} {
				require.False(t, answer.Get(at+".record").Exists())
				require.Equal(t, int64(1), answer.Get(at+".brief.version").Int())
				y.get(t, recordsPath+"/"+answer.Get(at+".brief.uuid").String()).OK(t)
			}
		}
		wrong := y.bulk(t, notes, false, upserts[0], object{"do": "create", "payload": object{strings.Repeat("k", 900): 1}}).OK(t)
		require.Equal(t, "custom_modules.invalid_payload", wrong.Get("data.1.error.code").String())
	}, moduletest.Set("modules.custom_modules.max_bulk_size=2048"))
}

func TestBulk_SaysWhatIsWrongWithItsShape(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		parts := y.parts(t)
		refused(t, y.bulk(t, parts, true, object{"do": "make"}, object{"do": "delete"}, object{"do": "create"},
			object{"do": "upsert", "payload": object{}}), "custom_modules.invalid_record", map[string]string{
			"items.0.do": "`do` must be create, update, upsert or delete.", "items.1.uuid": "The uuid is required.",
			"items.2.payload": "The payload is required.", "items.3.by": "`by` is required for an upsert: give the key of a unique field.",
		})
		refused(t, y.bulk(t, parts, true), "custom_modules.invalid_record", map[string]string{"items": "The items must be between 1 and 4."})
		refused(t, y.bulk(t, parts, true, creating("a", 1), creating("b", 1), creating("c", 1), creating("d", 1), creating("e", 1)),
			"custom_modules.invalid_record", map[string]string{"items": "The items must be between 1 and 4."})
		y.bulk(t, uuid.NewString(), true, creating("a", 1)).Refused(t, http.StatusNotFound, "custom_modules.module_not_found")
		y.bulk(t, parts, true, creating(strings.Repeat("x", 3000), 1)).Refused(t, http.StatusRequestEntityTooLarge, "web.body_too_large")
	}, moduletest.Set("modules.custom_modules.max_bulk=4", "modules.custom_modules.max_bulk_size=2048"))
}

// Items that are written together and those that are not come in any order, and each meets what those before it
// did.
func TestBulk_NamesUnknownKeysAndNothingThatMayBeLeftOut(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		typo := y.post(t, bulkPath, object{"module_uuid": y.parts(t), "items": []object{{"do": "create", "payload": object{"code": "a"}, "vers": 1}}}).
			Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		require.JSONEq(t, "{\"items.0.vers\": [\"This key is not known. Did you mean `verb`?\"]}", typo.Get("errors").Raw)
		pack := y.post(t, packsPath+"/plan", object{"install": "yard_check_in", "overwrit": true}).
			Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		require.JSONEq(t, "{\"overwrit\": [\"This key is not known. Did you mean `overwrite`?\"]}", pack.Get("errors").Raw)
	})
}

func TestBulk_EachItemMeetsWhatThoseBeforeItDid(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		lots := y.lots(t)
		item := func(do, code, price string) object {
			i := object{"do": do, "payload": object{"code": code, "price": price}}
			if do == "upsert" {
				i["by"] = "code"
			}

			return i
		}
		answer := y.post(t, recordsPath+"/bulk", object{"module_uuid": lots, "atomic": false, "items": []object{
			item("create", "L-00001", "1.00"), item("create", "L-00002", "1.00"),
			item("create", "L-00001", "2.00"),                                    // taken by the first
			item("upsert", "L-00002", "3.00"),                                    // changes the second
			item("create", "L-00003", "free"),                                    // no price
			item("upsert", "L-00003", "4.00"), item("upsert", "L-00003", "4.00"), // makes, and changes nothing
		}}).OK(t)
		require.Equal(t, `[true,true,false,true,false,true,true]`, answer.Get("data.#.ok").Raw)
		require.Equal(t, `[1,1,2,1,1]`, answer.Get("data.#.record.version").Raw)
		require.Equal(t, answer.Get("data.1.record.uuid").String(), answer.Get("data.3.record.uuid").String())
		require.Contains(t, answer.Get("data.2.error").Raw, "already been taken")
		require.EqualValues(t, 3, y.records(t, lots))
	})
}
