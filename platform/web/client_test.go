package web_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/web"
)

const failAddress = failPath + "address"

func TestClientIP_BelievesOnlyTrustedProxies(t *testing.T) {
	t.Parallel()
	direct := start(t)
	behind := start(t, func(s *web.Settings) { s.TrustedProxies = []string{"127.0.0.1", "10.0.0.0/8", "2001:db8::/32"} })
	tests := []struct {
		forwarded []string
		want      string
	}{
		{nil, "127.0.0.1"},
		{[]string{"203.0.113.7"}, "203.0.113.7"},
		{[]string{"6.6.6.6, 203.0.113.7"}, "203.0.113.7"},
		{[]string{"6.6.6.6, 203.0.113.7, 10.1.2.3"}, "203.0.113.7"},
		{[]string{"6.6.6.6", "203.0.113.7, 10.1.2.3"}, "203.0.113.7"},
		{[]string{"127.0.0.1, 203.0.113.7"}, "203.0.113.7"},
		{[]string{"203.0.113.7, nonsense"}, "127.0.0.1"},
		{[]string{"203.0.113.7, nonsense, 10.1.2.3"}, "10.1.2.3"},
		{[]string{"203.0.113.7:4711"}, "203.0.113.7"},
		{[]string{"[2001:db9::7]:4711"}, "2001:db9::7"},
		{[]string{"2001:db9::7, 2001:db8::1"}, "2001:db9::7"},
		{[]string{"::ffff:203.0.113.7"}, "203.0.113.7"},
		{[]string{"10.1.1.1, 10.1.2.3"}, "10.1.1.1"},
		{[]string{""}, "127.0.0.1"},
	}
	for _, test := range tests {
		require.Equal(t, test.want, clientOf(t, behind, test.forwarded), "%v", test.forwarded)
		require.Equal(t, "127.0.0.1", clientOf(t, direct, test.forwarded), "%v", test.forwarded)
	}
}

// clientOf is the address that a request is seen to come from.
func clientOf(t *testing.T, s *service, forwarded []string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.Address()+failAddress, nil)
	require.NoError(t, err)
	for _, value := range forwarded {
		request.Header.Add("X-Forwarded-For", value)
	}
	r := do(t, request).ok(t)

	return r.body[1 : len(r.body)-1]
}

func TestClientIP_IsNothingOutsideARequest(t *testing.T) {
	t.Parallel()
	require.Empty(t, web.ClientIP(t.Context()))
}
