package companies_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// ear keeps what is written to it, as a log or as a collector.
type ear struct {
	mu    sync.Mutex
	heard bytes.Buffer
}

func (e *ear) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()

	return e.heard.Write(p)
}

// ServeHTTP implements http.Handler.
func (e *ear) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(e, r.Body); err != nil {
		w.WriteHeader(http.StatusInternalServerError)
	}
}

func (e *ear) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()

	return e.heard.String()
}

// What people type and are given in the product's own areas is in no log, span or metric; see also
// TestNothing_TellsASecret of platform/telemetry.
func TestNothing_TellsWhatPeopleTypeOrAreGiven(t *testing.T) {
	t.Parallel()
	log, spans := &ear{}, &ear{}
	collector := httptest.NewServer(spans)
	t.Cleanup(collector.Close)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(log.String())
		}
	})
	var metrics *telemetry.Admin
	a := moduletest.Boot(t, "sqlite:"+t.TempDir()+"/planted.db", modules.All(),
		moduletest.Set("traces.endpoint="+collector.URL, "metrics.address=127.0.0.1:0"),
		moduletest.With(fx.Populate(&metrics), fx.Decorate(func(*slog.Logger) *slog.Logger {
			return telemetry.NewLogger(telemetry.Settings{Level: "debug", Format: "json"}, log)
		})))
	const (
		api      = "/companies/api/v1"
		email    = "planted.person@example.com"
		password = "planted first password"
		changed  = "planted second password"
		reset    = "planted third password"
		wrong    = "planted wrong password"
	)
	planted := []string{a.Owner.Token, email, "Planted Person", password, changed, reset, wrong, "planted-filter"}
	given := func(r moduletest.Response, key string) string {
		text := r.OK(t).Get(key).String()
		require.NotEmpty(t, text, string(r.Body))
		planted = append(planted, text)

		return text
	}
	post := func(token, path string, body map[string]any) moduletest.Response {
		return a.Call(t, token, "POST", api+path, body)
	}

	invitation := given(post(a.Owner.Token, "/invitations", map[string]any{"email": email, "name": "Planted Person", "role": "viewer"}), "link")
	user := post("", "/invitations/accept", map[string]any{"link": invitation, "password": password}).OK(t).Get("user_uuid").String()
	post("", "/invitations/accept", map[string]any{"link": invitation, "password": password}).Refused(t, 404, "link.used_up")
	post("", "/login", map[string]any{"email": email, "password": wrong}).Refused(t, 401, "companies.wrong_credentials")
	token := given(post("", "/login", map[string]any{"email": email, "password": password}), "token")
	a.Call(t, token, "PUT", api+"/password", map[string]any{"old_password": password, "new_password": changed}).OK(t)
	link := given(post(a.Owner.Token, "/users/"+user+"/reset_link", nil), "link")
	post("", "/password/reset", map[string]any{"link": link, "password": reset}).OK(t)
	given(post(a.Owner.Token, "/tokens", map[string]any{"name": "export", "scopes": []string{"companies:read"}}), "token")
	a.Call(t, a.Owner.Token, "GET", "/custom_modules/api/v1/modules?filter[name]=planted-filter", nil)

	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+metrics.Address()+"/metrics", http.NoBody)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	scraped, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.NoError(t, a.Stop(context.WithoutCancel(t.Context())))

	for place, text := range map[string]string{"log": log.String(), "spans": spans.String(), "metrics": string(scraped)} {
		require.Contains(t, text, "companies", place)
		for _, secret := range planted {
			require.NotContains(t, text, secret, place)
		}
	}
	require.Contains(t, spans.String(), "companies_login")
}
