package collections_test

import (
	"net/http"
	"strconv"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func (y yard) bulk(t *testing.T, token, name string, atomic bool, items ...object) moduletest.Response {
	t.Helper()

	return y.Call(t, token, http.MethodPost, collectionsPath+"/"+name+"/bulk", object{"atomic": atomic, "items": items})
}

func making(values object) object { return object{"do": "create", "payload": values} }

func TestBulk_OfAResourceDoesEverythingInOneCall(t *testing.T) {
	t.Parallel()
	eachPort(t, func(t *testing.T, y yard) {
		t.Helper()
		made := y.bulk(t, y.Owner.Token, gate1, true,
			making(object{"name": "A", "lanes": 1}), making(object{"name": "B", "serial": "S1"}), making(object{"name": "C", "phone": "202-555-0143"})).OK(t)
		require.JSONEq(t, `{"succeeded":3,"failed":0}`, made.Get("meta").Raw)
		require.Equal(t, "[1,2,2]", made.Get("data.#.record.lanes").Raw)
		require.Equal(t, "+12025550143", made.Get("data.2.record.phone").String())
		a, b := made.Get("data.0.record.uuid").String(), made.Get("data.1.record.uuid").String()

		mixed := y.bulk(t, y.Owner.Token, gate1, true,
			object{"do": "update", "uuid": a, "version": 1, "payload": object{"lanes": 9}},
			object{"do": "delete", "uuid": b, "version": 1},
			object{"do": "upsert", "by": "name", "payload": object{"name": "c", "lanes": 3}},
			object{"do": "upsert", "by": "name", "payload": object{"name": "B", "lanes": 4}},
			object{"do": "upsert", "by": "name", "payload": object{"name": "b", "lanes": 5}},
			object{"do": "update", "uuid": a, "payload": object{"nearest_uuid": a}},
		).OK(t)
		require.Equal(t, "[2,2,1,2,3]", mixed.Get("data.#.record.version").Raw)
		require.False(t, mixed.Get("data.1.record").Exists())
		require.False(t, mixed.Get("data.1.brief").Exists())
		require.Equal(t, made.Get("data.2.record.uuid").String(), mixed.Get("data.2.record.uuid").String())
		require.NotEqual(t, b, mixed.Get("data.3.record.uuid").String(), "the deleted one gave its name free")
		require.Equal(t, mixed.Get("data.3.record.uuid").String(), mixed.Get("data.4.record.uuid").String())
		require.Equal(t, "name,lanes\nA,9\nb,5\nc,3\n", y.exported(t, y.Owner.Token, "name,lanes"))
		versions := y.get(t, collectionsPath+"/"+gate1+"/items/"+a+"/history").OK(t)
		require.Equal(t, "[3,2,1]", versions.Get("data.#.version").Raw)
		found := y.get(t, "/collections/api/v1/search?q=c").OK(t)
		require.Equal(t, made.Get("data.2.record.uuid").String(), found.Get("data.0.uuid").String())
	})
}

func TestBulk_OfAResourceLetsEachItemSucceedOrFailByItself(t *testing.T) {
	t.Parallel()
	eachPort(t, func(t *testing.T, y yard) {
		t.Helper()
		taken := y.gate(t, object{"name": "Taken"})
		some := y.bulk(t, y.Owner.Token, gate1, false,
			making(object{"name": "A"}), making(object{"name": "a"}), making(object{"name": "TAKEN"}), making(object{"lanes": 10}),
			object{"do": "update", "uuid": uuid.NewString(), "payload": object{"lanes": 3}},
			object{"do": "update", "uuid": taken, "version": 7, "payload": object{"lanes": 3}},
			object{"do": "upsert", "by": "lanes", "payload": object{"lanes": 3}},
			object{"do": "update", "uuid": taken, "payload": object{"nearest_uuid": uuid.NewString()}},
			making(object{"name": "B"}), object{"do": "update", "uuid": taken, "payload": object{"serial": "S9"}},
			object{"do": "move"}, object{"do": "delete", "uuid": taken}, object{"do": "delete", "uuid": taken},
		).OK(t)
		require.Equal(t, "[true,false,false,false,false,false,false,false,true,false,false,true,false]", some.Get("data.#.ok").Raw)
		require.JSONEq(t, `{"succeeded":3,"failed":10}`, some.Get("meta").Raw)
		for i, want := range map[int][2]string{
			1:  {"port.gate_taken", `{"payload.name":["The name is taken by A."]}`},
			2:  {"port.gate_taken", `{"payload.name":["The name is taken by Taken."]}`},
			4:  {"port.gate_not_found", ""},
			5:  {"web.stale", ""},
			6:  {"port.invalid_gate", "{\"by\":[\"`by` must be the key of a unique field: name.\"]}"},
			7:  {"port.invalid_gate", `{"payload.nearest_uuid":["The nearest uuid does not belong to any gate."]}`},
			9:  {"web.invalid", `{"payload.serial":["The serial cannot be changed."]}`},
			10: {"collection.invalid_bulk", "{\"do\":[\"`do` must be create, update, upsert, delete or act.\"]}"},
			12: {"port.gate_not_found", ""},
		} {
			at := "data." + strconv.Itoa(i) + ".error."
			require.Equal(t, want[0], some.Get(at+"code").String(), "item %d: %s", i, some.Body)
			require.Equal(t, want[1], some.Get(at+"errors").Raw, "item %d", i)
		}
		require.Contains(t, some.Get("data.3.error.errors").Raw, "payload.name")
		require.Contains(t, some.Get("data.3.error.errors").Raw, "payload.lanes")
		require.Equal(t, "name\nA\nB\n", y.exported(t, y.Owner.Token, "name"))
	})
}

func TestBulk_OfAResourceChangesNothingWhenAnAtomicItemFails(t *testing.T) {
	t.Parallel()
	eachPort(t, func(t *testing.T, y yard) {
		t.Helper()
		y.gate(t, object{"name": "A"})
		refused := y.bulk(t, y.Owner.Token, gate1, true, making(object{"name": "B"}), making(object{"name": "A"}),
			object{"do": "delete", "uuid": uuid.NewString()}).Refused(t, http.StatusUnprocessableEntity, "collection.bulk_refused")
		require.JSONEq(t, `{"items.1.payload.name":["The name is taken by A."],"items.2":["There is no such gate."]}`, refused.Get("errors").Raw)
		require.Equal(t, "name\nA\n", y.exported(t, y.Owner.Token, "name"))
		wrong := y.bulk(t, y.Owner.Token, gate1, true, object{"do": "delete"}).Refused(t, http.StatusUnprocessableEntity, "collection.invalid_bulk")
		require.JSONEq(t, `{"items.0.uuid":["The uuid is required."]}`, wrong.Get("errors").Raw)
	})
}

func TestBulk_IsDoneOnceForAnIdempotencyKey(t *testing.T) {
	t.Parallel()
	eachPort(t, func(t *testing.T, y yard) {
		t.Helper()
		body := object{"items": []object{making(object{"name": "A"})}}
		path := collectionsPath + "/" + gate1 + "/bulk"
		first := y.Call(t, y.Owner.Token, http.MethodPost, path, body, "Idempotency-Key", "one").OK(t)
		again := y.Call(t, y.Owner.Token, http.MethodPost, path, body, "Idempotency-Key", "one").OK(t)
		require.JSONEq(t, string(first.Body), string(again.Body))
		require.Equal(t, "name\nA\n", y.exported(t, y.Owner.Token, "name"))
	})
}

func TestBulk_TakesTheScopesOfTheCollectionAndHidesWhatIsSensitive(t *testing.T) {
	t.Parallel()
	eachPort(t, func(t *testing.T, y yard) {
		t.Helper()
		secret := y.gate(t, object{"name": "North", "code": "1234"})
		plain := y.Token(t, y.Owner, "collections:*", "port:read", "port:write")
		seen := y.bulk(t, plain, gate1, false, object{"do": "update", "uuid": secret, "payload": object{"lanes": 3}},
			object{"do": "update", "uuid": secret, "payload": object{"code": "1"}}).OK(t)
		require.Equal(t, "3", seen.Get("data.0.record.lanes").Raw)
		require.Equal(t, "null", seen.Get("data.0.record.code").Raw)
		require.Equal(t, "web.scope_missing", seen.Get("data.1.error.code").String())

		reader := y.Token(t, y.Owner, "collections:*", "port:read")
		y.bulk(t, reader, gate1, false, making(object{"name": "A"})).Refused(t, http.StatusForbidden, "web.scope_missing")
		y.bulk(t, plain, "port.permit", false, making(object{"name": "A"})).Refused(t, http.StatusForbidden, "web.scope_missing")
		y.bulk(t, y.Owner.Token, "port.visit", false, making(object{"name": "A"})).Refused(t, http.StatusForbidden, "collection.own_operations")
		y.bulk(t, y.Owner.Token, "port.ship", false, making(object{"name": "A"})).Refused(t, http.StatusNotFound, "collection.not_found")
		own := y.bulk(t, y.Owner.Token, "port.visit", false, making(object{"name": "A"}), object{"do": "delete", "uuid": uuid.NewString()}).OK(t)
		require.Equal(t, `["collection.own_operations","port.visit_not_found"]`, own.Get("data.#.error.code").Raw)
	})
}

func TestBulk_OfManyRowsFindsTheOneThatFails(t *testing.T) {
	t.Parallel()
	eachPort(t, func(t *testing.T, y yard) {
		t.Helper()
		items := make([]object, 150)
		for i := range items {
			items[i] = making(object{"name": "Gate " + strconv.Itoa(i)})
		}
		items[77]["payload"] = object{"name": "gate 3"} // taken by one of the others
		made := y.bulk(t, y.Owner.Token, gate1, false, items...).OK(t)
		require.JSONEq(t, `{"succeeded":149,"failed":1}`, made.Get("meta").Raw)
		require.Equal(t, "port.gate_taken", made.Get("data.77.error.code").String())
		changes := make([]object, 150)
		for i := range changes {
			changes[i] = object{"do": "update", "uuid": made.Get("data." + strconv.Itoa(i) + ".record.uuid").String(), "payload": object{"lanes": 7}}
		}
		changes[77] = object{"do": "delete", "uuid": made.Get("data.0.record.uuid").String()}
		changed := y.bulk(t, y.Owner.Token, gate1, true, changes...).OK(t)
		require.JSONEq(t, `{"succeeded":150,"failed":0}`, changed.Get("meta").Raw)
		require.EqualValues(t, 148, y.get(t, gates+"?filter[lanes]=7&count=exact").OK(t).Get("meta.total").Int())
	})
}

func TestBulk_OfAModuleIsThatOfItsOwnPath(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		made := y.bulk(t, y.Owner.Token, y.lots, false, making(object{"code": "L-1", "price": "1.50"}), making(object{"code": "L-1"})).OK(t)
		require.Equal(t, "[true,false]", made.Get("data.#.ok").Raw)
		require.Equal(t, "L-1", made.Get("data.0.record.payload.code").String())
		require.Equal(t, "custom_modules.value_taken", made.Get("data.1.error.code").String())
		refused := y.bulk(t, y.Owner.Token, y.lots, true, making(object{"code": "L-1"})).
			Refused(t, http.StatusUnprocessableEntity, "collection.bulk_refused")
		require.JSONEq(t, `{"items.0.payload.code":["The Lot code has already been taken."]}`, refused.Get("errors").Raw)
		y.bulk(t, y.Owner.Token, uuid.NewString(), true, making(object{"code": "L-2"})).Refused(t, http.StatusNotFound, "collection.not_found")
	})
}

func TestImports_OfAResourceMayReferToRowsOfTheSameFile(t *testing.T) {
	t.Parallel()
	eachPort(t, func(t *testing.T, y yard) {
		t.Helper()
		first, second := uuid.NewString(), uuid.NewString()
		id := y.send(t, y.Owner.Token, gate1, "uuid,name,nearest_uuid\n"+first+",A,\n"+second+",B,"+first+"\n,C,"+second+"\n")
		done := y.do(t, y.Owner.Token, id, "start")
		require.EqualValues(t, 3, done.Get("progress.created").Int(), string(done.Body))
		require.Equal(t, "name,nearest_uuid\nA,\nB,"+first+"\nC,"+second+"\n", y.exported(t, y.Owner.Token, "name,nearest_uuid"))
		require.EqualValues(t, 3, y.do(t, y.Owner.Token, id, "undo").Get("progress.undone").Int())
		require.Equal(t, "name\n", y.exported(t, y.Owner.Token, "name"))
	})
}

func TestBulk_OfAResourceDeletesRowsThatReferToEachOther(t *testing.T) {
	t.Parallel()
	eachPort(t, func(t *testing.T, y yard) {
		t.Helper()
		self := y.gate(t, object{"name": "A"})
		y.Call(t, y.Owner.Token, http.MethodPatch, gates+"/"+self, object{"nearest_uuid": self}).OK(t)
		first := y.gate(t, object{"name": "B", "nearest_uuid": self})
		second := y.gate(t, object{"name": "C", "nearest_uuid": first})
		left := y.gate(t, object{"name": "D", "nearest_uuid": first})
		done := y.bulk(t, y.Owner.Token, gate1, false,
			object{"do": "delete", "uuid": self}, object{"do": "delete", "uuid": first}, object{"do": "delete", "uuid": second},
			making(object{"name": "E", "nearest_uuid": first}), object{"do": "update", "uuid": left, "payload": object{"nearest_uuid": second}}).OK(t)
		require.Equal(t, "[true,true,true,false,false]", done.Get("data.#.ok").Raw)
		require.Equal(t, "The nearest uuid does not belong to any gate.", done.Get("data.3.error.errors.payload\\.nearest_uuid.0").String())
		require.Equal(t, "name,nearest_uuid\nD,\n", y.exported(t, y.Owner.Token, "name,nearest_uuid"))
	})
}

func TestBulk_OfAResourceUpsertsChangeTheRowThatSomebodyElseMakesAtTheSameTime(t *testing.T) {
	t.Parallel()
	eachPort(t, func(t *testing.T, y yard) {
		t.Helper()
		const rounds, writers = 5, 6
		for round := range rounds {
			name, answers := "Gate "+strconv.Itoa(round), make([]moduletest.Response, writers)
			var all sync.WaitGroup
			for i := range writers {
				all.Go(func() {
					answers[i] = y.bulk(t, y.Owner.Token, gate1, false, object{"do": "upsert", "by": "name", "payload": object{"name": name, "lanes": i + 1}})
				})
			}
			all.Wait()
			for _, answer := range answers {
				require.Equal(t, "[true]", answer.OK(t).Get("data.#.ok").Raw, string(answer.Body))
			}
		}
		require.EqualValues(t, rounds, y.get(t, gates+"?count=exact").OK(t).Get("meta.total").Int())
	})
}
