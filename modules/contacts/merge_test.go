package contacts_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const modulesPath, recordsPath = "/custom_modules/api/v1/modules", "/custom_modules/api/v1/records"

func contactRef(uuid string) object { return object{"type": "contacts.contact", "uuid": uuid} }

func merge(into string, from ...string) object { return object{"into": into, "from": from} }

func TestMerge_MovesItemFieldsOfRecordsAndOwnFields(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, call caller) {
		t.Helper()
		ann, twin := call.create(t, object{"name": "Ann"}), call.create(t, object{"name": "A."})
		only := object{"types": []string{"contacts.contact"}}
		module := call(http.MethodPost, modulesPath, object{
			"name": "Titles", "permissions": object{"read": []string{}, "write": []string{}, "delete": []string{}, "define": []string{}},
			"fields": []object{
				{"key": "owner", "type": "item", "indexed": true, "options": only},
				{"key": "lender", "type": "item", "sensitive": true},
				{"key": "witness", "type": "item", "read_only": true},
				{"key": "truck", "type": "item", "options": object{"types": []string{"tasks.task"}}},
				{"key": "note", "type": "text"},
			},
		}).OK(t).Get("uuid").String()
		record := func(owner, lender string) string {
			return call(http.MethodPost, recordsPath, object{"module_uuid": module, "payload": object{
				"owner": contactRef(owner), "lender": contactRef(lender), "note": "x",
			}}).OK(t).Header.Get("Location")
		}
		both, one, none := record(twin, twin), record(twin, ann), record(ann, ann)
		call(http.MethodPost, "/collections/api/v1/collections/tasks.task/fields", object{"key": "payee", "label": "Payee", "type": "item", "options": only}).OK(t)
		task := call(http.MethodPost, "/tasks/api/v1/tasks", object{"title": "Pay", "custom": object{"payee": contactRef(twin)}}).OK(t).Header.Get("Location")
		at := func(path, key string) string {
			return call(http.MethodGet, path, nil).OK(t).Get(key + ".uuid").String()
		}

		merger := a.Token(t, a.Owner, "contacts:read", "contacts:merge")
		a.Call(t, merger, http.MethodPost, base+"/contacts/merge", merge(ann, twin)).OK(t)
		require.Equal(t, ann, at(both, "payload.owner"))
		require.Equal(t, ann, at(both, "payload.lender"), "a sensitive field without an index")
		require.Equal(t, ann, at(one, "payload.owner"))
		require.Equal(t, ann, at(task, "custom.payee"))
		require.Equal(t, int64(1), call(http.MethodGet, none, nil).OK(t).Get("version").Int(), "a record that does not name it is not written")
		require.Len(t, call(http.MethodGet, recordsPath+"?module_uuid="+module+"&filter[owner]="+ann, nil).OK(t).Get("data").Array(), 3)
		require.NotEmpty(t, call(http.MethodGet, both+"/history", nil).OK(t).Get("data").Array())
		call(http.MethodPatch, both, object{"payload": object{"note": "y"}}).OK(t)
		call(http.MethodPatch, both, object{"payload": object{"owner": contactRef(ann)}}).OK(t)

		call(http.MethodPatch, one, object{"payload": object{"owner": contactRef(ann)}}).OK(t)
		a.Call(t, merger, http.MethodPost, path+"/"+twin+"/unmerge", nil).OK(t)
		require.Equal(t, twin, at(both, "payload.owner"))
		require.Equal(t, twin, at(both, "payload.lender"))
		require.Equal(t, twin, at(task, "custom.payee"))
		require.Equal(t, ann, at(one, "payload.lender"), "what the merge did not move stays")
		require.Equal(t, ann, at(none, "payload.owner"))
		call(http.MethodPost, modulesPath+"/"+module+"/archive", nil).OK(t)
		call(http.MethodPost, base+"/contacts/merge", merge(ann, twin)).OK(t)
		require.Equal(t, ann, at(both, "payload.owner"), "of an archived module too")
	})
}

func TestMerge_IsRefusedWhereAUniqueFieldNamesBoth(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, _ *moduletest.App, call caller) {
		t.Helper()
		ann, twin := call.create(t, object{"name": "Ann"}), call.create(t, object{"name": "A."})
		module := call(http.MethodPost, modulesPath, object{"name": "Keys", "fields": []object{{"key": "holder", "type": "item", "indexed": true, "unique": true}}}).OK(t).Get("uuid").String()
		for _, holder := range []string{ann, twin} {
			call(http.MethodPost, recordsPath, object{"module_uuid": module, "payload": object{"holder": contactRef(holder)}}).OK(t)
		}
		call(http.MethodPost, base+"/contacts/merge", merge(ann, twin)).Refused(t, http.StatusConflict, "resource.reference_taken")
		require.Equal(t, "null", call(http.MethodGet, path+"/"+twin, nil).OK(t).Get("merged_into_uuid").Raw, "nothing of a refused merge stays")
	})
}

func TestMerge_AndDeletionReachMergedAndErasedContacts(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, _ *moduletest.App, call caller) {
		t.Helper()
		firm, other := call.create(t, object{"kind": "company", "legal_name": "Lee"}), call.create(t, object{"kind": "company", "legal_name": "Bo"})
		merged, erased, ann := call.create(t, object{"name": "M", "parent_uuid": firm}), call.create(t, object{"name": "E", "parent_uuid": firm}), call.create(t, object{"name": "Ann"})
		call(http.MethodPost, base+"/contacts/merge", object{"into": ann, "from": []string{merged}, "take": object{"parent_uuid": ann}}).OK(t)
		call(http.MethodPost, path+"/"+erased+"/erase", nil).OK(t)
		parent := func(uuid string) string {
			return call(http.MethodGet, path+"/"+uuid, nil).OK(t).Get("parent_uuid").String()
		}

		call(http.MethodPost, base+"/contacts/merge", merge(other, firm)).OK(t)
		require.Equal(t, []string{other, other}, []string{parent(merged), parent(erased)})
		call(http.MethodPost, path+"/"+firm+"/unmerge", nil).OK(t)
		require.Equal(t, []string{firm, firm}, []string{parent(merged), parent(erased)})
		call(http.MethodPatch, path+"/"+merged, object{"parent_uuid": nil, "title": "x"}).Refused(t, http.StatusConflict, "contacts.merged")
		call(http.MethodDelete, path+"/"+firm, nil).OK(t)
		require.Equal(t, []string{"", ""}, []string{parent(merged), parent(erased)})

		call(http.MethodDelete, path+"/"+ann, nil).OK(t)
		call(http.MethodGet, path+"/"+merged, nil).Refused(t, http.StatusNotFound, "contacts.contact_not_found")
		call(http.MethodPost, path+"/"+ann+"/restore", nil).OK(t)
		call(http.MethodPost, path+"/"+merged+"/unmerge", nil).OK(t)
	})
}

func TestDuplicates_AreReadPageByPage(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, _ *moduletest.App, call caller) {
		t.Helper()
		var all []string
		for i := range 4 { // six pairs by phone, one of them by e-mail, and one by a mailbox
			body := object{"name": fmt.Sprint("Lee ", i), "phones": []object{{"number": "2145550143"}}}
			if i < 2 {
				body["emails"] = []object{{"address": "lee@example.com"}}
			}
			all = append(all, call.create(t, body))
		}
		call.create(t, object{"name": "Bo", "emails": []object{{"address": "b.o@gmail.com"}}})
		call.create(t, object{"name": "Bo", "emails": []object{{"address": "bo@gmail.com"}}})
		walk := func(query string) (scores []int64, pairs map[string]bool) {
			pairs = map[string]bool{}
			for cursor := ""; ; {
				page := call(http.MethodGet, base+"/duplicates?"+query+"&cursor="+cursor, nil).OK(t)
				for _, one := range page.Get("data").Array() {
					scores = append(scores, one.Get("score").Int())
					pairs[one.Get("contacts.#.uuid").Raw] = true
				}
				if cursor = page.Get("meta.next_cursor").String(); cursor == "" {
					return scores, pairs
				}
			}
		}
		scores, pairs := walk("per_page=2")
		require.Equal(t, []int64{95, 94, 94, 94, 94, 94, 70}, scores)
		require.Len(t, pairs, 7, "each pair once")
		scores, _ = walk("per_page=3")
		require.Len(t, scores, 7)
		scores, _ = walk("per_page=1&contact_uuid=" + all[3])
		require.Equal(t, []int64{94, 94, 94}, scores)
		scores, _ = walk("min_score=90")
		require.Len(t, scores, 6)
		first := call(http.MethodGet, base+"/duplicates?per_page=1", nil).OK(t).Get("meta.next_cursor").String()
		call(http.MethodGet, base+"/duplicates?min_score=90&cursor="+first, nil).Refused(t, http.StatusUnprocessableEntity, "list.cursor_mismatch")
		for _, bad := range []string{"x", "!!", "e30", "eyJrIjoiZW1haWwiLCJ2IjoiXHUwMDAwIiwibCI6NjB9"} {
			call(http.MethodGet, base+"/duplicates?cursor="+bad, nil).Refused(t, http.StatusUnprocessableEntity, "list.cursor_invalid")
		}
		for range 50 { // a switchboard
			call.create(t, object{"name": "x", "phones": []object{{"number": "2145550143"}}})
		}
		scores, _ = walk("")
		require.Equal(t, []int64{95, 70}, scores, "a number of more than 50 contacts suggests nothing")
	})
}
