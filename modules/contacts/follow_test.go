package contacts_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/contacts"
	"github.com/dispatchd/dispatchd/modules/notes"
	"github.com/dispatchd/dispatchd/modules/tasks"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestReferences_FollowMerges(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, []module.Module{companies.Module, contacts.Module, notes.Module, tasks.Module}, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		post := func(path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, http.MethodPost, path, body)
		}
		contact := func(name string) string {
			return post("/contacts/api/v1/contacts", object{"name": name}).OK(t).Get("uuid").String()
		}
		stays, merged, gone := contact("Ann Lee"), contact("Anne Lee"), contact("Bo")
		post("/contacts/api/v1/contacts/merge", object{"into": stays, "from": []string{merged}}).OK(t)
		about := func(id string) object { return object{"type": "contacts.contact", "uuid": id} }

		task := post("/tasks/api/v1/tasks", object{"title": "Call", "item": about(merged)}).OK(t)
		require.Equal(t, stays, task.Get("item.uuid").String())
		note := post("/notes/api/v1/notes", object{"body": "Called", "item": about(merged)}).OK(t)
		require.Equal(t, stays, note.Get("item.uuid").String())
		person := post("/contacts/api/v1/contacts", object{"name": "Cy", "parent_uuid": merged}).OK(t)
		require.Equal(t, stays, person.Get("parent_uuid").String())
		a.Call(t, a.Owner.Token, http.MethodPatch, "/contacts/api/v1/contacts/"+stays, object{"parent_uuid": merged}).
			Refused(t, http.StatusUnprocessableEntity, "contacts.invalid_contact")

		a.Call(t, a.Owner.Token, http.MethodDelete, "/contacts/api/v1/contacts/"+gone, nil).OK(t)
		post("/tasks/api/v1/tasks", object{"title": "Call", "item": about(gone)}).Refused(t, http.StatusUnprocessableEntity, "tasks.invalid_task")
		post("/contacts/api/v1/contacts", object{"name": "Di", "parent_uuid": gone}).Refused(t, http.StatusUnprocessableEntity, "contacts.invalid_contact")

		a.Call(t, a.Owner.Token, http.MethodPost, "/contacts/api/v1/contacts/"+merged+"/unmerge", nil).OK(t)
		again := post("/tasks/api/v1/tasks", object{"title": "Call", "item": about(merged)}).OK(t)
		require.Equal(t, merged, again.Get("item.uuid").String(), "it is itself again")
	})
}
