package web_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

// largeBody is more than the buffers of a connection hold, in bytes.
const largeBody = 12 << 20

// serveLarge serves answers and bodies of 12 MiB.
func serveLarge(t *testing.T, options ...func(*web.Settings)) *service {
	t.Helper()
	settings := quiet()
	for _, option := range options {
		option(&settings)
	}
	require.NoError(t, settings.Validate())
	s := &service{log: &log{}}
	s.API = web.New(settings, companies{}, web.About{}, slog.New(slog.NewTextHandler(s.log, nil)))
	operation := func(method, id string) web.Operation {
		return web.Operation{
			Method: method, Path: "/" + id, ID: id, Summary: "Read", Access: web.Read, Callers: web.OfBoth, Errors: []*errs.Error{errNoThing},
		}
	}
	text := strings.Repeat("x", largeBody)
	require.NoError(t, s.Mount("large", func(r *web.Router) {
		web.Register(r, operation(http.MethodGet, "answer"), func(context.Context, *struct{}) (*struct{ Body string }, error) {
			return &struct{ Body string }{Body: text}, nil
		})
		web.Register(r, operation(http.MethodGet, "small"), func(context.Context, *struct{}) (*struct{ Body string }, error) {
			return &struct{ Body string }{Body: "small"}, nil
		})
		post := operation(http.MethodPost, "body")
		post.MaxBody, post.RequestSchema = largeBody, anyObject
		web.Register(r, post, func(context.Context, *rawThing) (*struct{ Body string }, error) {
			return &struct{ Body string }{Body: "read"}, nil
		})
	}))
	require.NoError(t, s.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, s.Stop(context.WithoutCancel(t.Context()))) })

	return s
}

// askLarge asks for a large answer with the token "one", and reads nothing of its answer.
func (s *service) askLarge(t *testing.T) net.Conn {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.Address())
	require.NoError(t, err)
	require.NoError(t, c.(*net.TCPConn).SetReadBuffer(4<<10))
	_, err = io.WriteString(c, "GET /large/api/v1/answer HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer one\r\n\r\n")
	require.NoError(t, err)

	return c
}

// fill asks for large answers, of which nothing is read, until something else is refused: one that comes while the room
// is taken by what asks whether it is, is refused itself.
func (s *service) fill(t *testing.T, refused func() bool) (held []net.Conn) {
	t.Helper()
	require.Eventually(t, func() bool {
		held = append(held, s.askLarge(t))

		return refused()
	}, time.Minute, tick)

	return held
}

func overloadedWith(t *testing.T, s *service, token, path, code string) func() bool {
	t.Helper()

	return func() bool {
		answer := s.call(t, http.MethodGet, path, "", "Authorization: Bearer "+token)

		return answer.StatusCode == http.StatusServiceUnavailable && strings.Contains(answer.body, code)
	}
}

func TestSlot_IsHeldUntilTheAnswerIsSent(t *testing.T) {
	t.Parallel()
	s := serveLarge(t, func(s *web.Settings) {
		s.Overload.MaxInFlight, s.Overload.MaxWait, s.Overload.CompanyPercent = 2, time.Millisecond, 100
	})
	held := s.fill(t, overloadedWith(t, s, "two", "/large/api/v1/small", "web.overloaded"))
	for _, c := range held {
		require.NoError(t, c.Close())
	}
	require.Eventually(t, func() bool {
		return s.call(t, http.MethodGet, "/large/api/v1/small", "", "Authorization: Bearer two").StatusCode == http.StatusOK
	}, time.Minute, tick)
}

func TestAnswer_OfWhoDoesNotReadIsCutOff(t *testing.T) {
	t.Parallel()
	s := serveLarge(t, func(s *web.Settings) {
		s.WriteTimeout = 50 * time.Millisecond
		s.Overload.MaxInFlight, s.Overload.MaxWait, s.Overload.CompanyPercent = 1, time.Millisecond, 100
	})
	held := s.fill(t, overloadedWith(t, s, "two", "/large/api/v1/small", "web.overloaded"))
	require.Eventually(t, func() bool {
		return s.call(t, http.MethodGet, "/large/api/v1/small", "", "Authorization: Bearer two").StatusCode == http.StatusOK
	}, time.Minute, tick)
	for _, c := range held {
		// What was refused stays open.
		require.NoError(t, c.SetReadDeadline(time.Now().Add(time.Second))) //nolint:forbidigo // of a connection, which knows no other clock
		n, _ := io.Copy(io.Discard, c)                                     //nolint:errcheck // it ends as it ends
		require.Less(t, n, int64(largeBody))
		require.NoError(t, c.Close())
	}
}

func TestAnswers_WhoseMemoryIsTakenAreRefusedAndLeaveSomeToOthers(t *testing.T) {
	t.Parallel()
	s := serveLarge(t, func(s *web.Settings) {
		s.Overload.MaxMemory, s.Overload.MaxWait, s.Overload.CompanyPercent = 64*config.MiB, time.Millisecond, 50
	})
	const path = "/large/api/v1/answer"
	held := s.fill(t, overloadedWith(t, s, "one", "/large/api/v1/answer", "web.memory_full"))
	s.call(t, http.MethodGet, "/large/api/v1/small", "", "Authorization: Bearer one").ok(t)
	s.call(t, http.MethodGet, path, "", "Authorization: Bearer two").ok(t)
	for _, c := range held {
		require.NoError(t, c.Close())
	}
	require.Eventually(t, func() bool {
		return s.call(t, http.MethodGet, path, "", "Authorization: Bearer one").StatusCode == http.StatusOK
	}, time.Minute, tick)
}

func TestBody_TakesItsRoomBeforeItIsRead(t *testing.T) {
	t.Parallel()
	s := serveLarge(t, func(s *web.Settings) {
		s.Overload.MaxMemory, s.Overload.MaxWait, s.Overload.CompanyPercent = 96*config.MiB, time.Millisecond, 100
	})
	begin := func() net.Conn {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.Address())
		require.NoError(t, err)
		_, err = io.WriteString(c, "POST /large/api/v1/body HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer one\r\nContent-Type: application/json\r\nContent-Length: 8000000\r\n\r\n{")
		require.NoError(t, err)

		return c
	}
	body := `{"a": "` + strings.Repeat("x", 7_000_000) + `"}`
	post := func() reply {
		return s.call(t, http.MethodPost, "/large/api/v1/body", body, "Authorization: Bearer two")
	}
	var begun []net.Conn // one that comes while post has the room is refused
	require.Eventually(t, func() bool {
		begun = append(begun, begin())

		return post().StatusCode == http.StatusServiceUnavailable
	}, time.Minute, tick)
	s.call(t, http.MethodPost, "/large/api/v1/body", "{}", "Authorization: Bearer two").ok(t)
	for _, c := range begun {
		require.NoError(t, c.Close())
	}
	require.Eventually(t, func() bool { return post().StatusCode == http.StatusOK }, time.Minute, tick)
}

//nolint:paralleltest // it measures the memory of the process
func TestAnswers_OfThoseWhoDoNotReadTakeNoMoreThanTheyMay(t *testing.T) {
	const readers = 40
	s := serveLarge(t, func(s *web.Settings) {
		s.Overload.MaxMemory, s.Overload.MaxWait, s.Overload.CompanyPercent = 64*config.MiB, time.Millisecond, 100
	})
	before := heap()
	held := s.fill(t, overloadedWith(t, s, "one", "/large/api/v1/answer", "web.memory_full"))
	for range readers {
		held = append(held, s.askLarge(t))
	}
	require.Eventually(t, func() bool { return heap()-before < 90<<20 }, time.Minute, tick)
	for _, c := range held {
		require.NoError(t, c.Close())
	}
}
