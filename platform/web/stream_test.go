package web_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/telemetry"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/sse"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

const flowsPath = "/flows/api/v1/"

// flow is a GET that answers with a stream.
func flow(id string, media ...string) web.Operation {
	return web.Operation{
		Method: http.MethodGet, Path: "/" + id, ID: id, Summary: "Stream", Access: web.Read, Callers: web.OfBoth,
		Errors: []*errs.Error{errNoThing}, Produces: media,
	}
}

// serveFlows serves what mount declares until the test ends.
func serveFlows(t testing.TB, mount func(r *web.Router), options ...func(*web.Settings)) *service {
	t.Helper()
	s := buildFlows(t, mount, options...)
	require.NoError(t, s.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, s.Stop(context.WithoutCancel(t.Context()))) })

	return s
}

func buildFlows(t testing.TB, mount func(r *web.Router), options ...func(*web.Settings)) *service {
	t.Helper()
	settings := web.Defaults()
	settings.Address = "127.0.0.1:0"
	for _, option := range options {
		option(&settings)
	}
	require.NoError(t, settings.Validate())
	s := &service{log: &log{}}
	s.API = web.New(settings, tokens{}, web.About{Name: "dispatchd"}, slog.New(slog.NewTextHandler(s.log, nil)))
	require.NoError(t, s.Mount("flows", mount))

	return s
}

// serveStream serves one stream.
func serveStream(t testing.TB, write func(context.Context, io.Writer) error, options ...func(*web.Settings)) *service {
	t.Helper()

	return serveFlows(t, streamOf(write), options...)
}

func streamOf(write func(context.Context, io.Writer) error) func(*web.Router) {
	return func(r *web.Router) {
		web.Register(r, flow("stream", "text/csv"), func(context.Context, *struct{}) (*stream.Stream, error) {
			return stream.New("text/csv; charset=utf-8", write).Attachment("Fahrten ‟1”.csv").Tagged("v1"), nil
		})
	}
}

// open sends a GET and returns the answer while its body still comes.
func (s *service) open(t testing.TB, path string, headers ...string) reply {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.Address()+flowsPath+path, http.NoBody)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer all")
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		request.Header.Set(name, value)
	}
	response, err := plainly.RoundTrip(request)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, response.Body.Close()) })

	return reply{Response: response}
}

// eventuallyLogged waits for a line of the access log.
func (s *service) eventuallyLogged(t *testing.T, text string) {
	t.Helper()
	require.Eventually(t, func() bool { return strings.Contains(s.log.String(), text) }, waiting, tick, text)
}

func TestStream_SendsWhatIsWritten(t *testing.T) {
	t.Parallel()
	s := serveStream(t, func(_ context.Context, w io.Writer) error {
		rows := csv.NewWriter(w)
		for i := range 20_000 {
			if err := rows.Write([]string{"row", fmt.Sprint(i)}); err != nil { //nolint:perfsprint // a test
				return err
			}
		}
		rows.Flush()

		return rows.Error()
	})
	r := s.call(t, http.MethodGet, flowsPath+"stream", "").ok(t)

	require.Equal(t, 20_000, strings.Count(r.body, "\n"))
	require.True(t, strings.HasSuffix(r.body, "row,19999\n"))
	require.Equal(t, "text/csv; charset=utf-8", r.Header.Get("Content-Type"))
	require.Equal(t, `attachment; filename="Fahrten _1_.csv"; filename*=utf-8''Fahrten%20%E2%80%9F1%E2%80%9D.csv`, r.Header.Get("Content-Disposition"))
	require.Equal(t, `"v1"`, r.Header.Get("ETag"))
	require.Equal(t, "private, no-cache", r.Header.Get("Cache-Control"))
	require.NotEmpty(t, r.Header.Get("X-Request-Id"))
	require.NotEmpty(t, r.Header.Get("RateLimit"))
	require.Equal(t, int64(-1), r.ContentLength)
	s.eventuallyLogged(t, "status=200")
	s.eventuallyLogged(t, "end=done")
}

func TestStream_OfAFewBytesHasALength(t *testing.T) {
	t.Parallel()
	s := serveStream(t, func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, "a,b\n")

		return err
	})
	r := s.call(t, http.MethodGet, flowsPath+"stream", "").ok(t)

	require.Equal(t, "a,b\n", r.body)
	require.Equal(t, int64(4), r.ContentLength)
}

func TestStream_HEADWritesNothing(t *testing.T) {
	t.Parallel()
	s := serveStream(t, func(context.Context, io.Writer) error { panic("written for HEAD") })
	r := s.call(t, http.MethodHead, flowsPath+"stream", "").ok(t)

	require.Empty(t, r.body)
	require.Equal(t, "text/csv; charset=utf-8", r.Header.Get("Content-Type"))
	require.Equal(t, `"v1"`, r.Header.Get("ETag"))
	require.Equal(t, http.StatusNotModified, s.call(t, http.MethodGet, flowsPath+"stream", "", `If-None-Match: "v1"`).StatusCode)
	require.Equal(t, 404, s.call(t, http.MethodGet, "/nothing", "").StatusCode, "the connection is fine")
}

func TestStream_KnowsWhoseItIsAndHasNoDeadlineOfTheRequest(t *testing.T) {
	t.Parallel()
	ids := make(chan string, 1)
	s := serveStream(t, func(ctx context.Context, w io.Writer) error {
		who, ok := principal.From(ctx)
		if !ok || who.Kind != principal.User || telemetry.Area(ctx) != "flows" || web.ClientIP(ctx) != "127.0.0.1" {
			return errors.New("the stream does not know whose it is")
		}
		until, _ := ctx.Deadline()
		if time.Until(until) < time.Minute {
			return errors.New("the stream has the deadline of the request")
		}
		ids <- telemetry.RequestID(ctx)

		return nil
	}, func(s *web.Settings) { s.RequestTimeout = 10 * time.Second })
	r := s.call(t, http.MethodGet, flowsPath+"stream", "").ok(t)

	require.Equal(t, r.Header.Get("X-Request-Id"), <-ids)
}

func TestStream_EndsItsContextWhenTheClientGoesAway(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	s := serveStream(t, func(ctx context.Context, w io.Writer) error {
		if err := stream.Flush(w); err != nil {
			return err
		}
		<-ctx.Done()
		ended <- context.Cause(ctx)

		return nil
	})
	response := s.open(t, "stream")
	require.NoError(t, response.Body.Close())

	require.ErrorContains(t, <-ended, "went away")
	s.eventuallyLogged(t, "end=gone")
}

func TestStream_ThatFailsBeforeTheFirstByteIsAnsweredWithTheError(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		write  func(context.Context, io.Writer) error
		status int
		code   string
	}{
		"expected": {func(context.Context, io.Writer) error { return errNoThing }, 404, "things.not_found"},
		"after some that was not sent": {func(_ context.Context, w io.Writer) error {
			_, err := io.WriteString(w, "a,b\n")

			return errors.Join(err, errors.New("secret of the database"))
		}, 500, "web.internal"},
		"panic": {func(context.Context, io.Writer) error { panic("secret of the panic") }, 500, "web.internal"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serveStream(t, test.write)
			r := s.call(t, http.MethodGet, flowsPath+"stream", "")

			require.Equal(t, test.code, r.refused(t, test.status).Code)
			require.Empty(t, r.Header.Get("Content-Disposition"))
			require.Empty(t, r.Header.Get("ETag"))
			require.Equal(t, "no-store", r.Header.Get("Cache-Control"))
			s.eventuallyLogged(t, "end=failed")
		})
	}
}

func TestStream_ThatFailsLaterIsNotTakenForTheWhole(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]func(context.Context) error{
		"error": func(context.Context) error { return errNoThing },
		"panic": func(context.Context) error { panic("secret of the panic") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serveStream(t, func(ctx context.Context, w io.Writer) error {
				if _, err := io.WriteString(w, "a,b\n"); err != nil {
					return err
				}
				if err := stream.Flush(w); err != nil {
					return err
				}

				return after(ctx)
			})
			text, err := io.ReadAll(s.open(t, "stream").Body)

			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			require.Equal(t, "a,b\n", string(text))
			s.eventuallyLogged(t, "end=failed")
			s.call(t, http.MethodGet, "/healthz", "").ok(t)

			old := s.raw(t, "GET "+flowsPath+"stream HTTP/1.0\r\nAuthorization: Bearer all\r\n\r\n")
			_, err = io.ReadAll(old)
			require.Error(t, err, "HTTP/1.0 has no other way to say so")
		})
	}
}

// raw sends a request as it is.
func (s *service) raw(t testing.TB, request string) net.Conn {
	t.Helper()
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.Address())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, ignoreClosed(connection.Close())) })
	_, err = io.WriteString(connection, request)
	require.NoError(t, err)

	return connection
}

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}

	return err
}

func TestStream_ForHTTP10EndsWithTheConnection(t *testing.T) {
	t.Parallel()
	s := serveStream(t, func(_ context.Context, w io.Writer) error {
		_, err := w.Write(bytes.Repeat([]byte("x"), 100_000))

		return err
	})
	response, err := http.ReadResponse(bufio.NewReader(s.raw(t, "GET "+flowsPath+"stream HTTP/1.0\r\nAuthorization: Bearer all\r\n\r\n")), nil)
	require.NoError(t, err)
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())

	require.Empty(t, response.TransferEncoding)
	require.Len(t, text, 100_000)
}

func TestStream_OfAnotherSizeThanItSaidIsCutOff(t *testing.T) {
	t.Parallel()
	s := serveFlows(t, func(r *web.Router) {
		for id, size := range map[string]int64{"more": 50_000, "less": 150_000, "right": 100_000} {
			web.Register(r, flow(id, "text/csv"), func(context.Context, *struct{}) (*stream.Stream, error) {
				return stream.New("text/csv", func(_ context.Context, w io.Writer) error {
					for range 10 {
						if _, err := w.Write(make([]byte, 10_000)); err != nil {
							return err
						}
					}

					return nil
				}).Sized(size), nil
			})
		}
	})
	right := s.call(t, http.MethodGet, flowsPath+"right", "").ok(t)
	require.Equal(t, int64(100_000), right.ContentLength)
	require.Len(t, right.body, 100_000)
	for _, wrong := range []string{"more", "less"} {
		_, err := io.ReadAll(s.open(t, wrong).Body)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, wrong)
	}
}

func TestStream_SendsSoonWhatIsWrittenSlowly(t *testing.T) {
	t.Parallel()
	s := serveStream(t, func(ctx context.Context, w io.Writer) error {
		if _, err := io.WriteString(w, "a,b\n"); err != nil {
			return err
		}
		<-ctx.Done()

		return nil
	})
	line, err := bufio.NewReader(s.open(t, "stream").Body).ReadString('\n')

	require.NoError(t, err)
	require.Equal(t, "a,b\n", line)
}

func TestStream_CutsOffAClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	failed := make(chan error, 1)
	s := serveStream(t, func(_ context.Context, w io.Writer) error {
		for {
			if _, err := w.Write(make([]byte, 64<<10)); err != nil {
				failed <- err

				return err
			}
		}
	}, func(s *web.Settings) { s.Streams.WriteTimeout = 100 * time.Millisecond })
	s.raw(t, "GET "+flowsPath+"stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer all\r\n\r\n")

	require.ErrorContains(t, <-failed, "timeout")
	s.eventuallyLogged(t, "end=slow")
}

func TestStream_EndsAfterItsTime(t *testing.T) {
	t.Parallel()
	s := serveStream(t, waitFor, func(s *web.Settings) { s.Streams.MaxDuration = 50 * time.Millisecond })
	_, err := io.ReadAll(s.open(t, "stream").Body)

	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	s.eventuallyLogged(t, "end=too_long")
}

// waitFor begins a stream, and waits for its context.
func waitFor(ctx context.Context, w io.Writer) error {
	if err := stream.Flush(w); err != nil {
		return err
	}
	<-ctx.Done()

	return nil
}

func TestStop_LetsAStreamFinish(t *testing.T) {
	t.Parallel()
	leave := make(chan struct{})
	s := buildFlows(t, streamOf(func(ctx context.Context, w io.Writer) error {
		if err := stream.Flush(w); err != nil {
			return err
		}
		select {
		case <-leave:
		case <-ctx.Done():
		}
		_, err := io.WriteString(w, "the end")

		return err
	}))
	require.NoError(t, s.Start(t.Context()))
	response := s.open(t, "stream")
	stopped := make(chan error, 1)
	go func() { stopped <- s.Stop(t.Context()) }()
	require.Eventually(t, func() bool { return refusesConnections(t, response.Request.Host) }, waiting, tick)
	require.Empty(t, stopped)
	close(leave)
	text, err := io.ReadAll(response.Body)

	require.NoError(t, err)
	require.Equal(t, "the end", string(text))
	require.NoError(t, <-stopped)
}

func refusesConnections(t *testing.T, address string) bool {
	t.Helper()
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	if err == nil {
		require.NoError(t, connection.Close())
	}

	return err != nil
}

func TestStop_CutsOffAStreamThatDoesNotFinish(t *testing.T) {
	t.Parallel()
	s := buildFlows(t, streamOf(waitFor), func(s *web.Settings) { s.Streams.StopGrace = 10 * time.Millisecond })
	require.NoError(t, s.Start(t.Context()))
	response := s.open(t, "stream")

	require.NoError(t, s.Stop(t.Context()))
	_, err := io.ReadAll(response.Body)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Contains(t, s.log.String(), "end=stopped")
}

func TestStop_DoesNotHangOnAStreamThatDoesNotListen(t *testing.T) {
	t.Parallel()
	free := make(chan struct{})
	t.Cleanup(func() { close(free) })
	s := buildFlows(t, streamOf(func(_ context.Context, w io.Writer) error {
		if err := stream.Flush(w); err != nil {
			return err
		}
		<-free

		return nil
	}), func(s *web.Settings) { s.ShutdownGrace = 50 * time.Millisecond })
	require.NoError(t, s.Start(t.Context()))
	response := s.open(t, "stream")

	require.NoError(t, s.Stop(t.Context()))
	_, err := io.ReadAll(response.Body)
	require.Error(t, err)
	require.Contains(t, s.log.String(), "streams cut off")
}

func TestStreams_HaveALimitOfTheirOwn(t *testing.T) {
	t.Parallel()
	s := serveFlows(t, streamOf(waitFor), func(s *web.Settings) {
		s.Streams.MaxOpen, s.Streams.MaxPerCompany = 3, 2
		s.Overload.MaxInFlight = 1
	})
	first := s.open(t, "stream")
	s.open(t, "stream")

	r := s.call(t, http.MethodGet, flowsPath+"stream", "")
	require.Equal(t, "web.company_streams", r.refused(t, 429).Code)
	require.NotEmpty(t, r.Header.Get("Retry-After"))
	operator := "Authorization: Bearer operator"
	third := s.open(t, "stream", operator)
	require.Equal(t, "web.too_many_streams", s.call(t, http.MethodGet, flowsPath+"stream", "", operator).refused(t, 503).Code)
	require.NoError(t, third.Body.Close())
	require.NoError(t, first.Body.Close())
	require.Eventually(t, func() bool {
		response := s.open(t, "stream")

		return response.StatusCode == http.StatusOK || response.Body.Close() != nil
	}, waiting, tick, "a place comes back")
}

func TestStreams_HEADAndFailuresGiveTheirPlaceBack(t *testing.T) {
	t.Parallel()
	closed := make(chan struct{}, 8)
	s := serveFlows(t, func(r *web.Router) {
		web.Register(r, flow("fail", "text/csv"), func(context.Context, *struct{}) (*stream.Stream, error) { return nil, errNoThing })
		web.Register(r, flow("defect", "text/csv"), func(context.Context, *struct{}) (*stream.Stream, error) {
			return stream.New("image/png", waitFor).Closing(closing(closed)), nil
		})
		web.Register(r, flow("file", "text/csv"), func(context.Context, *struct{}) (*stream.Stream, error) {
			return stream.NewDownload("text/csv", strings.NewReader("1,2")).Closing(closing(closed)), nil
		})
	}, func(s *web.Settings) { s.Streams.MaxOpen = 1 })
	for range 2 {
		s.call(t, http.MethodGet, flowsPath+"fail", "").refused(t, 404)
		s.call(t, http.MethodGet, flowsPath+"defect", "").refused(t, 500)
		s.call(t, http.MethodHead, flowsPath+"file", "").ok(t)
		s.call(t, http.MethodGet, flowsPath+"file", "", "Range: bytes=9-").refused(t, 416)
	}
	for range 6 {
		<-closed
	}
	require.Equal(t, "1,2", s.call(t, http.MethodGet, flowsPath+"file", "").ok(t).body)
	<-closed
}

// closing counts what is closed.
type closing chan struct{}

func (c closing) Close() error {
	c <- struct{}{}

	return nil
}

func TestLines_AreOneValueEach(t *testing.T) {
	t.Parallel()
	s := serveFlows(t, func(r *web.Router) {
		web.Register(r, flow("lines", "application/x-ndjson"), func(context.Context, *struct{}) (*stream.Stream, error) {
			return stream.Lines(func(ctx context.Context) iter.Seq2[thing, error] {
				return func(yield func(thing, error) bool) {
					for _, name := range []string{"one", "two"} {
						if !yield(thing{Name: name}, ctx.Err()) {
							return
						}
					}
				}
			}), nil
		})
	})
	r := s.call(t, http.MethodGet, flowsPath+"lines", "").ok(t)

	require.Equal(t, "application/x-ndjson", r.Header.Get("Content-Type"))
	lines := strings.Split(strings.TrimSpace(r.body), "\n")
	require.Len(t, lines, 2)
	var second thing
	require.NoError(t, json.Unmarshal([]byte(lines[1]), &second))
	require.Equal(t, "two", second.Name)
}

// goodFor knows every token for a while, and in between is away.
type goodFor struct {
	tokens

	mu   sync.Mutex
	left int
}

func (g *goodFor) Authenticate(ctx context.Context, bearer string) (principal.Principal, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.left--
	switch {
	case g.left == 1:
		return principal.Principal{}, errAway
	case g.left < 0:
		return principal.Principal{}, errToken
	default:
		return g.tokens.Authenticate(ctx, bearer)
	}
}

func TestStream_EndsWhenTheTokenIsNoLongerGood(t *testing.T) {
	t.Parallel()
	good := &goodFor{left: 3}
	settings := web.Defaults()
	settings.Address, settings.Streams.Recheck = "127.0.0.1:0", 10*time.Millisecond
	s := &service{log: &log{}}
	s.API = web.New(settings, good, web.About{}, slog.New(slog.NewTextHandler(s.log, nil)))
	require.NoError(t, s.Mount("flows", streamOf(waitFor)))
	require.NoError(t, s.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, s.Stop(context.WithoutCancel(t.Context()))) })
	response := s.open(t, "stream")
	_, err := io.ReadAll(response.Body)

	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	s.eventuallyLogged(t, "end=revoked")
}

func TestStream_DeclarationIsChecked(t *testing.T) {
	t.Parallel()
	s := buildFlows(t, func(*web.Router) {})
	err := s.Mount("wrong", func(r *web.Router) {
		web.Register(r, flow("silent"), func(context.Context, *struct{}) (*stream.Stream, error) { return nil, nil })
		web.Register(r, flow("needless", "text/csv"), func(context.Context, *struct{}) (*struct{}, error) { return nil, nil })
		web.Register(r, flow("events"), func(context.Context, *struct{}) (*sse.Events, error) { return nil, nil })
		web.Register(r, flow("embedded", "text/csv"), func(context.Context, *struct{}) (*struct{ stream.Stream }, error) { return nil, nil })
	})

	for _, id := range []string{"silent", "needless", "events", "embedded"} {
		require.ErrorContains(t, err, `operation "`+id+`"`)
	}
}

func TestStream_IsInTheDocument(t *testing.T) {
	t.Parallel()
	s := buildFlows(t, func(r *web.Router) {
		streamOf(waitFor)(r)
		op := flow("export", "text/csv")
		op.Method = http.MethodPost
		web.Register(r, op, func(context.Context, *struct{ Body thing }) (*stream.Stream, error) { return nil, nil })
	})
	text, err := s.OpenAPI()
	require.NoError(t, err)
	var document struct {
		Paths map[string]map[string]struct {
			Parameters []struct{ Name string }
			Responses  map[string]struct{ Content map[string]any }
		}
	}
	require.NoError(t, json.Unmarshal(text, &document))

	get := document.Paths[flowsPath+"stream"]["get"]
	require.Contains(t, get.Responses["200"].Content, "text/csv")
	require.Contains(t, get.Responses, "416")
	require.Empty(t, document.Paths[flowsPath+"export"]["post"].Parameters, "no Idempotency-Key")
}
