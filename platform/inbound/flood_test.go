package inbound_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/inbound/verify"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// peal sends a notification to the endpoint of a company whose bodies may be large.
func (s scene) peal(t *testing.T, to moduletest.Company, body string) moduletest.Response {
	t.Helper()

	return s.Notify(t, pealPath(to), []byte(body), signature, verify.SignDocuSign([]byte("new key"), []byte(body)))
}

func pealPath(to moduletest.Company) string { return "/bell/api/v1/peals/" + to.ID.String() }

// stall sends the beginning of a notification over a connection of its own, and no more.
func (s scene) stall(t *testing.T, to moduletest.Company, header, beginning string) net.Conn {
	t.Helper()
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.API.Address())
	require.NoError(t, err)
	t.Cleanup(func() {
		if err := connection.Close(); err != nil {
			require.ErrorIs(t, err, net.ErrClosed)
		}
	})
	_, err = fmt.Fprintf(connection, "POST %s HTTP/1.1\r\nHost: hooks.example.com\r\nContent-Type: application/json\r\n%s\r\n\r\n%s",
		pealPath(to), header, beginning)
	require.NoError(t, err)

	return connection
}

// chunk is the beginning of a chunk that never ends.
func chunk(size int) string { return "2000000\r\n" + strings.Repeat("x", size) }

func TestReceive_StalledBodiesKeepNobodyElseOut(t *testing.T) {
	t.Parallel()
	for name, attack := range map[string]struct{ header, beginning string }{
		"chunked":                 {"Transfer-Encoding: chunked", ""},
		"chunked, and some of it": {"Transfer-Encoding: chunked", chunk(8 << 10)},
		"a length":                {"Content-Length: 33554432", strings.Repeat("x", 8<<10)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ringing(t, newBell, func(t *testing.T, s scene) {
				other := s.NewCompany(t)
				for range 40 {
					s.stall(t, s.Owner, attack.header, attack.beginning)
				}
				for n := range 20 {
					s.peal(t, other, fmt.Sprintf(`{"n":%d}`, n)).OK(t)
					s.peal(t, s.Owner, fmt.Sprintf(`{"n":%d}`, n)).OK(t)
				}
			})
		})
	}
}

func TestReceive_TakesABurstOnAnIdleService(t *testing.T) {
	t.Parallel()
	ringing(t, newBell, func(t *testing.T, s scene) {
		const burst = 200
		var all sync.WaitGroup
		begin := make(chan struct{})
		statuses := make([]int, burst)
		for n := range burst {
			all.Go(func() {
				<-begin
				statuses[n] = s.ring(t, "new key", fmt.Sprintf(`{"n":%d}`, n)).Status
			})
		}
		close(begin)
		all.Wait()
		for _, status := range statuses {
			require.Equal(t, http.StatusOK, status)
		}
	})
}

// answerOf returns the status that a connection is answered with, and whether it is closed after that.
func answerOf(t *testing.T, connection net.Conn) (status int, closes bool) {
	t.Helper()
	require.NoError(t, connection.SetReadDeadline(time.Now().Add(20*time.Second))) //nolint:forbidigo // a connection knows no other clock
	answer, err := http.ReadResponse(bufio.NewReader(connection), nil)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())

	return answer.StatusCode, answer.Close
}

func TestReceive_CutsOffWhoPauses(t *testing.T) {
	t.Parallel()
	ringing(t, newBell, func(t *testing.T, s scene) {
		for _, stalled := range []net.Conn{
			s.stall(t, s.Owner, "Transfer-Encoding: chunked", chunk(10)),
			s.stall(t, s.Owner, "Content-Length: 33554432", strings.Repeat("x", 8<<10)),
		} {
			status, closes := answerOf(t, stalled)
			require.Equal(t, http.StatusRequestTimeout, status)
			require.True(t, closes)
		}
	}, "inbound.pause=100ms")
}

func TestReceive_CutsOffWhoIsTooSlow(t *testing.T) {
	t.Parallel()
	ringing(t, newBell, func(t *testing.T, s scene) {
		slow := s.stall(t, s.Owner, "Transfer-Encoding: chunked", chunk(1))
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		go func() {
			for range tick.C {
				if _, err := slow.Write([]byte("x")); err != nil {
					return
				}
			}
		}()
		status, _ := answerOf(t, slow)
		require.Equal(t, http.StatusRequestTimeout, status)
	}, "inbound.pause=300ms", "inbound.pace=1KiB")
}

func TestReceive_GivesOneEndpointAPartOfTheRoom(t *testing.T) {
	t.Parallel()
	ringing(t, newBell, func(t *testing.T, s scene) {
		other := s.NewCompany(t)
		half := strings.Repeat("x", 200<<10) // 256 KiB, a quarter of the room
		large := s.stall(t, s.Owner, "Content-Length: 400000", half)
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		go func() {
			for range tick.C {
				if _, err := large.Write([]byte("x")); err != nil {
					return
				}
			}
		}()
		s.Eventually(t, func() bool {
			return s.peal(t, s.Owner, `{"n":1}`).Status == http.StatusServiceUnavailable
		}, "the share of the endpoint is taken")
		s.peal(t, other, `{"n":1}`).OK(t)
		s.ring(t, "new key", `{"n":1}`).Refused(t, http.StatusServiceUnavailable, "inbound.busy")
	}, "inbound.memory=1MiB", "inbound.pause=500ms")
}

func TestReceive_CountsItsTimeFromTheEndOfTheBody(t *testing.T) {
	t.Parallel()
	ringing(t, newBell, func(t *testing.T, s scene) {
		const pieces = 15
		body := `"` + strings.Repeat("x", 100*pieces-2) + `"`
		slow := s.stall(t, s.Owner, fmt.Sprintf("Content-Length: %d\r\n%s: %s", len(body)+16<<10, signature,
			verify.SignDocuSign([]byte("new key"), []byte(strings.Repeat(" ", 16<<10)+body))), strings.Repeat(" ", 16<<10))
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for n := range pieces {
			<-tick.C
			_, err := slow.Write([]byte(body[n*100 : (n+1)*100]))
			require.NoError(t, err)
		}
		status, _ := answerOf(t, slow)
		require.Equal(t, http.StatusOK, status)
	}, "web.request_timeout=1s")
}
