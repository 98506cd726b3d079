package web_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/web"
)

const failPath = "/things/api/v1/fail/"

const (
	waiting = 10 * time.Second
	tick    = 5 * time.Millisecond
)

func TestError_OfAHandlerIsAnsweredByItsKind(t *testing.T) {
	t.Parallel()
	s := start(t)

	for how, want := range map[string]struct {
		status     int
		code       string
		retryAfter string
	}{
		"taken":   {409, "things.taken", ""},
		"rush":    {429, "things.rush", "2"},
		"away":    {503, "things.away", "5"},
		"field":   {422, "things.invalid", ""},
		"defect":  {500, "web.internal", ""},
		"panic":   {500, "web.internal", ""},
		"nothing": {500, "web.internal", ""},
	} {
		r := s.call(t, http.MethodGet, failPath+how, "")

		require.Equal(t, want.code, r.refused(t, want.status).Code, how)
		require.Equal(t, want.retryAfter, r.Header.Get("Retry-After"), how)
	}
	require.Equal(t, map[string]any{"state": "sold"}, s.call(t, http.MethodGet, failPath+"taken", "").refused(t, 409).Details)
	require.Equal(t, map[string][]string{"payload.vin": {"The vin must be 17 characters."}},
		s.call(t, http.MethodGet, failPath+"field", "").refused(t, 422).Errors)
}

func TestError_ThatIsNotShownIsLoggedOnce(t *testing.T) {
	t.Parallel()
	for how, secret := range map[string]string{
		"defect": "secret of the database", "panic": "secret of the panic", "away": "secret address",
	} {
		s := start(t)
		s.call(t, http.MethodGet, failPath+how, "")

		require.Eventually(t, func() bool { return strings.Contains(s.log.String(), "route=") }, waiting, tick)
		require.Equal(t, 1, strings.Count(s.log.String(), secret), how)
		require.Equal(t, how == "panic", strings.Contains(s.log.String(), "web_test.go"), how)
	}
}

func TestError_PastTheDeadlineIs503(t *testing.T) {
	t.Parallel()
	s := start(t, func(s *web.Settings) { s.RequestTimeout = 20 * time.Millisecond })
	r := s.call(t, http.MethodGet, failPath+"late", "")

	require.Equal(t, "web.deadline_passed", r.refused(t, 503).Code)
	require.Equal(t, "5", r.Header.Get("Retry-After"))
}

func TestError_OfAnUnknownRouteNamesIt(t *testing.T) {
	t.Parallel()
	p := start(t).call(t, http.MethodPost, "/sms/api/v1/numbers/user/default?token=1", "{}").refused(t, 404)

	require.Equal(t, "web.route_not_found", p.Code)
	require.Equal(t, "The route POST /sms/api/v1/numbers/user/default could not be found.", p.Message)
	require.Empty(t, p.Exception)
	require.Empty(t, p.Trace)
}

func TestError_OfAnUnknownRouteHasTheDocumentedDebugBody(t *testing.T) {
	t.Parallel()
	s := start(t, func(s *web.Settings) { s.Debug = true })
	p := s.call(t, http.MethodGet, "/sms/api/v1/numbers/user/default", "").refused(t, 404)

	require.Equal(t, "web.routeNotFoundError", p.Exception)
	require.True(t, strings.HasSuffix(p.File, "platform/web/notfound.go"), p.File)
	require.Equal(t, p.Trace[0].Line, p.Line)
	require.Equal(t, "routeNotFound", p.Trace[0].Function)
	require.Equal(t, "github.com/dispatchd/dispatchd/platform/web.API", p.Trace[0].Class)
	require.Equal(t, "->", p.Trace[0].Type)
	for _, last := range p.Trace[len(p.Trace)-2:] {
		require.NotEmpty(t, last.Function)
		require.NotZero(t, last.Line)
		require.Empty(t, last.Class+last.Type)
	}
}

func TestError_OfAnUnknownRouteShowsNoControlCharacters(t *testing.T) {
	t.Parallel()
	p := start(t).call(t, http.MethodGet, "/a%0Ab%1b/"+strings.Repeat("x", 1000), "").refused(t, 404)

	require.Less(t, len(p.Message), 300)
	require.NotContains(t, p.Message, "\n")
}

func TestError_OfAMethodThatIsNotThereNamesThoseThatAre(t *testing.T) {
	t.Parallel()
	s := start(t)

	r := s.call(t, http.MethodPut, things, "{}")
	p := r.refused(t, 405)
	require.Equal(t, "GET, HEAD, POST", r.Header.Get("Allow"))
	require.Equal(t, "web.method_not_allowed", p.Code)
	require.Equal(t, "The route /things/api/v1/things does not take PUT, but GET, HEAD, POST.", p.Message)

	s.call(t, "BREW", things, "").refused(t, 405)
	s.call(t, http.MethodDelete, "/healthz", "").refused(t, 405)
}

func TestError_OfARequestThatIsNoneHasTheErrorBody(t *testing.T) {
	t.Parallel()
	s := start(t)

	for text, status := range map[string]int{
		"GET /\r\n\r\n": 400,
		"GET / HTTP/1.1\r\nHost: x\r\nBig: " + strings.Repeat("x", 20_000) + "\r\n\r\n": 431,
		"GET /things/api/v1/things HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n":    400,
	} {
		connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.Address())
		require.NoError(t, err)
		_, err = fmt.Fprint(connection, text)
		require.NoError(t, err)
		response, err := http.ReadResponse(bufio.NewReader(connection), nil)
		require.NoError(t, err)
		require.Equal(t, status, response.StatusCode)
		require.Equal(t, "application/json", response.Header.Get("Content-Type"))
		require.NotEmpty(t, response.Header.Get("X-Request-Id"))
		require.NoError(t, response.Body.Close())
		require.NoError(t, connection.Close())
	}
}

func TestRequestID_IsTheCallersIfItIsSane(t *testing.T) {
	t.Parallel()
	s := start(t)

	for id, taken := range map[string]bool{
		"abc-123": true, "Root=1-67891233-abcdef": true,
		"a b": false, "<script>": false, strings.Repeat("x", 129): false,
	} {
		got := s.call(t, http.MethodGet, things, "", "X-Request-Id: "+id).Header.Get("X-Request-Id")

		require.Equal(t, taken, got == id, id)
		require.NotEmpty(t, got)
	}
}
