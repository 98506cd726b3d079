package web_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// line is one connection of a client.
type line struct {
	net.Conn

	answers *bufio.Reader
}

func (s *service) dial(t *testing.T) *line {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.Address())
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() }) //nolint:errcheck // a test may have closed it

	return &line{Conn: c, answers: bufio.NewReader(c)}
}

// ask sends a GET, with further lines of its head.
func (l *line) ask(t *testing.T, path string, headers ...string) {
	t.Helper()
	_, err := io.WriteString(l, "GET "+flowsPath+path+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer all\r\n"+
		strings.Join(append(headers, "\r\n"), "\r\n"))
	require.NoError(t, err)
}

// answer reads the head of an answer, and its body with the error that ended it.
func (l *line) answer(t *testing.T) (*http.Response, string, error) {
	t.Helper()
	response, err := http.ReadResponse(l.answers, nil)
	require.NoError(t, err)
	text, err := io.ReadAll(response.Body)

	return response, string(text), err
}

// breaking is a source that fails in the middle.
type breaking struct{ io.ReadSeeker }

func (f breaking) Read(p []byte) (int, error) {
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil || at >= 100_000 {
		return 0, errors.Join(err, errAway)
	}

	return f.ReadSeeker.Read(p[:min(len(p), 1000)])
}

const fileSize = 200_000

// files declares downloads: one of a good source, one of one that fails, and one that never ends in practice.
func files(r *web.Router) {
	for id, source := range map[string]func() io.ReadSeeker{
		"good":  func() io.ReadSeeker { return strings.NewReader(strings.Repeat("x", fileSize)) },
		"fails": func() io.ReadSeeker { return breaking{strings.NewReader(strings.Repeat("x", fileSize))} },
		"huge":  func() io.ReadSeeker { return strings.NewReader(strings.Repeat("x", 1<<28)) },
	} {
		web.Register(r, flow(id, "text/plain"), func(context.Context, *struct{}) (*stream.Stream, error) {
			return stream.NewDownload("text/plain", source()), nil
		})
	}
	streamOf(func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, "rows")

		return err
	})(r)
}

func TestDownload_LeavesTheConnectionToTheNext(t *testing.T) {
	t.Parallel()
	s := serveFlows(t, files)
	l := s.dial(t)
	for range 3 {
		l.ask(t, "good")
		response, text, err := l.answer(t) //nolint:bodyclose // it is read to its end, and its end is that of the connection
		require.NoError(t, err)
		require.False(t, response.Close)
		require.Len(t, text, fileSize)
	}
	l.ask(t, "good", "Range: bytes=0-9")
	response, text, err := l.answer(t) //nolint:bodyclose // it is read to its end, and its end is that of the connection
	require.NoError(t, err)
	require.Equal(t, http.StatusPartialContent, response.StatusCode)
	require.Equal(t, strings.Repeat("x", 10), text)
	l.ask(t, "nothing")
	response, _, err = l.answer(t) //nolint:bodyclose // it is read to its end, and its end is that of the connection
	require.NoError(t, err)
	require.Equal(t, http.StatusNotFound, response.StatusCode)
	require.Equal(t, 4, strings.Count(s.log.String(), "end=done"))
}

func TestDownload_ServesWhatWasAskedForMeanwhile(t *testing.T) {
	t.Parallel()
	s := serveFlows(t, files)
	l := s.dial(t)
	for range 5 {
		l.ask(t, "good")
	}
	for range 5 {
		response, text, err := l.answer(t) //nolint:bodyclose // it is read to its end, and its end is that of the connection
		require.NoError(t, err)
		require.False(t, response.Close)
		require.Len(t, text, fileSize)
	}
}

func TestDownload_EndsTheConnectionWhereTheClientWantsIt(t *testing.T) {
	t.Parallel()
	s := serveFlows(t, files)
	for path, header := range map[string]string{"good": "Connection: close", "stream": "Accept: */*"} {
		l := s.dial(t)
		l.ask(t, path, header)
		response, _, err := l.answer(t) //nolint:bodyclose // it is read to its end, and its end is that of the connection
		require.NoError(t, err)
		require.True(t, response.Close, path)
		_, err = l.answers.ReadByte()
		require.ErrorIs(t, err, io.EOF, path)
	}
}

func TestDownload_OfASourceThatFailsIsNotTakenForWhole(t *testing.T) {
	t.Parallel()
	s := serveFlows(t, files)
	l := s.dial(t)
	l.ask(t, "fails")
	response, text, err := l.answer(t) //nolint:bodyclose // it is read to its end, and its end is that of the connection
	require.EqualValues(t, fileSize, response.ContentLength)
	require.Less(t, len(text), fileSize)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	s.eventuallyLogged(t, "end=failed")
}

func TestStop_EndsConnectionsThatWaitAfterADownload(t *testing.T) {
	t.Parallel()
	s := buildFlows(t, files, func(s *web.Settings) { s.ShutdownGrace = time.Hour })
	require.NoError(t, s.Start(t.Context()))
	l := s.dial(t)
	l.ask(t, "good")
	_, _, err := l.answer(t) //nolint:bodyclose // it is read to its end, and its end is that of the connection
	require.NoError(t, err)
	s.eventuallyLogged(t, "end=done")
	ctx, cancel := context.WithTimeout(t.Context(), waiting)
	defer cancel()
	require.NoError(t, s.Stop(ctx))
	require.NoError(t, ctx.Err())
	_, err = l.answers.ReadByte()
	require.Error(t, err)
}

func TestStop_IsNotHeldByAClientThatDoesNotReadADownload(t *testing.T) {
	t.Parallel()
	s := buildFlows(t, files, func(s *web.Settings) {
		s.ShutdownGrace, s.Streams.StopGrace = time.Hour, 10*time.Millisecond
	})
	require.NoError(t, s.Start(t.Context()))
	l := s.dial(t)
	l.ask(t, "good")
	_, _, err := l.answer(t) //nolint:bodyclose // it is read to its end, and its end is that of the connection
	require.NoError(t, err)
	l.ask(t, "huge")
	_, err = http.ReadResponse(l.answers, nil) //nolint:bodyclose // nobody reads it
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), waiting)
	defer cancel()
	require.NoError(t, s.Stop(ctx))
	require.NoError(t, ctx.Err())
	s.eventuallyLogged(t, "end=stopped")
}
