package companies_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/audit"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const (
	api      = "/companies/api/v1"
	password = "a horse that jumps"
)

func areas() []module.Module { return []module.Module{audit.Module, companies.Module} }

// each boots the area on both databases.
func each(t *testing.T, test func(t *testing.T, a app)) {
	t.Helper()
	moduletest.BootEach(t, areas(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		test(t, app{App: a})
	})
}

// eachAt is each with a clock that the test moves; it is on both databases by itself.
func eachAt(t *testing.T, test func(t *testing.T, a app, clk *clock.Fake)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		clk := clock.NewFake(time.Now().UTC().Truncate(time.Second)) //nolint:forbidigo // River goes by the machine's clock
		set := moduletest.With(fx.Decorate(func(clock.Clock) clock.Clock { return clk }))
		test(t, app{App: moduletest.Boot(t, url, areas(), set)}, clk)
	})
}

type app struct{ *moduletest.App }

type fields = map[string]any

func (a app) post(t *testing.T, token, path string, body any) moduletest.Response {
	t.Helper()

	return a.Call(t, token, http.MethodPost, api+path, body)
}

func (a app) patch(t *testing.T, token, path string, body any, headers ...string) moduletest.Response {
	t.Helper()

	return a.Call(t, token, http.MethodPatch, api+path, body, headers...)
}

func (a app) get(t *testing.T, token, path string) moduletest.Response {
	t.Helper()

	return a.Call(t, token, http.MethodGet, api+path, nil)
}

// member is a user with a password and a token of a login.
type member struct{ id, email, token string }

// join invites somebody in the name of a token, and logs in.
func (a app) join(t *testing.T, by, email, role string) member {
	t.Helper()
	made := a.post(t, by, "/invitations", fields{"email": email, "name": "Somebody", "role": role}).OK(t)
	joined := a.post(t, "", "/invitations/accept", fields{"link": made.Get("link").String(), "password": password}).OK(t)

	return member{
		id: joined.Get("user_uuid").String(), email: email,
		token: a.logIn(t, email, password, joined.Get("company_uuid").String()).OK(t).Get("token").String(),
	}
}

func (a app) logIn(t *testing.T, email, password, company string) moduletest.Response {
	t.Helper()
	body := fields{"email": email, "password": password}
	if company != "" {
		body["company_uuid"] = company
	}

	return a.post(t, "", "/login", body)
}

// published counts the events of a name.
func (a app) published(t *testing.T, name string) (n int) {
	t.Helper()
	require.NoError(t, a.DB.Raw(t.Context(), "test").Raw(`SELECT count(*) FROM events_log WHERE name = ?`, name).Row().Scan(&n))

	return n
}

// actions are what the audit trail of a company says, the latest first.
func (a app) actions(t *testing.T, token string) []string {
	t.Helper()
	var all []string
	page := a.Call(t, token, http.MethodGet, "/audit/api/v1/entries?per_page=200", nil).OK(t)
	for _, entry := range page.Get("data.#.action").Array() {
		all = append(all, entry.String())
	}

	return all
}

func TestCompany_IsMadeByTheOperatorAndEnteredByItsOwner(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a app) {
		t.Helper()
		body := fields{"name": "Roadrunner", "mc_number": "654321", "owner": fields{"email": "Wile@example.com", "name": "Wile"}}
		a.post(t, a.Owner.Token, "/companies", body).Refused(t, http.StatusForbidden, "web.operator_only")
		made := a.post(t, a.Operator(t, "companies:write"), "/companies", body).OK(t)
		require.Equal(t, "MC-654321", made.Get("mc_number").String())
		require.Equal(t, "owner", made.Get("owner_invitation.role").String())
		require.Equal(t, "no-store", made.Header.Get("Cache-Control"))

		accept := fields{"link": made.Get("owner_invitation.link").String(), "password": password}
		joined := a.post(t, "", "/invitations/accept", accept).OK(t)
		require.Equal(t, made.Get("uuid").String(), joined.Get("company_uuid").String())
		a.post(t, "", "/invitations/accept", accept).Refused(t, http.StatusNotFound, "link.used_up")

		in := a.logIn(t, "wile@EXAMPLE.com", password, "").OK(t)
		require.Equal(t, "no-store", in.Header.Get("Cache-Control"))
		me := a.get(t, in.Get("token").String(), "/me").OK(t)
		require.Equal(t, "Roadrunner", me.Get("company.name").String())
		require.Equal(t, `["*"]`, me.Get("scopes").Raw)
		require.Equal(t, 1, a.published(t, "companies.company.created"))
		require.Equal(t, 1, a.published(t, "companies.user.invited"))
		require.Equal(t, 1, a.published(t, "companies.user.joined"))
		require.Equal(t, []string{
			"companies.logged_in", "companies.invitation_accepted", "companies.user_invited", "companies.company_created",
		}, a.actions(t, in.Get("token").String()))

		a.post(t, in.Get("token").String(), "/logout", nil).OK(t)
		a.get(t, in.Get("token").String(), "/me").Refused(t, http.StatusUnauthorized, "identity.token_revoked")
	})
}

func TestCompany_IsChangedByMergePatchAtItsVersion(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a app) {
		t.Helper()
		token := a.Owner.Token
		changed := a.patch(t, token, "/company", fields{
			"legal_name": "Blue Ridge LLC", "usdot_number": "1234567", "time_zone": "America/Chicago", "currency": "CAD",
			"address": fields{"city": "Asheville", "country": "us"},
		}).OK(t)
		require.Equal(t, "US", changed.Get("address.country").String())
		require.Equal(t, `"2"`, changed.Header.Get("ETag"))

		changed = a.patch(t, token, "/company", fields{"legal_name": nil, "address": fields{"state": "NC"}}).OK(t)
		require.Empty(t, changed.Get("legal_name").String())
		require.Equal(t, "Asheville", changed.Get("address.city").String())
		require.Equal(t, "1234567", changed.Get("usdot_number").String())
		a.Call(t, token, http.MethodPatch, api+"/company", fields{"dba": "x"}, "If-Match", `"2"`).
			Refused(t, http.StatusPreconditionFailed, "web.stale")

		wrong := a.patch(t, token, "/company", fields{
			"name": nil, "usdot_number": "12a", "mc_number": "x", "time_zone": "Mars", "currency": "gold", "address": fields{"country": "XYZ"},
		}).Refused(t, http.StatusUnprocessableEntity, "identity.invalid")
		require.Len(t, wrong.Get("errors").Map(), 6, string(wrong.Body))
		for _, state := range []string{"Texas", "ZZ"} {
			wrong = a.patch(t, token, "/company", fields{"address": fields{"state": state}}).Refused(t, http.StatusUnprocessableEntity, "identity.invalid")
			require.Contains(t, wrong.Get(`errors.address\.state.0`).String(), "two-letter US state code")
		}
		require.Equal(t, changed.Body, a.get(t, token, "/company").OK(t).Body)
	})
}

func TestBrand_IsCheckedAndKeptPerCompany(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a app) {
		t.Helper()
		require.Equal(t, `"0"`, a.get(t, a.Owner.Token, "/brand").OK(t).Header.Get("ETag"))
		wrong := a.patch(t, a.Owner.Token, "/brand", fields{
			"primary_color": "red", "logo_url": "http://example.com/x.png", "domain": "nowhere", "from_address": "me",
		}).Refused(t, http.StatusUnprocessableEntity, "companies.invalid_brand")
		require.Len(t, wrong.Get("errors").Map(), 4)
		a.patch(t, a.Owner.Token, "/brand", fields{"primary_color": "#AABBCC", "domain": "Dispatch.example.com"}).OK(t)
		kept := a.patch(t, a.Owner.Token, "/brand", fields{"domain": nil}).OK(t)
		require.Equal(t, "#aabbcc", kept.Get("primary_color").String())
		require.Empty(t, kept.Get("domain").String())
		require.Equal(t, `"2"`, kept.Header.Get("ETag"))
		require.Empty(t, a.get(t, a.NewCompany(t).Token, "/brand").OK(t).Get("primary_color").String())
	})
}

func TestDashboard_ShowsWhatTheTokenMayRead(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a app) {
		t.Helper()
		a.post(t, a.Owner.Token, "/invitations", fields{"email": "anna@example.com", "name": "Anna", "role": "viewer"}).OK(t)
		counts := a.get(t, a.Owner.Token, "/dashboard").OK(t)
		require.Equal(t, int64(1), counts.Get(`counts.#(name=="users").value`).Int())
		require.Equal(t, int64(1), counts.Get(`counts.#(name=="open_invitations").value`).Int())
	})
}
