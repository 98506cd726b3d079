package custommodules_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// payroll is a yard with people whom everybody sees, and salaries which only accountants do. The admin may define the
// people.
type payroll struct {
	yard

	people, salaries, person, salary, admin string
}

func (y yard) payroll(t *testing.T) payroll {
	t.Helper()
	p := payroll{yard: y, people: y.module(t, "People", object{"key": "name", "type": "text"}), admin: as(t, y.App, identity.Admin)}
	made := y.post(t, modulesPath, object{
		"name": "Salaries", "permissions": object{"read": []string{"accountant"}}, "fields": []object{
			{"key": "person", "type": "reference", "options": object{"module_uuid": p.people}}, {"key": "amount", "type": "decimal"},
		},
	}).OK(t)
	p.salaries, p.person, p.salary = made.Get("uuid").String(), made.Get("fields.0.uuid").String(), made.Get("fields.1.uuid").String()

	return p
}

func (p payroll) latest(module, reference, field string) object {
	return object{"key": "pay", "type": "rollup", "options": object{
		"function": "latest", "module_uuid": module, "reference_uuid": reference, "field_uuid": field,
	}}
}

func TestClosedModule_IsToWhoDefinesAnotherAsIfItWereNotThere(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		p := y.payroll(t)
		try := func(path string, body object) moduletest.Response {
			return p.Call(t, p.admin, http.MethodPost, path, body)
		}
		fields := modulesPath + "/" + p.people + "/fields"
		same := func(path string, closed, missing object) {
			t.Helper()
			got, want := try(path, closed), try(path, missing)
			require.Equal(t, http.StatusUnprocessableEntity, got.Status, string(got.Body))
			require.JSONEq(t, want.Get("errors").Raw, got.Get("errors").Raw)
		}
		none := uuid.NewString()
		same(fields, p.latest(p.salaries, p.person, p.salary), p.latest(none, p.person, p.salary))
		refers := func(to string) object {
			return object{"key": "ref", "type": "reference", "options": object{"module_uuid": to}}
		}
		same(fields, refers(p.salaries), refers(none))
		whole := func(to string) object { return object{"name": "Sly", "fields": []object{refers(to)}} }
		same(modulesPath, whole(p.salaries), whole(none))

		y.post(t, fields, refers(p.salaries)).OK(t)
		refused := p.Call(t, p.admin, http.MethodPost, "/custom_modules/api/v1/packs/export", object{"module_uuids": []string{p.people}})
		refused.Refused(t, http.StatusUnprocessableEntity, "custom_modules.invalid_pack")
		require.NotContains(t, strings.ToLower(string(refused.Body)), "salar")
		try(modulesPath+"/"+p.people+"/duplicate", object{"name": "Copy"}).Refused(t, http.StatusUnprocessableEntity, "custom_modules.invalid_definition")
	})
}

func TestRollup_OfAClosedModuleIsTheOwnersToShowAndWarns(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		p := y.payroll(t)
		made := y.post(t, modulesPath+"/"+p.people+"/fields", p.latest(p.salaries, p.person, p.salary)).OK(t)
		require.Equal(t, "The rollup pay shows values of Salaries to everyone who may read People, including users who may not read Salaries.",
			made.Get("warnings.0").String())
		path := made.Header.Get("Location")
		require.False(t, y.get(t, path).OK(t).Get("warnings").Exists())

		renamed := p.Call(t, p.admin, http.MethodPatch, path, object{"label": "Pay"}).OK(t)
		require.False(t, renamed.Get("warnings").Exists(), "the admin is not told of the module")
		p.Call(t, p.admin, http.MethodPatch, path, object{"options": object{"function": "max"}}).
			Refused(t, http.StatusUnprocessableEntity, "custom_modules.invalid_definition")

		closing := func(module string, roles ...string) moduletest.Response {
			return y.change(t, modulesPath+"/"+module, object{"permissions": object{"read": roles}}).OK(t)
		}
		require.False(t, closing(p.people, "accountant").Get("warnings").Exists())
		require.Contains(t, closing(p.people, "accountant", "dispatcher").Get("warnings.0").String(), "to the roles dispatcher, ")
		require.Contains(t, closing(p.salaries, "admin").Get("warnings.0").String(), "to the roles accountant, dispatcher, ")

		closing(p.people, "accountant")
		closing(p.salaries, "admin")
		for _, refused := range []moduletest.Response{
			p.Call(t, p.admin, http.MethodDelete, modulesPath+"/"+p.salaries+"/fields/"+p.salary, nil),
			p.Call(t, p.admin, http.MethodDelete, modulesPath+"/"+p.salaries, nil),
		} {
			require.Equal(t, http.StatusConflict, refused.Status)
			require.NotContains(t, string(refused.Body), "pay")
			require.NotContains(t, string(refused.Body), p.people)
			require.NotContains(t, string(refused.Body), made.Get("uuid").String())
		}
	})
}
