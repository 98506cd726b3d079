package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/web"
)

func TestHome_SaysWhatIsServed(t *testing.T) {
	t.Parallel()
	r := start(t).call(t, http.MethodGet, "/", "", "Authorization:").ok(t)

	require.JSONEq(t, `{
		"name": "dispatchd", "version": "1.2.3",
		"areas": [{"id": "things", "title": "Things of all kinds"}],
		"links": {"docs": "/docs", "openapi": "/openapi.json", "health": "/healthz", "ready": "/readyz"}
	}`, r.body)
}

func TestReadyz_NamesTheChecksThatFail(t *testing.T) {
	t.Parallel()
	s := build(t)
	var away error
	s.AddReadyCheck(
		web.ReadyCheck{Name: "clock", Check: func(context.Context) error { return nil }},
		web.ReadyCheck{Name: "database", Check: func(context.Context) error { return away }},
	)
	require.NoError(t, s.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, s.Stop(context.WithoutCancel(t.Context()))) })

	require.JSONEq(t, `{"status": "ready"}`, s.call(t, http.MethodGet, "/readyz", "").ok(t).body)
	away = errors.New("secret address refused the connection")
	r := s.call(t, http.MethodGet, "/readyz", "")
	require.Equal(t, map[string]any{"failed": []any{"database"}}, r.refused(t, 503).Details)
	require.NotEmpty(t, r.Header.Get("Retry-After"))
	require.Contains(t, s.log.String(), "check=database")
	require.JSONEq(t, `{"status": "ok"}`, s.call(t, http.MethodGet, "/healthz", "").ok(t).body)
}

func TestHeaders_KeepBrowsersFromGuessing(t *testing.T) {
	t.Parallel()
	s := start(t)

	for _, path := range []string{"/", things, "/nothing", failPath + "panic", "/docs", "/openapi.json"} {
		r := s.call(t, http.MethodGet, path, "")

		require.Equal(t, "nosniff", r.Header.Get("X-Content-Type-Options"), path)
		require.Equal(t, "DENY", r.Header.Get("X-Frame-Options"), path)
		require.Contains(t, r.Header.Get("Content-Security-Policy"), "default-src 'none'", path)
		require.NotEmpty(t, r.Header.Get("Cache-Control"), path)
		require.Empty(t, r.Header.Get("Server"), path)
	}
	require.Equal(t, "no-store", s.call(t, http.MethodGet, things, "").Header.Get("Cache-Control"))
}

func TestDocs_NeedNothingFromOutside(t *testing.T) {
	t.Parallel()
	s := start(t)

	page := s.call(t, http.MethodGet, "/docs", "", "Authorization:").ok(t)
	require.Equal(t, "text/html; charset=utf-8", page.Header.Get("Content-Type"))
	policy := page.Header.Get("Content-Security-Policy")
	require.NotContains(t, policy, "unsafe")
	require.NotContains(t, policy, "http")
	require.NotContains(t, page.body, "<style")
	require.NotRegexp(t, `(?i)<script>|\son\w+=|style=`, page.body, "nothing that the policy forbids")

	sources := regexp.MustCompile(`(?:src|href)="([^"#]+)"`).FindAllStringSubmatch(page.body, -1)
	require.Len(t, sources, 5)
	for _, source := range sources {
		require.NotContains(t, source[1], "//")
		require.False(t, strings.HasPrefix(source[1], "/"), "works below a path too")
		part := s.call(t, http.MethodGet, "/"+source[1], "", "Authorization:").ok(t)
		require.NotEmpty(t, part.body)
		require.Equal(t, http.StatusNotModified,
			s.call(t, http.MethodGet, "/"+source[1], "", "If-None-Match: "+part.Header.Get("ETag")).StatusCode)
	}
	script := s.call(t, http.MethodGet, "/docs/docs.js", "").ok(t)
	require.NotRegexp(t, `innerHTML|outerHTML|insertAdjacent|\beval\(|\.style\.`, script.body, "no text of a document becomes HTML, and no policy forbids it")
	sheet := s.call(t, http.MethodGet, "/docs/docs.css", "").ok(t)
	require.NotContains(t, sheet.body, "url(")
	require.NotContains(t, sheet.body, "@import")
}

func TestDocs_FindTheOperationsOfAllAreasWithoutTheirDocuments(t *testing.T) {
	t.Parallel()
	s := start(t)
	r := s.call(t, http.MethodGet, "/docs/operations.json", "", "Authorization:").ok(t)

	var list struct {
		Name, Version string
		Areas         []struct {
			ID, Title  string
			Operations []struct{ ID, Method, Path, Summary string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(r.body), &list))
	require.Equal(t, "dispatchd", list.Name)
	require.Len(t, list.Areas, 1)
	require.Equal(t, "Things of all kinds", list.Areas[0].Title)
	of := list.Areas[0].Operations
	require.Len(t, of, len(s.Operations()))
	for i, o := range s.Operations() {
		require.Equal(t, []string{o.ID, o.Method, o.Path, o.Summary}, []string{of[i].ID, of[i].Method, of[i].Path, of[i].Summary})
	}
	require.Equal(t, http.StatusNotModified, s.call(t, http.MethodGet, "/docs/operations.json", "", "If-None-Match: "+r.Header.Get("ETag")).StatusCode)
}

func TestDocs_WithASlashAtTheEndLeadToThePage(t *testing.T) {
	t.Parallel()
	r := start(t).call(t, http.MethodGet, "/docs/", "")

	require.Equal(t, http.StatusMovedPermanently, r.StatusCode)
	require.Equal(t, "../docs", r.Header.Get("Location"))
}

func TestFavicon_IsThereWithoutNoise(t *testing.T) {
	t.Parallel()
	s := start(t)
	r := s.call(t, http.MethodGet, "/favicon.ico", "", "Authorization:").ok(t)

	require.Equal(t, "image/png", r.Header.Get("Content-Type"))
	require.NotContains(t, s.log.String(), "level=INFO")
}

func TestAccessLog_HasTheRouteAndNoQuery(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.call(t, http.MethodGet, things+"?tag=private", "").ok(t)
	s.call(t, http.MethodGet, "/link/private", "").refused(t, 404)

	require.Eventually(t, func() bool { return strings.Count(s.log.String(), "msg=request") == 2 }, waiting, tick)
	require.Contains(t, s.log.String(), "level=INFO msg=request method=GET route=/things/api/v1/things status=200 took=")
	require.NotContains(t, s.log.String(), "private")
}

func TestAccessLog_CanBeOff(t *testing.T) {
	t.Parallel()
	s := start(t, func(s *web.Settings) { s.AccessLog = false })
	s.call(t, http.MethodGet, things, "").ok(t)
	s.call(t, http.MethodGet, failPath+"defect", "")

	require.Eventually(t, func() bool { return strings.Contains(s.log.String(), "request failed") }, waiting, tick)
	require.NotContains(t, s.log.String(), "msg=request ")
}

func TestSettings_NameWhatCannotWork(t *testing.T) {
	t.Parallel()
	require.NoError(t, web.Defaults().Validate())
	for want, change := range map[string]func(*web.Settings){
		"address: ":         func(s *web.Settings) { s.Address = "8080" },
		"base_url: ":        func(s *web.Settings) { s.BaseURL = "example.com" },
		"contact: ":         func(s *web.Settings) { s.Contact = "ask us" },
		"body_limit: ":      func(s *web.Settings) { s.BodyLimit = 0 },
		"header_limit: ":    func(s *web.Settings) { s.HeaderLimit = 10 },
		"request_timeout: ": func(s *web.Settings) { s.RequestTimeout = -time.Second },
		"trusted_proxies: ": func(s *web.Settings) { s.TrustedProxies = []string{"10.0.0.0/8", "proxy"} },
	} {
		s := web.Defaults()
		change(&s)
		require.ErrorContains(t, s.Validate(), want)
	}
}
