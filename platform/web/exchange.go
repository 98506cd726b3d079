package web

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"io"
	"mime/multipart"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"
	otel "go.opentelemetry.io/otel/trace"

	"github.com/dispatchd/dispatchd/platform/calendar"
	"github.com/dispatchd/dispatchd/platform/memory"
	"github.com/dispatchd/dispatchd/platform/telemetry"
	"github.com/dispatchd/dispatchd/platform/web/httperror"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// exchange is one request and its answer. It is the request's context, so everything that is
// derived from that finds it; it is not reused, because a context may outlive its request.
type exchange struct {
	context.Context

	id     string
	client netip.Addr
	body   bodyStream
	// span and refusal are for who observes: nil and "" if there is none.
	span    otel.Span
	refusal string
	call    call
	// stream is nil unless the answer is written later; host is the exchange as it knows it.
	stream *stream.Run
	host   *streamHost
	// memory is what the request holds of web.overload.max_memory, and held gives back what else it has until its
	// answer is sent.
	memory memory.Account
	held   []func()
	// calendar tells the time where the company is.
	calendar *calendar.Calendar
}

type exchangeKey struct{}

// Value implements context.Context.
func (ex *exchange) Value(key any) any {
	switch key.(type) {
	case exchangeKey:
		return ex
	case memory.Key:
		return &ex.memory
	case calendar.Key:
		return ex.calendar
	}

	return ex.Context.Value(key)
}

// exchangeOf returns the exchange that ctx belongs to.
func exchangeOf(ctx context.Context) *exchange {
	ex, _ := ctx.Value(exchangeKey{}).(*exchange)

	return ex
}

// latest returns the context that knows most of the request: with the area and the principal, once
// they are found out.
func (ex *exchange) latest() context.Context {
	if ex.call.ctx != nil {
		return ex.call.ctx
	}

	return ex
}

// newExchange gives a request its id and its context.
func (a *API) newExchange(c *fiber.Ctx) *exchange {
	id := c.Get(fiber.HeaderXRequestID)
	if !saneID(id) {
		id = rand.Text()
	}
	base := context.Background()
	if s := a.running.Load(); s != nil {
		base = s.server.Base()
	}
	ex := &exchange{Context: telemetry.WithRequestID(base, id), id: id, client: a.client(c), calendar: a.calendar}
	ex.memory.Open(a.room.memory, a.settings.Overload.MaxWait)
	c.SetUserContext(ex)
	c.Set(fiber.HeaderXRequestID, id)

	return ex
}

// saneID reports whether a caller's request id can be taken over: it ends up in logs and headers.
func saneID(id string) bool {
	const (
		letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
		most    = 128
	)

	return id != "" && len(id) <= most && strings.Trim(id, letters+"-_.:=/+") == ""
}

// call is the exchange while an operation handles it. It is a huma.Context for what reads the request and writes the answer.
type call struct {
	fiber    *fiber.Ctx
	ctx      context.Context
	exchange *exchange
	endpoint *endpoint
	status   int
	// flaws are what is wrong with the query as such, by key.
	flaws map[string][]string
	// admitted is a request with Raw that Admit let in; cancel ends the time that it may take.
	admitted Admitted
	cancel   context.CancelFunc
	// minimal is set when the answer to a write is {} instead of the resource.
	minimal bool

	// body is the whole body, if it was read before it is bound; else source is, if there is one,
	// what is read instead of the connection.
	body   []byte
	whole  bool
	source io.Reader
	// form is what was entered into an HTML form; nil unless the request was one.
	form url.Values
	// recording gets the answer while it is not to be sent yet.
	recording *recording
}

var _ huma.Context = (*call)(nil)

// Operation implements huma.Context.
func (c *call) Operation() *huma.Operation { return c.endpoint.described }

// Context implements huma.Context.
func (c *call) Context() context.Context { return c.ctx }

// TLS implements huma.Context.
func (c *call) TLS() *tls.ConnectionState { return c.fiber.Context().TLSConnectionState() }

// Version implements huma.Context.
func (c *call) Version() huma.ProtoVersion { return huma.ProtoVersion{Proto: c.fiber.Protocol()} }

// Method implements huma.Context.
func (c *call) Method() string { return c.fiber.Method() }

// Host implements huma.Context.
func (c *call) Host() string { return c.fiber.Hostname() }

// RemoteAddr implements huma.Context.
func (c *call) RemoteAddr() string { return c.fiber.Context().RemoteAddr().String() }

// Query implements huma.Context.
func (c *call) Query(name string) string { return c.fiber.Query(name) }

// Header implements huma.Context.
func (c *call) Header(name string) string { return c.fiber.Get(name) }

// EachHeader implements huma.Context.
func (c *call) EachHeader(see func(name, value string)) {
	for name, value := range c.fiber.Request().Header.All() {
		see(string(name), string(value))
	}
}

// Param implements huma.Context. Fiber leaves the escapes of a path in its parameters.
func (c *call) Param(name string) string {
	raw := c.fiber.Params(name)
	if text, err := url.PathUnescape(raw); err == nil && httperror.Storable(text) {
		return text
	}

	return raw
}

// URL implements huma.Context. It takes any target that Fiber took.
func (c *call) URL() url.URL {
	uri := c.fiber.Request().URI()

	return url.URL{Path: string(uri.Path()), RawPath: string(uri.PathOriginal()), RawQuery: string(uri.QueryString())}
}

// BodyReader implements huma.Context.
func (c *call) BodyReader() io.Reader {
	switch {
	case c.whole:
		return bytes.NewReader(c.body)
	case c.source != nil:
		return c.source
	}
	c.exchange.body.stream = c.fiber.Request().BodyStream()
	if c.exchange.body.stream == nil {
		return nil
	}

	return &c.exchange.body
}

// GetMultipartForm implements huma.Context. Forms are read as they arrive, by an upload.
func (c *call) GetMultipartForm() (*multipart.Form, error) { return nil, http.ErrNotMultipart }

// SetReadDeadline implements huma.Context.
func (c *call) SetReadDeadline(deadline time.Time) error {
	return c.fiber.Context().Conn().SetReadDeadline(deadline)
}

// SetHeader sets a header of the answer to the request that ctx belongs to. It is for what goes with an
// answer beside its resource; a header that an operation always has is better a field of its output.
// Outside of a request it does nothing.
func SetHeader(ctx context.Context, name, value string) {
	if ex := exchangeOf(ctx); ex != nil && ex.call.fiber != nil {
		ex.call.SetHeader(name, value)
	}
}
