package companies_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOneself_TakesNoScope(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a app) {
		t.Helper()
		a.post(t, a.Owner.Token, "/roles", fields{"name": "clerk", "title": "Clerk", "scopes": []string{"companies:tokens"}}).OK(t)
		clerk := a.join(t, a.Owner.Token, "clerk@example.com", "clerk")
		a.get(t, clerk.token, "/users").Refused(t, http.StatusForbidden, "web.scope_missing")

		me := a.get(t, clerk.token, "/me").OK(t)
		require.Equal(t, clerk.email, me.Get("user.email").String())
		require.JSONEq(t, `["companies:tokens"]`, me.Get("scopes").Raw)
		const changed = "a cow that swims"
		a.Call(t, clerk.token, http.MethodPut, api+"/password", fields{"old_password": password, "new_password": changed}).OK(t)
		a.logIn(t, clerk.email, changed, "").OK(t)
		a.post(t, clerk.token, "/logout", nil).OK(t)
		a.get(t, clerk.token, "/me").Refused(t, http.StatusUnauthorized, "identity.token_revoked")

		a.get(t, "", "/me").Refused(t, http.StatusUnauthorized, "identity.token_missing")
		a.get(t, a.Operator(t, "*"), "/me").Refused(t, http.StatusForbidden, "web.company_needed")
	})
}

// What `dispatchd company create --owner-email` prints lets the owner in.
func TestOwner_WithATokenAndNoPasswordSetsOne(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a app) {
		t.Helper()
		me := a.get(t, a.Owner.Token, "/me").OK(t)
		link := a.post(t, a.Owner.Token, "/users/"+me.Get("user.uuid").String()+"/reset_link", nil).OK(t).Get("link").String()
		a.post(t, "", "/password/reset", fields{"link": link, "password": password}).OK(t)
		a.logIn(t, me.Get("user.email").String(), password, "").OK(t)
	})
}
