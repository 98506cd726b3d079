package web_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/web"
)

func TestStart_SaysThatTheAddressIsTaken(t *testing.T) {
	t.Parallel()
	first := start(t)
	second := build(t, func(s *web.Settings) { s.Address = first.Address() })

	err := second.Start(t.Context())
	require.ErrorContains(t, err, "web.address "+first.Address()+" is taken")
	require.Empty(t, second.Address())
	require.NoError(t, second.Stop(t.Context()))
}

func TestStart_ServesAgainAfterStop(t *testing.T) {
	t.Parallel()
	s := build(t)
	for range 2 {
		require.NoError(t, s.Start(t.Context()))
		s.call(t, http.MethodGet, things, "").ok(t)
		require.NoError(t, s.Stop(t.Context()))
		require.Empty(t, s.Address())
	}
}

func TestStop_WaitsForRequestsInFlight(t *testing.T) {
	t.Parallel()
	s := build(t)
	require.NoError(t, s.Start(t.Context()))
	address := s.Address()
	answered := s.callInBackground(t, failPath+"wait")
	<-s.area.enter

	stopped := make(chan error, 1)
	go func() { stopped <- s.Stop(t.Context()) }()
	require.Eventually(t, func() bool {
		connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		if err == nil {
			require.NoError(t, connection.Close())
		}

		return err != nil
	}, waiting, tick, "no new connections")
	require.Empty(t, stopped)
	close(s.area.leave)

	require.Equal(t, http.StatusOK, <-answered)
	require.NoError(t, <-stopped)
}

func TestStop_CutsOffWhatIsLeftAfterTheGracePeriod(t *testing.T) {
	t.Parallel()
	s := build(t, func(s *web.Settings) { s.ShutdownGrace = 50 * time.Millisecond })
	require.NoError(t, s.Start(t.Context()))
	idle, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.Address())
	require.NoError(t, err)
	_, err = fmt.Fprint(idle, "GET / HT")
	require.NoError(t, err)
	answered := s.callInBackground(t, failPath+"wait")
	inFlight := <-s.area.enter

	require.NoError(t, s.Stop(t.Context()))

	require.Error(t, inFlight.Err())
	require.Equal(t, http.StatusServiceUnavailable, <-answered)
	_, err = io.ReadAll(idle)
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded, "closed by the server")
	require.NoError(t, idle.Close())
}

// A body that nobody read must not be taken for the next request of its connection.
func TestConnection_SurvivesABodyThatWasNotRead(t *testing.T) {
	t.Parallel()
	s := start(t)
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.Address())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, connection.Close()) })
	reader := bufio.NewReader(connection)
	trap := "GET /things/api/v1/fail/smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
	body := strings.Repeat(trap, 2000)

	for _, head := range []string{
		"POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s",
		"POST /things/api/v1/things HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s",
		"BREW / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s",
		"POST /nothing HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n",
	} {
		_, err = fmt.Fprintf(connection, head, len(body), body)
		require.NoError(t, err)
		response, err := http.ReadResponse(reader, nil)
		require.NoError(t, err)
		require.GreaterOrEqual(t, response.StatusCode, 400)
		_, err = io.Copy(io.Discard, response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.False(t, response.Close)
	}
	_, err = fmt.Fprint(connection, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
	require.NoError(t, err)
	response, err := http.ReadResponse(reader, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.NoError(t, response.Body.Close())
	require.NotContains(t, s.log.String(), "fail/{how}")
}

func TestBody_ThatArrivesTooSlowlyIs408(t *testing.T) {
	t.Parallel()
	s := start(t, func(s *web.Settings) { s.ReadTimeout = 100 * time.Millisecond })
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.Address())
	require.NoError(t, err)
	_, err = fmt.Fprint(connection, "POST /things/api/v1/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer all\r\n"+
		"Content-Length: 50000\r\n\r\n"+strings.Repeat("x", 20_000))
	require.NoError(t, err)
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	require.NoError(t, err)

	require.Equal(t, http.StatusRequestTimeout, response.StatusCode)
	require.True(t, response.Close)
	require.NoError(t, response.Body.Close())
	require.NoError(t, connection.Close())
}

func TestAPI_TwoLiveInOneProcess(t *testing.T) {
	t.Parallel()
	quiet := start(t)
	chatty := start(t, func(s *web.Settings) { s.Debug = true })

	require.Empty(t, quiet.call(t, http.MethodGet, "/x", "").refused(t, 404).Exception)
	require.NotEmpty(t, chatty.call(t, http.MethodGet, "/x", "").refused(t, 404).Exception)
	quiet.call(t, http.MethodPost, things, "{}").refused(t, 422)
	require.NotContains(t, chatty.log.String(), "status=422")
}

func TestStop_RightAfterStart(t *testing.T) {
	t.Parallel()
	s := build(t)
	for range 20 {
		require.NoError(t, s.Start(t.Context()))
		require.NoError(t, s.Stop(t.Context()))
	}
}

// callInBackground calls without waiting for the answer, whose status comes later; zero is none.
func (s *service) callInBackground(t *testing.T, path string) <-chan int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.Address()+path, nil)
	require.NoError(t, err)
	status := make(chan int, 1)
	go func() {
		response, err := plainly.RoundTrip(request)
		if err != nil || response.Body.Close() != nil {
			status <- 0

			return
		}
		status <- response.StatusCode
	}()

	return status
}
