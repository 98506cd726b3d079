package web_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/web"
)

func origins(all ...string) func(*web.Settings) {
	return func(s *web.Settings) { s.CORS.AllowedOrigins = all }
}

func TestCORS_AnswersAPreflightBeforeAskingForAToken(t *testing.T) {
	t.Parallel()
	s := start(t, origins("https://app.example.com", "https://*.example.org"))
	for origin, allowed := range map[string]bool{
		"https://app.example.com": true, "https://a.b.example.org": true, "https://example.org": false,
		"https://app.example.com.evil.net": false, "http://app.example.com": false, "https://evilexample.org": false, "null": false,
	} {
		r := s.call(t, http.MethodOptions, things, "", "Authorization:", "Origin: "+origin,
			"Access-Control-Request-Method: POST", "Access-Control-Request-Headers: idempotency-key")
		require.Equal(t, http.StatusNoContent, r.StatusCode)
		require.Equal(t, allowed, r.Header.Get("Access-Control-Allow-Origin") == origin, origin)
		require.Contains(t, r.Header.Get("Access-Control-Allow-Headers"), "Idempotency-Key")
		require.Contains(t, r.Header.Get("Access-Control-Allow-Methods"), "PATCH")
		require.Equal(t, "3600", r.Header.Get("Access-Control-Max-Age"))
		require.Contains(t, r.Header.Get("Vary"), "Origin")
		require.Empty(t, r.Header.Get("Access-Control-Allow-Credentials"))
	}
}

func TestCORS_LetsAPageReadAnswersAndFailures(t *testing.T) {
	t.Parallel()
	s := start(t, origins("https://app.example.com"))
	origin := "Origin: https://app.example.com"
	for _, r := range []reply{
		s.call(t, http.MethodGet, things, "", origin),
		s.call(t, http.MethodGet, things, "", origin, "Authorization:"),
		s.call(t, http.MethodGet, "/nowhere", "", origin),
		s.call(t, http.MethodGet, failPath+"panic", "", origin),
	} {
		require.Equal(t, "https://app.example.com", r.Header.Get("Access-Control-Allow-Origin"), r.StatusCode)
		require.Contains(t, r.Header.Get("Vary"), "Origin")
	}
	r := s.call(t, http.MethodGet, things, "", origin)
	for _, name := range []string{"ETag", "Link", "Location", "RateLimit", "Idempotency-Replayed"} {
		require.Contains(t, r.Header.Get("Access-Control-Expose-Headers"), name)
	}
	require.Empty(t, s.call(t, http.MethodGet, things, "", "Origin: https://evil.net").Header.Get("Access-Control-Allow-Origin"))
}

func TestCORS_IsOffUnlessAnOriginIsAllowed(t *testing.T) {
	t.Parallel()
	s := start(t)
	r := s.call(t, http.MethodOptions, things, "", "Origin: https://app.example.com", "Access-Control-Request-Method: POST")

	r.refused(t, 405)
	require.Empty(t, r.Header.Get("Access-Control-Allow-Origin"))
	require.Equal(t, "*", start(t, origins("*")).call(t, http.MethodGet, things, "", "Origin: https://any.net").Header.Get("Access-Control-Allow-Origin"))
}

func TestHeaders_ComeWithEveryAnswer(t *testing.T) {
	t.Parallel()
	s := start(t, func(s *web.Settings) {
		s.BaseURL = "https://api.example.com"
		s.Headers = []string{"Permissions-Policy: camera=()", "X-Frame-Options: SAMEORIGIN"}
	})
	for _, path := range []string{things, "/nowhere", "/healthz", failPath + "panic"} {
		r := s.call(t, http.MethodGet, path, "")
		require.Equal(t, "max-age=31536000", r.Header.Get("Strict-Transport-Security"), path)
		require.Equal(t, "camera=()", r.Header.Get("Permissions-Policy"), path)
		require.Equal(t, "SAMEORIGIN", r.Header.Get("X-Frame-Options"), path)
		require.Equal(t, "nosniff", r.Header.Get("X-Content-Type-Options"), path)
	}
	require.Empty(t, start(t).call(t, http.MethodGet, things, "").Header.Get("Strict-Transport-Security"))
}

func TestSettings_NameWhatCannotProtect(t *testing.T) {
	t.Parallel()
	for want, changes := range map[string][]func(*web.Settings){
		"cors.allowed_origins: ": {
			origins("app.example.com"), origins("https://"), origins("https://a.com/path"), origins("*", "https://a.com"),
			origins("https://*"), origins("https://a.*.com"), origins("https://a.com,https://b.com"), origins("ftp://a.com"), origins(""),
		},
		"cors.allow_credentials: ": {func(s *web.Settings) { s.CORS.AllowedOrigins, s.CORS.AllowCredentials = []string{"*"}, true }},
		"cors.max_age: ":           {func(s *web.Settings) { s.CORS.MaxAge = -1 }},
		"cors: ":                   {func(s *web.Settings) { s.CORS.AllowedHeaders = []string{"a b"} }},
		"headers: ":                {func(s *web.Settings) { s.Headers = []string{"X-A"} }, func(s *web.Settings) { s.Headers = []string{"X-A: b\r\nX-C: d"} }},
		"hsts: ":                   {func(s *web.Settings) { s.HSTS = -1 }},
		"rate_limit.window: ":      {func(s *web.Settings) { s.RateLimit.Window = 0 }},
		"rate_limit: ":             {func(s *web.Settings) { s.RateLimit.PerToken = -1 }},
		"overload: ":               {func(s *web.Settings) { s.Overload.MaxInFlight = -1 }},
		"overload.company_percent: ": {
			func(s *web.Settings) { s.Overload.CompanyPercent = 0 }, func(s *web.Settings) { s.Overload.CompanyPercent = 101 },
		},
	} {
		for i, change := range changes {
			s := web.Defaults()
			change(&s)
			require.ErrorContains(t, s.Validate(), want, i)
		}
	}
}
