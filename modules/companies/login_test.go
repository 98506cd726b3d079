package companies_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestLogin_LocksAnAccountThatExistsAndOneThatDoesNotAlike(t *testing.T) {
	t.Parallel()
	eachAt(t, func(t *testing.T, a app, clk *clock.Fake) {
		t.Helper()
		anna := a.join(t, a.Owner.Token, "anna@example.com", "viewer")
		for _, email := range []string{anna.email, "nobody@example.com"} {
			for range 5 {
				a.logIn(t, email, "a wrong password", "").Refused(t, http.StatusUnauthorized, "companies.wrong_credentials")
			}
			locked := a.logIn(t, email, password, "").Refused(t, http.StatusTooManyRequests, "companies.locked")
			require.Equal(t, "60", locked.Header.Get("Retry-After"))
			require.Contains(t, locked.Get("message").String(), "Try again in 60 seconds.")
		}
		require.Contains(t, a.actions(t, a.Owner.Token), "companies.login_locked")

		clk.Advance(time.Minute)
		a.logIn(t, anna.email, "a wrong password", "").Refused(t, http.StatusUnauthorized, "companies.wrong_credentials")
		locked := a.logIn(t, anna.email, password, "").Refused(t, http.StatusTooManyRequests, "companies.locked")
		require.Equal(t, "120", locked.Header.Get("Retry-After"), "it doubles")
		clk.Advance(2 * time.Minute)
		a.logIn(t, anna.email, password, "").OK(t)
		a.logIn(t, anna.email, "a wrong password", "").Refused(t, http.StatusUnauthorized, "companies.wrong_credentials")
		a.logIn(t, anna.email, password, "").OK(t)
	})
}

func TestLogin_ExpiresAfterItsLife(t *testing.T) {
	t.Parallel()
	eachAt(t, func(t *testing.T, a app, clk *clock.Fake) {
		t.Helper()
		anna := a.join(t, a.Owner.Token, "anna@example.com", "viewer")
		clk.Advance(12*time.Hour - time.Second)
		a.get(t, anna.token, "/me").OK(t)
		clk.Advance(time.Second)
		a.get(t, anna.token, "/me").Refused(t, http.StatusUnauthorized, "identity.token_expired")
	})
}

func TestLogin_DeactivatedAndSuspendedAreAsAWrongPassword(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a app) {
		t.Helper()
		operator := a.Operator(t, "*")
		anna := a.join(t, a.Owner.Token, "anna@example.com", "viewer")
		bert := a.join(t, a.Owner.Token, "bert@example.com", "viewer")
		invited := a.post(t, a.Owner.Token, "/invitations", fields{"email": "carl@example.com", "name": "Carl", "role": "viewer"}).OK(t)
		wrong := a.logIn(t, anna.email, "a wrong password", "").Refused(t, http.StatusUnauthorized, "companies.wrong_credentials")
		same := func(email string) {
			refused := a.logIn(t, email, password, "").Refused(t, http.StatusUnauthorized, "companies.wrong_credentials")
			require.Equal(t, wrong.Get("message").String(), refused.Get("message").String())
		}
		a.post(t, a.Owner.Token, "/users/"+anna.id+"/deactivate", nil).OK(t)
		same(anna.email)
		a.get(t, anna.token, "/me").Refused(t, http.StatusUnauthorized, "identity.token_revoked")

		company := "/companies/" + a.Owner.ID.String()
		a.post(t, operator, company+"/suspend", nil).OK(t)
		same(bert.email)
		a.get(t, bert.token, "/me").Refused(t, http.StatusUnauthorized, "identity.company_suspended")
		accept := fields{"link": invited.Get("link").String(), "password": password}
		a.post(t, "", "/invitations/accept", accept).Refused(t, http.StatusNotFound, "link.unavailable")
		a.post(t, operator, company+"/resume", nil).OK(t)
		a.get(t, bert.token, "/me").OK(t)
		a.post(t, "", "/invitations/accept", accept).OK(t)
		require.Equal(t, 1, a.published(t, "companies.user.deactivated"))
		require.Equal(t, 1, a.published(t, "companies.company.suspended"))
	})
}

func TestLogin_AsksForTheCompanyOnlyWhomThePasswordIsOf(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a app) {
		t.Helper()
		other := a.NewCompany(t)
		anna := a.join(t, a.Owner.Token, "anna@example.com", "viewer")
		made := a.post(t, other.Token, "/invitations", fields{"email": anna.email, "name": "Anna", "role": "admin"}).OK(t)
		a.post(t, "", "/invitations/accept", fields{"link": made.Get("link").String(), "password": password}).OK(t)

		a.logIn(t, anna.email, "a wrong password", "").Refused(t, http.StatusUnauthorized, "companies.wrong_credentials")
		asked := a.logIn(t, anna.email, password, "").Refused(t, http.StatusConflict, "companies.company_needed")
		require.Equal(t, int64(2), asked.Get("details.companies.#").Int(), string(asked.Body))
		in := a.logIn(t, anna.email, password, other.ID.String()).OK(t)
		require.Equal(t, "admin", in.Get("user.role").String())
	})
}

func TestReset_ReplacesItsLinkUnlocksAndRevokesTokens(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a app) {
		t.Helper()
		anna := a.join(t, a.Owner.Token, "anna@example.com", "viewer")
		for range 5 {
			a.logIn(t, anna.email, "a wrong password", "").Refused(t, http.StatusUnauthorized, "companies.wrong_credentials")
		}
		link := func() string {
			return a.post(t, a.Owner.Token, "/users/"+anna.id+"/reset_link", nil).OK(t).Get("link").String()
		}
		first, second := link(), link()
		reset := func(link, password string) moduletest.Response {
			return a.post(t, "", "/password/reset", fields{"link": link, "password": password})
		}
		reset(first, "a cow that swims").Refused(t, http.StatusNotFound, "link.revoked")
		reset(second, "too short").Refused(t, http.StatusUnprocessableEntity, "companies.weak_password")
		reset(second, "Anna@example.com").Refused(t, http.StatusUnprocessableEntity, "companies.weak_password")
		reset(second, "a cow that swims").OK(t)
		reset(second, "a cow that swims").Refused(t, http.StatusNotFound, "link.used_up")
		a.get(t, anna.token, "/me").Refused(t, http.StatusUnauthorized, "identity.token_revoked")
		a.logIn(t, anna.email, password, "").Refused(t, http.StatusUnauthorized, "companies.wrong_credentials")
		a.logIn(t, anna.email, "a cow that swims", "").OK(t)
	})
}

func TestPassword_ChangeNeedsTheOldOneAndEndsOtherTokens(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a app) {
		t.Helper()
		anna := a.join(t, a.Owner.Token, "anna@example.com", "viewer")
		other := a.logIn(t, anna.email, password, "").OK(t).Get("token").String()
		change := func(old, password string) moduletest.Response {
			return a.Call(t, anna.token, http.MethodPut, api+"/password", fields{"old_password": old, "new_password": password})
		}
		change("a wrong password", "a cow that swims").Refused(t, http.StatusUnprocessableEntity, "companies.wrong_password")
		change(password, "aaaaaaaaaaaaaaaa").Refused(t, http.StatusUnprocessableEntity, "companies.weak_password")
		change(password, "a cow that swims").OK(t)
		a.get(t, anna.token, "/me").OK(t)
		a.get(t, other, "/me").Refused(t, http.StatusUnauthorized, "identity.token_revoked")
		for range 5 {
			change(password, "a cow that swims").Refused(t, http.StatusUnprocessableEntity, "companies.wrong_password")
		}
		change("a cow that swims", password).Refused(t, http.StatusTooManyRequests, "companies.locked")
		a.Call(t, a.Token(t, a.Owner, "*"), http.MethodPut, api+"/password", fields{"old_password": "x", "new_password": "y"}).
			Refused(t, http.StatusForbidden, "companies.user_needed")
	})
}

// from calls as somebody at an address, by a proxy that is trusted.
func (a app) from(t *testing.T, address, method, path string, body any) moduletest.Response {
	t.Helper()

	return a.Call(t, "", method, api+path, body, "X-Forwarded-For", address)
}

func (a app) logInFrom(t *testing.T, address, email, password string) moduletest.Response {
	t.Helper()

	return a.from(t, address, http.MethodPost, "/login", fields{"email": email, "password": password})
}

// eachBehindProxy is each with requests that come from many addresses.
func eachBehindProxy(t *testing.T, test func(t *testing.T, a app)) {
	t.Helper()
	moduletest.BootEach(t, areas(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		test(t, app{App: a})
	}, moduletest.Set("web.trusted_proxies=0.0.0.0/0", "web.rate_limit.per_address=0"))
}

const (
	home     = "198.51.100.7"
	stranger = "203.0.113.9"
)

func TestLogin_IsNotLockedByStrangersElsewhere(t *testing.T) {
	t.Parallel()
	eachBehindProxy(t, func(t *testing.T, a app) {
		t.Helper()
		anna := a.join(t, a.Owner.Token, "anna@example.com", "viewer")
		for range 5 {
			a.logInFrom(t, stranger, anna.email, "a wrong password").Refused(t, http.StatusUnauthorized, "companies.wrong_credentials")
		}
		a.logInFrom(t, stranger, anna.email, password).Refused(t, http.StatusTooManyRequests, "companies.locked")
		a.logInFrom(t, home, anna.email, password).OK(t)
		a.Call(t, anna.token, http.MethodPut, api+"/password", fields{"old_password": password, "new_password": "a cow that swims"}).OK(t)
	})
}

func TestLogin_CountsWithAndWithoutCompanyTogether(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a app) {
		t.Helper()
		anna := a.join(t, a.Owner.Token, "anna@example.com", "viewer")
		for i := range 5 {
			company := ""
			if i%2 == 0 {
				company = a.Owner.ID.String()
			}
			a.logIn(t, anna.email, "a wrong password", company).Refused(t, http.StatusUnauthorized, "companies.wrong_credentials")
		}
		a.logIn(t, anna.email, password, "").Refused(t, http.StatusTooManyRequests, "companies.locked")
		a.logIn(t, anna.email, password, a.Owner.ID.String()).Refused(t, http.StatusTooManyRequests, "companies.locked")
	})
}

func TestLogin_ManyNetworksLockOutAllButThoseOfEarlierLoginsAndOfAResetLink(t *testing.T) {
	t.Parallel()
	eachBehindProxy(t, func(t *testing.T, a app) {
		t.Helper()
		anna := a.join(t, a.Owner.Token, "anna@example.com", "viewer")
		a.logInFrom(t, home, anna.email, password).OK(t)
		for i := range 50 {
			a.logInFrom(t, fmt.Sprintf("203.0.113.%d", i/4), anna.email, "a wrong password").Refused(t, http.StatusUnauthorized, "companies.wrong_credentials")
		}
		const hotel = "192.0.2.80"
		a.logInFrom(t, hotel, anna.email, password).Refused(t, http.StatusTooManyRequests, "companies.locked")
		a.logInFrom(t, home, anna.email, password).OK(t)

		link := a.post(t, a.Owner.Token, "/users/"+anna.id+"/reset_link", nil).OK(t).Get("link").String()
		a.from(t, hotel, http.MethodPost, "/password/reset", fields{"link": link, "password": "a cow that swims"}).OK(t)
		a.logInFrom(t, hotel, anna.email, "a cow that swims").OK(t)
	})
}

func TestLogin_AnAccountInAnotherCompanyBuysNoGuesses(t *testing.T) {
	t.Parallel()
	eachBehindProxy(t, func(t *testing.T, a app) {
		t.Helper()
		anna := a.join(t, a.Owner.Token, "anna@example.com", "viewer")
		mallory := a.NewCompany(t)
		made := a.post(t, mallory.Token, "/invitations", fields{"email": anna.email, "name": "Anna", "role": "viewer"}).OK(t)
		const known = "mallory chose this"
		a.post(t, "", "/invitations/accept", fields{"link": made.Get("link").String(), "password": known}).OK(t)
		guess := func() moduletest.Response { return a.logInFrom(t, stranger, anna.email, "a wrong password") }
		own := func() moduletest.Response {
			return a.from(t, stranger, http.MethodPost, "/login", fields{"email": anna.email, "password": known, "company_uuid": mallory.ID})
		}
		for range 5 {
			own().OK(t)
			guess().Refused(t, http.StatusUnauthorized, "companies.wrong_credentials")
		}
		guess().Refused(t, http.StatusTooManyRequests, "companies.locked")
		a.logInFrom(t, home, anna.email, password).OK(t)
	})
}
