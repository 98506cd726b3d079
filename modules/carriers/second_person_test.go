package carriers_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// colleague is the token of a further user of the company.
func colleague(t *testing.T, a *moduletest.App, email string) string {
	t.Helper()
	user, err := a.Identity.CreateUser(t.Context(), identity.NewUser{Company: a.Owner.ID, Name: "Colleague", Email: email, Role: identity.Admin})
	require.NoError(t, err)
	_, token, err := a.Identity.IssueToken(t.Context(), identity.NewToken{Company: a.Owner.ID, User: user.ID, Name: "test", Scopes: []string{"*"}})
	require.NoError(t, err)

	return token
}

func TestRemitTo_NeedsASecondPerson(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		call := func(path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, http.MethodPost, path, body)
		}
		carrier := call(carriersPath, object{"legal_name": "One"}).OK(t).Header.Get("Location")
		change := call(carrier+"/remit_to", toBank("email")).OK(t).Header.Get("Location")
		seen := object{"via": "in_person", "with": "Bo"}

		call(change+"/verify", seen).Refused(t, http.StatusForbidden, "carriers.second_person")
		machine := a.Token(t, a.Owner, "*")
		a.Call(t, machine, http.MethodPost, change+"/verify", seen).Refused(t, http.StatusForbidden, "carriers.second_person")
		unchanged := a.Call(t, a.Owner.Token, http.MethodGet, change, nil).OK(t)
		require.Equal(t, "pending", unchanged.Get("state").String())
		require.Empty(t, unchanged.Get("verified_at").String())
		require.Equal(t, []string{"carriers.carrier.remit_to_proposed"}, a.EventNames(t, a.Owner, "carriers.carrier.remit_to"))

		verified := a.Call(t, colleague(t, a, "second@example.com"), http.MethodPost, change+"/verify", seen).OK(t)
		require.Equal(t, "effective", verified.Get("state").String())
		require.NotEqual(t, verified.Get("created_by").String(), verified.Get("verified_by").String())
		require.Equal(t, []string{"carriers.carrier.remit_to_proposed", "carriers.carrier.remit_to_changed"}, a.EventNames(t, a.Owner, "carriers.carrier.remit_to"))
	}, moduletest.Set("modules.carriers.remit_second_person=true", "modules.carriers.remit_hold=0s"))
}

// What a machine proposed, any person may verify; another machine may not.
func TestRemitTo_OfAMachineIsVerifiedByAPerson(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		machine := a.Token(t, a.Owner, "*")
		carrier := a.Call(t, machine, http.MethodPost, carriersPath, object{"legal_name": "One"}).OK(t).Header.Get("Location")
		change := a.Call(t, machine, http.MethodPost, carrier+"/remit_to", toBank("email")).OK(t).Header.Get("Location")
		seen := object{"via": "in_person", "with": "Bo"}

		a.Call(t, a.Token(t, a.Owner, "*"), http.MethodPost, change+"/verify", seen).Refused(t, http.StatusForbidden, "carriers.second_person")
		require.Equal(t, "effective", a.Call(t, a.Owner.Token, http.MethodPost, change+"/verify", seen).OK(t).Get("state").String())
	}, moduletest.Set("modules.carriers.remit_second_person=true", "modules.carriers.remit_hold=0s"))
}
