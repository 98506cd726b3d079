package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/sse"
)

type counted struct {
	Number int `json:"number"`
}

// hub counts, and tells everybody who listens.
type hub struct {
	kind sse.Kind[counted]
	gone chan error

	mu    sync.Mutex
	feeds map[*sse.Feed]struct{}
}

func newHub() *hub {
	return &hub{
		kind:  sse.NewKind[counted]("counted", "Somebody counted."),
		gone:  make(chan error, 2000),
		feeds: map[*sse.Feed]struct{}{},
	}
}

func (h *hub) mount(r *web.Router) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/events", ID: "listen", Summary: "Listen", Access: web.Read, Callers: web.OfBoth,
		Errors: []*errs.Error{errNoThing}, Events: []sse.Doc{h.kind},
	}, h.listen)
}

type listenInput struct {
	sse.Resume
}

func (h *hub) listen(_ context.Context, in *listenInput) (*sse.Events, error) {
	return sse.New(func(ctx context.Context, f *sse.Feed) error {
		if after, err := strconv.Atoi(in.After()); err == nil {
			e, err := h.kind.New("", counted{after + 1})
			if err != nil {
				return err
			}
			if err := f.Send(ctx, e); err != nil {
				return err
			}
		}
		h.mu.Lock()
		h.feeds[f] = struct{}{}
		h.mu.Unlock()
		<-ctx.Done()
		h.mu.Lock()
		delete(h.feeds, f)
		h.mu.Unlock()
		h.gone <- context.Cause(ctx)

		return nil
	}), nil
}

func (h *hub) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()

	return len(h.feeds)
}

// broadcast tells everybody, and returns how many took it.
func (h *hub) broadcast(t *testing.T, number int) (took int) {
	t.Helper()
	e, err := h.kind.New(strconv.Itoa(number), counted{number})
	require.NoError(t, err)
	h.mu.Lock()
	defer h.mu.Unlock()
	for f := range h.feeds {
		if f.Offer(e) {
			took++
		}
	}

	return took
}

// listener is a client that listens.
type listener struct {
	conn   net.Conn
	head   reply
	reader *bufio.Reader
}

// listen connects, and reads up to the head of the answer.
func (s *service) listen(t *testing.T, query string, headers ...string) *listener {
	t.Helper()
	conn := s.raw(t, "GET "+flowsPath+"events"+query+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer all\r\n"+strings.Join(headers, "\r\n")+"\r\n\r\n")
	l := &listener{conn: conn}
	head, err := http.ReadResponse(bufio.NewReaderSize(conn, 1024), nil)
	require.NoError(t, err)
	l.head = reply{Response: head}
	t.Cleanup(func() {
		require.NoError(t, ignoreClosed(conn.Close()))
		_ = head.Body.Close() // it may have ended too early
	})
	require.Equal(t, http.StatusOK, l.head.StatusCode)
	l.reader = bufio.NewReaderSize(l.head.Body, 256)

	return l
}

type heard struct{ id, event, data, retry, comment string }

func (e heard) number(t *testing.T) int {
	t.Helper()
	var c counted
	require.NoError(t, json.Unmarshal([]byte(e.data), &c), "%+v", e)

	return c.Number
}

// block reads up to an empty line.
func (l *listener) block(t *testing.T) heard {
	t.Helper()
	require.NoError(t, l.conn.SetReadDeadline(time.Now().Add(waiting))) //nolint:forbidigo // so that a failure is one
	var e heard
	for {
		line, err := l.reader.ReadString('\n')
		require.NoError(t, err)
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			return e
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "id":
			e.id = value
		case "event":
			e.event = value
		case "data":
			e.data = value
		case "retry":
			e.retry = value
		default:
			e.comment = "yes"
		}
	}
}

// next is the next event.
func (l *listener) next(t *testing.T) heard {
	t.Helper()
	for {
		if e := l.block(t); e.event != "" {
			return e
		}
	}
}

// ended asserts that the stream ends, and why.
func (l *listener) ended(t *testing.T, reason string) heard {
	t.Helper()
	for {
		e := l.next(t)
		if e.event != "stream.ended" {
			continue
		}
		require.JSONEq(t, `{"reason":"`+reason+`"}`, e.data)
		_, err := l.reader.ReadByte()
		require.ErrorContains(t, err, "EOF")
		require.NotErrorIs(t, err, net.ErrClosed)
		require.Equal(t, "EOF", err.Error(), "it ends well")

		return e
	}
}

func TestEvents_ReachWhoListens(t *testing.T) {
	t.Parallel()
	h := newHub()
	s := serveFlows(t, h.mount)
	l := s.listen(t, "")
	require.Equal(t, "text/event-stream", l.head.Header.Get("Content-Type"))
	require.Equal(t, "no-store", l.head.Header.Get("Cache-Control"))
	require.Equal(t, "no", l.head.Header.Get("X-Accel-Buffering"))
	require.Equal(t, "3000", l.block(t).retry, "something comes at once")
	require.Eventually(t, func() bool { return h.broadcast(t, 5) == 1 }, waiting, tick)

	require.Equal(t, heard{id: "5", event: "counted", data: `{"number":5}`}, l.block(t))
	require.NoError(t, l.conn.Close())
	require.ErrorContains(t, <-h.gone, "went away")
	s.eventuallyLogged(t, "end=gone")
}

func TestEvents_GoOnWhereTheClientStopped(t *testing.T) {
	t.Parallel()
	s := serveFlows(t, newHub().mount)

	require.Equal(t, 8, s.listen(t, "", "Last-Event-ID: 7").next(t).number(t))
	require.Equal(t, 4, s.listen(t, "?last_event_id=3").next(t).number(t))
	require.Equal(t, 8, s.listen(t, "?last_event_id=3", "Last-Event-ID: 7").next(t).number(t))
}

func TestEvents_SendAHeartbeat(t *testing.T) {
	t.Parallel()
	s := serveFlows(t, newHub().mount, func(s *web.Settings) { s.Streams.Heartbeat = 5 * time.Millisecond })
	l := s.listen(t, "")
	l.block(t)

	for range 3 {
		require.Equal(t, heard{comment: "yes"}, l.block(t))
	}
}

func TestEvents_EndForAClientThatIsTooSlow(t *testing.T) {
	t.Parallel()
	h := newHub()
	s := serveFlows(t, h.mount, func(s *web.Settings) { s.Streams.EventBuffer = 4 })
	l := s.listen(t, "")
	require.Eventually(t, func() bool { return h.count() == 1 }, waiting, tick)
	for h.broadcast(t, 1) == 1 { // until the buffers of the connection are full, too
	}
	require.Zero(t, h.broadcast(t, 1))

	l.ended(t, "too_slow")
	s.eventuallyLogged(t, "end=slow")
	require.Eventually(t, func() bool { return h.count() == 0 }, waiting, tick)
}

func TestEvents_EndWhenTheServiceStops(t *testing.T) {
	t.Parallel()
	h := newHub()
	s := buildFlows(t, h.mount)
	require.NoError(t, s.Start(t.Context()))
	l := s.listen(t, "")
	stopped := make(chan error, 1)
	go func() { stopped <- s.Stop(t.Context()) }()

	retry, err := strconv.Atoi(l.ended(t, "stopped").retry)
	require.NoError(t, err)
	require.GreaterOrEqual(t, retry, 3000)
	require.NoError(t, <-stopped)
}

func TestEvents_EndAfterTheirTime(t *testing.T) {
	t.Parallel()
	s := serveFlows(t, newHub().mount, func(s *web.Settings) { s.Streams.MaxDuration = 20 * time.Millisecond })

	s.listen(t, "").ended(t, "too_long")
	s.eventuallyLogged(t, "end=too_long")
}

func TestEvents_EndWithTheirHandler(t *testing.T) {
	t.Parallel()
	for reason, open := range map[string]func(ctx context.Context, f *sse.Feed) error{
		"done":   func(context.Context, *sse.Feed) error { return nil },
		"failed": func(context.Context, *sse.Feed) error { panic("secret of the panic") },
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			kind := sse.NewKind[counted]("counted", "Somebody counted.")
			s := serveFlows(t, func(r *web.Router) {
				op := flow("events")
				op.Events = []sse.Doc{kind}
				web.Register(r, op, func(context.Context, *struct{}) (*sse.Events, error) {
					return sse.New(func(ctx context.Context, f *sse.Feed) error {
						for i := range 1000 {
							e, err := kind.New("", counted{i})
							if err != nil {
								return err
							}
							if err := f.Send(ctx, e.RetryAfter(time.Second)); err != nil {
								return err
							}
						}

						return open(ctx, f)
					}), nil
				})
			})
			l := s.listen(t, "")
			for i := range 1000 {
				require.Equal(t, i, l.next(t).number(t))
			}
			l.ended(t, reason)
			s.call(t, http.MethodHead, flowsPath+"events", "").ok(t)
		})
	}
}

func TestEvents_AreInTheDocument(t *testing.T) {
	t.Parallel()
	text, err := buildFlows(t, newHub().mount).OpenAPI()
	require.NoError(t, err)

	require.Contains(t, string(text), `"text/event-stream"`)
	require.Contains(t, string(text), `"enum":["counted"]`)
	require.Contains(t, string(text), `"last_event_id"`)
}
