package web_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/web"
)

func limited(perToken, perAddress int) func(*web.Settings) {
	return func(s *web.Settings) {
		s.RateLimit.PerToken, s.RateLimit.PerAddress = perToken, perAddress
		s.TrustedProxies = []string{"127.0.0.1"}
	}
}

func TestRateLimit_CountsEachTokenByItself(t *testing.T) {
	t.Parallel()
	s := start(t, limited(2, 100))
	as := func(token string) reply { return s.call(t, http.MethodGet, things, "", "Authorization: Bearer "+token) }

	first := as("all").ok(t)
	require.Equal(t, `"token";q=2;w=60`, first.Header.Get("RateLimit-Policy"))
	require.Equal(t, `"token";r=1;t=30`, first.Header.Get("RateLimit"))
	as("all").ok(t)
	over := as("all")
	require.Equal(t, "web.rate_limited", over.refused(t, 429).Code)
	require.Equal(t, `"token";r=0;t=60`, over.Header.Get("RateLimit"))
	require.Equal(t, "30", over.Header.Get("Retry-After"))
	as("reader").ok(t)
	s.call(t, http.MethodGet, "/healthz", "", "Authorization: Bearer all").ok(t)
}

func TestRateLimit_CountsStrangersByAddress(t *testing.T) {
	t.Parallel()
	s := start(t, limited(100, 2))
	from := func(address, path, token string) reply {
		return s.call(t, http.MethodGet, path, "", "X-Forwarded-For: "+address, "Authorization: Bearer "+token)
	}
	public := failPath + "not"

	require.Equal(t, `"address";r=1;t=30`, from("203.0.113.1", public, "").ok(t).Header.Get("RateLimit"))
	require.Equal(t, "tokens.unknown", from("203.0.113.1", things, "stolen").refused(t, 401).Code)
	require.Equal(t, "web.rate_limited", from("203.0.113.1", things, "stolen").refused(t, 429).Code)
	require.Equal(t, "web.rate_limited", from("203.0.113.1", public, "").refused(t, 429).Code)
	from("203.0.113.1", things, "all").ok(t) // who shows a good token is no stranger
	from("203.0.113.2", public, "").ok(t)
}

func TestRateLimit_CountsAnIPv6NetworkAsOneAddress(t *testing.T) {
	t.Parallel()
	s := start(t, limited(100, 2))
	from := func(address string) int {
		return s.call(t, http.MethodGet, failPath+"not", "", "X-Forwarded-For: "+address).StatusCode
	}

	require.Equal(t, 200, from("2001:db8:1:1::1"))
	require.Equal(t, 200, from("2001:db8:1:1:ffff::2"))
	require.Equal(t, 429, from("2001:db8:1:1:abcd::3"))
	require.Equal(t, 200, from("2001:db8:1:2::1"))
}

func TestRateLimit_CanBeOff(t *testing.T) {
	t.Parallel()
	s := start(t, limited(0, 0))
	for range 5 {
		require.Empty(t, s.call(t, http.MethodGet, things, "").ok(t).Header.Get("RateLimit"))
		s.call(t, http.MethodGet, failPath+"not", "").ok(t)
	}
}
