package esign_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/esign"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const accountsBase = "/esign/api/v1"

func eachAccounts(t *testing.T, test func(t *testing.T, a *moduletest.App)) {
	t.Helper()
	moduletest.BootEach(t, []module.Module{attachments.Module, esign.Module}, test)
}

func post(t *testing.T, a *moduletest.App, path string, body any) moduletest.Response {
	t.Helper()

	return a.Call(t, a.Owner.Token, http.MethodPost, accountsBase+path, body)
}

func get(t *testing.T, a *moduletest.App, path string) moduletest.Response {
	t.Helper()

	return a.Call(t, a.Owner.Token, http.MethodGet, accountsBase+path, nil)
}

func TestAccounts_BeginWithTheSandboxAsTheDefault(t *testing.T) {
	t.Parallel()
	eachAccounts(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		made := post(t, a, "/accounts", `{"name": " Sandbox "}`).OK(t)
		id := made.Get("uuid").String()
		require.Equal(t, "Sandbox", made.Get("name").String())
		require.Equal(t, "sandbox", made.Get("provider").String())
		require.Equal(t, "hmac", made.Get("verification").String())
		require.Equal(t, id, made.Get("external_id").String())
		require.True(t, made.Get("default").Bool())
		a.Eventually(t, func() bool { return get(t, a, "/accounts/"+id).OK(t).Get("health").String() == "connected" }, "it is checked by a job")
		second := post(t, a, "/accounts", `{"name": "Other", "provider": "sandbox"}`).OK(t)
		require.False(t, second.Get("default").Bool())
		post(t, a, "/accounts", `{"name": "Other"}`).Refused(t, http.StatusConflict, "esign.name_taken")

		made = post(t, a, "/accounts/"+second.Get("uuid").String()+"/make_default", nil).OK(t)
		require.True(t, made.Get("default").Bool())
		require.False(t, get(t, a, "/accounts/"+id).OK(t).Get("default").Bool())
		require.EqualValues(t, 2, get(t, a, "/accounts?sort=-name").OK(t).Get("data.#").Int())
	})
}

func TestAccounts_NameWhatIsWrong(t *testing.T) {
	t.Parallel()
	eachAccounts(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		wrong := func(body, field, says string) {
			t.Helper()
			refused := post(t, a, "/accounts", body).Refused(t, http.StatusUnprocessableEntity, "esign.invalid")
			require.Contains(t, refused.Get("errors."+field+".0").String(), says, body)
		}
		wrong(`{"name": "X", "provider": "pigeon"}`, "provider", "must be one of: docusign, sandbox.")
		wrong(`{"name": "X", "provider": "sandbox", "environment": "moon"}`, "environment", "must be one of: sandbox.")
		wrong(`{"name": "X", "provider": "sandbox", "credentials": {"password": "hunter2"}}`, "credentials", "needs no credentials")
		wrong(`{"name": "X", "provider": "docusign", "environment": "staging"}`, "environment", "must be one of: demo, production.")
		wrong(`{"name": "X", "provider": "docusign"}`, "credentials", "integration_key")
		wrong(`{"name": "X", "provider": "docusign", "credentials": {"integration_key": "`+someID+`", "user_id": "ann"}}`, "credentials", "user_id")
		wrong(`{"name": "X", "provider": "docusign", "credentials": {"integration_key": "`+someID+`", "user_id": "`+someID+`", "private_key": "hunter2"}}`, "credentials", "private_key")
		wrong(`{"name": "X", "provider": "docusign", "credentials": {"secret": "hunter2"}}`, "credentials", "no credential of that name")
		post(t, a, "/accounts", `{"name": "X", "provder": "sandbox"}`).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		post(t, a, "/accounts", `{"name": " "}`).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		get(t, a, "/accounts/"+someID).Refused(t, http.StatusNotFound, "esign.account_not_found")
		require.NotContains(t, a.Logged(), "hunter2")
		require.Zero(t, get(t, a, "/accounts").OK(t).Get("data.#").Int())
	})
}

const someID = "0190d0c0-0000-7000-8000-0000000000ff"

func TestAccounts_AreChangedTestedAndDeleted(t *testing.T) {
	t.Parallel()
	eachAccounts(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		made := post(t, a, "/accounts", `{"name": "Sandbox"}`).OK(t)
		id := made.Get("uuid").String()
		path := accountsBase + "/accounts/" + id
		patch := func(body string, headers ...string) moduletest.Response {
			return a.Call(t, a.Owner.Token, http.MethodPatch, path, body, headers...)
		}
		changed := patch(`{"name": "Main", "credentials": {"revoked": "hunter2"}}`, "If-Match", made.Header.Get("ETag")).OK(t)
		patch(`{"name": "Late"}`, "If-Match", made.Header.Get("ETag")).Refused(t, http.StatusPreconditionFailed, "web.stale")
		require.NotContains(t, string(changed.Body), "hunter2")
		health := get(t, a, "/accounts/"+id+"/health").OK(t)
		require.False(t, health.Get("healthy").Bool())
		require.Equal(t, "auth", health.Get("reason").String())
		read := get(t, a, "/accounts/"+id).OK(t)
		require.Equal(t, []string{"failing", "auth", "Main"}, []string{read.Get("health").String(), read.Get("problem").String(), read.Get("name").String()})
		require.Contains(t, read.Get("explanation").String(), "refused the credentials")
		patch(`{"credentials": {}}`).OK(t)
		require.True(t, get(t, a, "/accounts/"+id+"/health").OK(t).Get("healthy").Bool())

		require.True(t, post(t, a, "/accounts/"+id+"/disable", nil).OK(t).Get("disabled_at").Exists())
		require.Empty(t, post(t, a, "/accounts/"+id+"/enable", nil).OK(t).Get("disabled_at").String())
		other := a.NewCompany(t)
		a.Call(t, other.Token, http.MethodGet, path, nil).Refused(t, http.StatusNotFound, "esign.account_not_found")
		a.Call(t, other.Token, http.MethodDelete, path, nil).Refused(t, http.StatusNotFound, "esign.account_not_found")
		a.Call(t, a.Owner.Token, http.MethodDelete, path, nil).OK(t)
		get(t, a, "/accounts/"+id).Refused(t, http.StatusNotFound, "esign.account_not_found")
		require.NotContains(t, a.Logged(), "hunter2")
		require.True(t, post(t, a, "/accounts", `{"name": "Main"}`).OK(t).Get("default").Bool(), "name and default are free again")
	})
}

func TestAccounts_OfManyAtOnceOneIsTheDefault(t *testing.T) {
	t.Parallel()
	eachAccounts(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		answers := make(chan moduletest.Response, 8)
		for i := range cap(answers) {
			go func() { answers <- post(t, a, "/accounts", map[string]any{"name": string(rune('A' + i/2))}) }()
		}
		made := map[int]int{}
		for range cap(answers) {
			made[(<-answers).Status]++
		}
		require.Equal(t, map[int]int{http.StatusOK: 4, http.StatusConflict: 4}, made)
		defaults := 0
		for _, row := range get(t, a, "/accounts").OK(t).Get("data").Array() {
			if row.Get("default").Bool() {
				defaults++
			}
		}
		require.Equal(t, 1, defaults)
	})
}
