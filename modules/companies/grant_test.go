package companies_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestGrant_NobodyGivesOrTakesWhatHeLacks(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a app) {
		t.Helper()
		admin := a.join(t, a.Owner.Token, "admin@example.com", "admin")
		viewer := a.join(t, admin.token, "viewer@example.com", "viewer")
		boss := a.join(t, a.Owner.Token, "boss@example.com", "owner")
		refused := func(r moduletest.Response) {
			t.Helper()
			r.Refused(t, http.StatusForbidden, "companies.grant_exceeds")
		}
		refused(a.post(t, admin.token, "/invitations", fields{"email": "x@example.com", "name": "X", "role": "owner"}))
		refused(a.patch(t, admin.token, "/users/"+viewer.id, fields{"role": "owner"}))
		refused(a.patch(t, admin.token, "/users/"+admin.id, fields{"role": "owner"}))
		refused(a.patch(t, admin.token, "/users/"+boss.id, fields{"role": "viewer"}))
		refused(a.post(t, admin.token, "/users/"+boss.id+"/deactivate", nil))
		refused(a.post(t, admin.token, "/users/"+boss.id+"/reset_link", nil))
		refused(a.post(t, admin.token, "/roles", fields{"name": "all", "title": "All", "scopes": []string{"*"}}))
		refused(a.post(t, admin.token, "/tokens", fields{"name": "all", "scopes": []string{"*"}}))
		refused(a.post(t, admin.token, "/tokens", fields{"name": "all", "scopes": []string{"*:roles"}, "service": true}))
		own := a.post(t, a.Owner.Token, "/roles", fields{"name": "big", "title": "Big", "scopes": []string{"*"}}).OK(t)
		refused(a.patch(t, admin.token, "/roles/"+own.Get("uuid").String(), fields{"title": "Small"}))
		refused(a.Call(t, admin.token, http.MethodDelete, api+"/roles/"+own.Get("uuid").String(), nil))

		a.patch(t, admin.token, "/users/"+viewer.id, fields{"role": "dispatcher"}).OK(t)
		require.Equal(t, 1, a.published(t, "companies.user.role_changed"))
		a.post(t, viewer.token, "/invitations", fields{"email": "x@example.com", "name": "X", "role": "viewer"}).
			Refused(t, http.StatusForbidden, "web.scope_missing")
	})
}

func TestToken_IsListedWithoutItsTextAndNeverExceedsTheRole(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a app) {
		t.Helper()
		admin := a.join(t, a.Owner.Token, "admin@example.com", "admin")
		made := a.post(t, admin.token, "/tokens", fields{"name": "Export", "scopes": []string{"companies:users", "companies:read"}}).OK(t)
		token := made.Get("token").String()
		a.get(t, token, "/invitations").OK(t)
		a.patch(t, a.Owner.Token, "/users/"+admin.id, fields{"role": "viewer"}).OK(t)
		a.get(t, token, "/invitations").Refused(t, http.StatusForbidden, "web.scope_missing")
		a.get(t, token, "/me").OK(t)

		listed := a.get(t, a.Owner.Token, "/tokens?filter[name]=Export").OK(t)
		require.Equal(t, made.Get("prefix").String(), listed.Get("data.0.prefix").String())
		require.False(t, listed.Get("data.0.token").Exists())
		a.post(t, a.Owner.Token, "/tokens/"+made.Get("uuid").String()+"/revoke", nil).OK(t)
		a.get(t, token, "/me").Refused(t, http.StatusUnauthorized, "identity.token_revoked")
	})
}

func TestRole_OfTheCompanyTakesEffectOnLiveTokens(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a app) {
		t.Helper()
		a.post(t, a.Owner.Token, "/roles", fields{"name": "viewer", "title": "Mine", "scopes": []string{"*"}}).
			Refused(t, http.StatusUnprocessableEntity, "identity.role_taken")
		role := a.post(t, a.Owner.Token, "/roles", fields{"name": "hiring", "title": "Hiring", "scopes": []string{"companies:read", "companies:users"}}).OK(t)
		path := "/roles/" + role.Get("uuid").String()
		hirer := a.join(t, a.Owner.Token, "hirer@example.com", "hiring")
		a.get(t, hirer.token, "/invitations").OK(t)
		a.patch(t, a.Owner.Token, path, fields{"scopes": []string{"companies:read"}}).OK(t)
		a.get(t, hirer.token, "/invitations").Refused(t, http.StatusForbidden, "web.scope_missing")

		used := a.Call(t, a.Owner.Token, http.MethodDelete, api+path, nil).Refused(t, http.StatusConflict, "identity.role_in_use")
		require.Equal(t, int64(1), used.Get("details.users").Int())
		a.patch(t, a.Owner.Token, "/users/"+hirer.id, fields{"role": "viewer"}).OK(t)
		a.Call(t, a.Owner.Token, http.MethodDelete, api+path, nil).OK(t)
		a.post(t, a.Owner.Token, "/invitations", fields{"email": "x@example.com", "name": "X", "role": "hiring"}).
			Refused(t, http.StatusUnprocessableEntity, "identity.role_unknown")
	})
}

func TestScopes_ThatDoNotExistAreNamed(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a app) {
		t.Helper()
		unknown := func(r moduletest.Response) {
			t.Helper()
			require.Contains(t, r.Refused(t, http.StatusUnprocessableEntity, "identity.invalid").Get("errors.scopes.0").String(), "companies:raed")
		}
		typo := []string{"companies:read", "companies:raed"}
		unknown(a.post(t, a.Owner.Token, "/roles", fields{"name": "hiring", "title": "Hiring", "scopes": typo}))
		unknown(a.post(t, a.Owner.Token, "/tokens", fields{"name": "Export", "scopes": typo}))
		role := a.post(t, a.Owner.Token, "/roles", fields{"name": "hiring", "title": "Hiring", "scopes": []string{"*:read"}}).OK(t)
		unknown(a.patch(t, a.Owner.Token, "/roles/"+role.Get("uuid").String(), fields{"scopes": typo}))

		listed := a.get(t, a.Owner.Token, "/scopes").OK(t)
		require.Contains(t, listed.Get(`data.#(name=="companies:users").operations`).Raw, `"companies_create_invitation"`)
	})
}

func TestInvitation_EndsWithThePowerOfWhoMadeIt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a app) {
		t.Helper()
		admin := a.join(t, a.Owner.Token, "admin@example.com", "admin")
		body := fields{"email": "friend@example.com", "name": "Friend", "role": "admin"}
		first := a.post(t, admin.token, "/invitations", body).OK(t)
		second := a.post(t, admin.token, "/invitations", body).OK(t)
		accept := func(r moduletest.Response) moduletest.Response {
			return a.post(t, "", "/invitations/accept", fields{"link": r.Get("link").String(), "password": password})
		}
		accept(first).Refused(t, http.StatusNotFound, "link.revoked")
		a.patch(t, a.Owner.Token, "/users/"+admin.id, fields{"role": "viewer"}).OK(t)
		accept(second).Refused(t, http.StatusNotFound, "companies.link_void")
		a.patch(t, a.Owner.Token, "/users/"+admin.id, fields{"role": "admin"}).OK(t)
		accept(second).OK(t)
		a.post(t, admin.token, "/invitations", body).Refused(t, http.StatusUnprocessableEntity, "identity.email_taken")
	})
}

func TestOwner_TheLastActiveOneStays(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a app) {
		t.Helper()
		me := a.get(t, a.Owner.Token, "/me").OK(t).Get("user.uuid").String()
		a.patch(t, a.Owner.Token, "/users/"+me, fields{"role": "admin"}).Refused(t, http.StatusConflict, "identity.last_owner")
		a.post(t, a.Owner.Token, "/users/"+me+"/deactivate", nil).Refused(t, http.StatusConflict, "identity.last_owner")

		// Two owners, each of whom takes it from the other at the same time.
		other := a.join(t, a.Owner.Token, "boss@example.com", "owner")
		tokens, users := []string{a.Owner.Token, other.token}, []string{other.id, me}
		codes := make([]int, len(tokens))
		var both sync.WaitGroup
		for i := range tokens {
			both.Go(func() { codes[i] = a.patch(t, tokens[i], "/users/"+users[i], fields{"role": "viewer"}).Status })
		}
		both.Wait()
		owners := a.get(t, a.Owner.Token, "/users?filter[role]=owner").OK(t)
		require.Equal(t, int64(1), owners.Get("data.#").Int(), "%v", codes)
	})
}

func TestToken_IsRevokedByItsUserAndByWhoMayDoAsMuch(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a app) {
		t.Helper()
		admin := a.join(t, a.Owner.Token, "admin@example.com", "admin")
		boss := a.join(t, a.Owner.Token, "boss@example.com", "owner")
		issue := func(by string, body fields) string {
			return a.post(t, by, "/tokens", body).OK(t).Get("uuid").String()
		}
		revoke := func(by, token string) moduletest.Response { return a.post(t, by, "/tokens/"+token+"/revoke", nil) }
		all := issue(boss.token, fields{"name": "all", "scopes": []string{"*"}})
		service := issue(boss.token, fields{"name": "service", "scopes": []string{"*"}, "service": true})
		little := issue(boss.token, fields{"name": "little", "scopes": []string{"companies:read"}})
		revoke(admin.token, all).Refused(t, http.StatusForbidden, "companies.grant_exceeds")
		revoke(admin.token, service).Refused(t, http.StatusForbidden, "companies.grant_exceeds")
		revoke(admin.token, little).OK(t)
		revoke(boss.token, all).OK(t)
		revoke(a.Owner.Token, service).OK(t)
		own := issue(admin.token, fields{"name": "own", "scopes": []string{"companies:read"}})
		a.patch(t, a.Owner.Token, "/users/"+admin.id, fields{"role": "viewer"}).OK(t)
		revoke(a.Owner.Token, own).OK(t)
	})
}

func TestToken_EndsNoLaterThanTheOneThatMakesIt(t *testing.T) {
	t.Parallel()
	eachAt(t, func(t *testing.T, a app, clk *clock.Fake) {
		t.Helper()
		boss := a.join(t, a.Owner.Token, "boss@example.com", "owner")
		forever := fields{"name": "Nightly export", "scopes": []string{"companies:*"}, "service": true}
		until := func(end time.Time) fields {
			return fields{"name": "For a while", "scopes": []string{"companies:*"}, "expires_at": end.Format(time.RFC3339)}
		}
		a.post(t, boss.token, "/tokens", forever).OK(t)
		end := clk.Now().Add(time.Hour)
		short := a.post(t, boss.token, "/tokens", until(end)).OK(t).Get("token").String()
		refused := a.post(t, short, "/tokens", forever).Refused(t, http.StatusUnprocessableEntity, "companies.token_outlives")
		require.Contains(t, refused.Get("errors.expires_at.0").String(), "log in again")
		a.post(t, short, "/tokens", until(end.Add(time.Second))).Refused(t, http.StatusUnprocessableEntity, "companies.token_outlives")
		a.post(t, short, "/tokens", until(end)).OK(t)

		clk.Advance(16 * time.Minute)
		a.post(t, boss.token, "/tokens", forever).Refused(t, http.StatusUnprocessableEntity, "companies.token_outlives")
		a.post(t, a.Owner.Token, "/tokens", forever).OK(t)
	})
}
