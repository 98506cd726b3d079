package outbound

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// local are settings under which a server of the test may be called.
func local() Settings {
	s := Defaults()
	s.AllowHTTP, s.AllowNetworks = true, []string{"127.0.0.0/8"}
	s.RetryPause, s.MaxRetryPause = time.Millisecond, 10*time.Millisecond
	s.BreakerFailures = 0

	return s
}

func testNetwork(t testing.TB, s Settings) *Network {
	t.Helper()
	require.NoError(t, s.Validate())
	n, err := New(s, clock.System{})
	require.NoError(t, err)
	t.Cleanup(n.Stop)

	return n
}

func testClient(t testing.TB, s Settings) *Client {
	t.Helper()
	c, err := testNetwork(t, s).Client(Spec{Name: "test.vendor"})
	require.NoError(t, err)

	return c
}

// refused requires an error of an outcome and reason.
func refused(t testing.TB, err error, outcome Outcome, reason Reason) {
	t.Helper()
	require.Equal(t, outcome, failure(t, err, outcome, reason).Outcome)
}

// failure is refused, and returns the error.
func failure(t testing.TB, err error, outcome Outcome, reason Reason) *Error {
	t.Helper()
	e, ok := errors.AsType[*Error](err)
	require.Truef(t, ok, "%v", err)
	require.Equal(t, outcome, e.Outcome, err)
	require.Equal(t, reason, e.Reason, err)
	require.Equal(t, outcome, OutcomeOf(err))

	return e
}

// tcp serves connections by hand, and returns the address.
func tcp(t *testing.T, serve func(n int64, conn net.Conn)) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { shut(listener) })
	go func() {
		for n := int64(1); ; n++ {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(n, conn)
		}
	}()

	return listener.Addr().String()
}

// drain reads until the other side closes, and answers nothing.
func drain(conn net.Conn) {
	_, _ = io.Copy(io.Discard, conn)
}

// readAll returns what there is; the tests look at it.
func readAll(r io.Reader) []byte {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil
	}

	return text
}

func shut(closer io.Closer) {
	_ = closer.Close()
}

// readRequest reads a request up to the end of its body.
func readRequest(conn net.Conn) {
	if r, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
		_, _ = io.Copy(io.Discard, r.Body)
	}
}

func post(url string) Call { return Call{Method: http.MethodPost, URL: url, Body: []byte("hello=1")} }

func TestDo_SaysThatNothingWasSent(t *testing.T) {
	t.Parallel()
	gone, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, gone.Close())
	silent := tcp(t, func(_ int64, conn net.Conn) { drain(conn) })
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	unknown := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(unknown.Close)
	impatient := local()
	impatient.TLSTimeout = 50 * time.Millisecond
	hasty, c := testClient(t, impatient), testClient(t, local())
	ended, end := context.WithCancel(t.Context())
	end()
	tests := map[string]struct {
		client *Client
		ctx    context.Context
		call   Call
		reason Reason
	}{
		"nobody listens":      {c, t.Context(), post("http://" + gone.Addr().String()), NoConnection},
		"no such name":        {c, t.Context(), post("https://no-such-name.example.com"), NoName},
		"no TLS there":        {c, t.Context(), post("https://" + plain.Listener.Addr().String()), NoTLS},
		"unknown certificate": {c, t.Context(), post(unknown.URL), NoTLS},
		"silence in TLS":      {hasty, t.Context(), post("https://" + silent), TimedOut},
		"canceled before":     {c, ended, post(plain.URL), Canceled},
		"address not allowed": {c, t.Context(), post("https://10.0.0.1/"), BlockedURL},
		"header not allowed":  {c, t.Context(), Call{Method: "POST", URL: plain.URL, Header: http.Header{"Host": {"x"}}}, BadRequest},
		"header of two lines": {c, t.Context(), Call{Method: "POST", URL: plain.URL, Header: http.Header{"A": {"x\r\ny: z"}}}, BadRequest},
	}
	c.network.guard.names = nameless{}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := test.client.Do(test.ctx, test.call)
			e := failure(t, err, NotSent, test.reason)
			require.Equal(t, "test.vendor", e.Client)
		})
	}
}

type nameless struct{}

func (nameless) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return nil, &net.DNSError{Err: "no such host", Name: "secret.example.com", IsNotFound: true}
}

func TestDo_SaysThatNobodyKnowsWhetherTheRequestWasTaken(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		serve  func(conn net.Conn)
		reason Reason
		status int
	}{
		"closed after the request": {func(conn net.Conn) { readRequest(conn); shut(conn) }, Broken, 0},
		"reset at once": {func(conn net.Conn) {
			_, _ = conn.Read(make([]byte, 1))
			_ = conn.(*net.TCPConn).SetLinger(0)
			_ = conn.Close()
		}, Broken, 0},
		"silence after it": {func(conn net.Conn) { readRequest(conn); drain(conn) }, TimedOut, 0},
		"no HTTP": {func(conn net.Conn) {
			readRequest(conn)
			_, _ = io.WriteString(conn, "password=hunter2\r\n\r\n")
			_ = conn.Close()
		}, Broken, 0},
		"breaks in the answer": {func(conn net.Conn) {
			readRequest(conn)
			_, _ = io.WriteString(conn, "HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\nabc")
			_ = conn.Close()
		}, Broken, 201},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var connections atomic.Int64
			at := tcp(t, func(_ int64, conn net.Conn) { connections.Add(1); test.serve(conn) })
			call := post("http://" + at + "/?token=hunter2")
			call.Repeat = Repeat{NotSent: true, Statuses: []int{429}}
			s := local()
			if test.reason == TimedOut { // the others are not to be taken for it on a slow machine
				s.HeaderTimeout = 50 * time.Millisecond
			}
			_, err := testClient(t, s).Do(t.Context(), call)
			e := failure(t, err, Unknown, test.reason)
			require.Equal(t, test.status, e.Status)
			require.NotContains(t, fmt.Sprintf("%v %+v", err, e), "hunter2")
			require.EqualValues(t, 1, connections.Load(), "what may have been taken is not sent again")
		})
	}
}

func TestDo_SaysThatNobodyKnowsWhenTheCallerGivesUpLate(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	at := tcp(t, func(_ int64, conn net.Conn) { readRequest(conn); close(arrived); drain(conn) })
	ctx, giveUp := context.WithCancel(t.Context())
	go func() { <-arrived; giveUp() }()
	_, err := testClient(t, local()).Do(ctx, post("http://"+at))
	refused(t, err, Unknown, Canceled)
	require.ErrorIs(t, err, context.Canceled)
}

// An idle connection that the other side closes makes net/http take another one, and, for a request
// with an Idempotency-Key, write a second time what it wrote before.
func TestDo_DoesNotLetTheTransportSendTwice(t *testing.T) {
	t.Parallel()
	for _, method := range []string{http.MethodPost, http.MethodGet} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int64
			at := tcp(t, func(_ int64, conn net.Conn) {
				reader := bufio.NewReader(conn)
				for range 2 {
					r, err := http.ReadRequest(reader)
					if err != nil {
						return
					}
					_, _ = io.Copy(io.Discard, r.Body)
					if requests.Add(1)%2 == 0 {
						_ = conn.Close() // the second on each connection gets no answer

						return
					}
					_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
				}
			})
			c := testClient(t, local())
			call := Call{Method: method, URL: "http://" + at, Header: http.Header{"Idempotency-Key": {"k"}}}
			_, err := c.Do(t.Context(), call)
			require.NoError(t, err)
			_, err = c.Do(t.Context(), call)
			refused(t, err, Unknown, Broken)
			require.EqualValues(t, 2, requests.Load())

			call.Repeat = RepeatIdempotent()
			_, err = c.Do(t.Context(), call)
			require.NoError(t, err)
		})
	}
}

func TestDo_RepeatsWhatTheVendorDidNotTake(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := readAll(r.Body)
		if calls.Add(1)%3 != 0 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
		}
		_, _ = w.Write(body)
	}))
	t.Cleanup(server.Close)
	c, call := testClient(t, local()), post(server.URL)
	answer, err := c.Do(t.Context(), call)
	require.NoError(t, err)
	require.Equal(t, 429, answer.Status)
	require.Equal(t, 1, answer.Attempts, "by default nothing is repeated")
	calls.Store(0)

	call.Repeat = Repeat{Statuses: []int{429}}
	answer, err = c.Do(t.Context(), call)
	require.NoError(t, err)
	require.Equal(t, 200, answer.Status)
	require.Equal(t, 3, answer.Attempts)
	require.Equal(t, "hello=1", string(answer.Body))
	require.NotContains(t, fmt.Sprintf("%v %+v %#v", answer, answer, answer), "hello")
	require.NotContains(t, fmt.Sprintf("%v %+v %#v", call, call, call), "127.0.0.1")

	s := local()
	s.Retries = 1
	answer, err = testClient(t, s).Do(t.Context(), call)
	require.NoError(t, err)
	require.Equal(t, 429, answer.Status)
	require.Equal(t, 2, answer.Attempts, "retries are bounded")
}

func TestDo_GivesBackAnAnswerThatAsksForALongPause(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(server.Close)
	call := post(server.URL)
	call.Repeat = RepeatIdempotent()
	answer, err := testClient(t, local()).Do(t.Context(), call)
	require.NoError(t, err)
	require.Equal(t, 1, answer.Attempts)
	require.EqualValues(t, 1, calls.Load())
	pause, ok := RetryAfter(answer.Header, time.Time{})
	require.True(t, ok)
	require.Equal(t, time.Hour, pause)
}

func TestRetryAfter_ReadsSecondsAndDates(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)
	tests := map[string]struct {
		want time.Duration
		ok   bool
	}{
		"120": {2 * time.Minute, true}, " 0 ": {0, true}, "Sat, 01 Aug 2026 12:00:30 GMT": {30 * time.Second, true},
		"Sat, 01 Aug 2026 11:00:00 GMT": {0, true}, "-1": {}, "": {}, "soon": {}, "1.5": {}, "99999999999999999999": {},
		"9223372036854775807": {10 * 365 * 24 * time.Hour, true},
	}
	for text, test := range tests {
		got, ok := RetryAfter(http.Header{"Retry-After": {text}}, now)
		require.Equal(t, test.ok, ok, text)
		require.Equal(t, test.want, got, text)
	}
}

func TestDo_FollowsNoRedirect(t *testing.T) {
	t.Parallel()
	var inside atomic.Int64
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { inside.Add(1) }))
	t.Cleanup(target.Close)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		w.Header().Set("X-Cookies", r.Header.Get("Cookie"))
		http.Redirect(w, r, target.URL, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(server.Close)
	c := testClient(t, local())
	for range 2 {
		answer, err := c.Do(t.Context(), Call{Method: http.MethodGet, URL: server.URL, Repeat: RepeatIdempotent()})
		require.NoError(t, err)
		require.Equal(t, http.StatusTemporaryRedirect, answer.Status)
		require.Empty(t, answer.Header.Get("X-Cookies"))
	}
	require.Zero(t, inside.Load())
}

func TestDo_BoundsTheAnswer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat("x", len(r.URL.RawQuery)))
	}))
	t.Cleanup(server.Close)
	c, err := testNetwork(t, local()).Client(Spec{Name: "test", MaxAnswer: 10})
	require.NoError(t, err)
	answer, err := c.Do(t.Context(), post(server.URL+"/?"+strings.Repeat("a", 10)))
	require.NoError(t, err)
	require.Len(t, answer.Body, 10)
	_, err = c.Do(t.Context(), post(server.URL+"/?"+strings.Repeat("a", 11)))
	require.Equal(t, 200, failure(t, err, Answered, TooLong).Status)
}

func TestDo_LeavesAHostAloneThatFails(t *testing.T) {
	t.Parallel()
	var calls, status atomic.Int64
	status.Store(500)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		w.WriteHeader(int(status.Load()))
	}))
	t.Cleanup(server.Close)
	s := local()
	s.BreakerFailures, s.BreakerPause = 2, time.Second
	c := testClient(t, s)
	registry := prometheus.NewRegistry()
	require.NoError(t, c.network.Observe(telemetry.Observer{Metrics: registry}))
	for range 2 {
		_, err := c.Do(t.Context(), post(server.URL))
		require.NoError(t, err)
	}
	before := time.Now() //nolint:forbidigo // the breaker has the machine's clock
	_, err := c.Do(t.Context(), post(server.URL))
	require.True(t, failure(t, err, NotSent, BreakerOpen).RetryAt.After(before))
	require.EqualValues(t, 2, calls.Load())
	require.NoError(t, testutil.GatherAndCompare(registry, strings.NewReader(`
# HELP dispatchd_outbound_breakers Hosts and accounts whose calls are suspended (open) or on trial (half_open).
# TYPE dispatchd_outbound_breakers gauge
dispatchd_outbound_breakers{client="test.vendor",state="half_open"} 0
dispatchd_outbound_breakers{client="test.vendor",state="open"} 1
# HELP dispatchd_outbound_requests_total Attempts of outbound calls by client and outcome: the status class, not_sent or unknown.
# TYPE dispatchd_outbound_requests_total counter
dispatchd_outbound_requests_total{client="test.vendor",outcome="5xx"} 2
dispatchd_outbound_requests_total{client="test.vendor",outcome="not_sent"} 1
`), "dispatchd_outbound_breakers", "dispatchd_outbound_requests_total"))

	other := post(server.URL)
	other.Key = "another account"
	_, err = c.Do(t.Context(), other)
	require.NoError(t, err)

	status.Store(200)
	require.Eventually(t, func() bool {
		_, err := c.Do(t.Context(), post(server.URL))

		return err == nil
	}, time.Minute, 10*time.Millisecond, "one call is let through to try")
	_, err = c.Do(t.Context(), post(server.URL))
	require.NoError(t, err)
}

func TestDo_TellsNoSecretToTraces(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	c, spans := testClient(t, local()), tracetest.NewSpanRecorder()
	provider := sdk.NewTracerProvider(sdk.WithSpanProcessor(spans))
	require.NoError(t, c.network.Observe(telemetry.Observer{Tracer: provider.Tracer("test")}))
	_, err := c.Do(t.Context(), post(server.URL+"/hunter2?token=hunter2"))
	require.NoError(t, err)
	require.Len(t, spans.Ended(), 1)
	span := spans.Ended()[0]
	require.Equal(t, "HTTP POST", span.Name())
	text := fmt.Sprint(span.Attributes())
	require.Contains(t, text, "test.vendor")
	require.Contains(t, text, "404")
	require.NotContains(t, text, "hunter2")
}

func TestDo_UsesTheProxyOfTheConfigurationAlone(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Proxied", r.URL.Host)
	}))
	t.Cleanup(server.Close)
	_, err := testClient(t, local()).Do(t.Context(), post(server.URL))
	require.NoError(t, err)

	s := Defaults()
	s.AllowHTTP, s.Ports = true, []string{"80"}
	s.Proxy = config.Secret(server.URL)
	answer, err := testClient(t, s).Do(t.Context(), post("http://vendor.example.com/x"))
	require.NoError(t, err)
	require.Equal(t, "vendor.example.com", answer.Header.Get("X-Proxied"))
}

func TestError_IsLoggedWithoutWhatItHolds(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("call", slog.Any("error", &Error{
		Client: "sms.x", Outcome: Answered, Reason: BadStatus, Status: 401, Answer: &Answer{Status: 401, Body: []byte("hunter2")},
	}))
	require.Contains(t, log.String(), "outbound sms.x: answered: status 401")
	require.NotContains(t, log.String(), "hunter2")
}
