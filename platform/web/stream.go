package web

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web/httperror"
	"github.com/dispatchd/dispatchd/platform/web/server"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// streamHost is a request that is answered by a stream.
type streamHost struct {
	endpoint *endpoint
	exchange *exchange
	life     *life
	bearer   string

	method string
	status int
	began  time.Time
}

// enterStream gets the call a place.
func (e *endpoint) enterStream(c *call) (leave func(), err error) {
	running := e.api.running.Load()
	if running == nil {
		return nil, stream.ErrStopping
	}
	free, err := running.streams.Enter(c.ctx)
	if err != nil {
		return nil, err
	}
	if !e.streams {
		return free, nil
	}
	host := &streamHost{endpoint: e, exchange: c.exchange, life: running, bearer: bearer(c.Header(fiber.HeaderAuthorization))}
	c.exchange.host, c.exchange.stream = host, running.streams.NewRun(host, free)

	return func() {
		if run := c.exchange.stream; run != nil && !run.Answered() {
			c.exchange.dropStream()
		}
	}, nil
}

// begins has an output be written later, or refuses.
func (e *endpoint) begins(c *call, out stream.Output) error {
	err := c.exchange.stream.Answer(out, stream.Request{
		ID: c.exchange.id, Method: e.op.Method, Header: c.Header, Produces: e.produces,
		Coding: c.exchange.coding(c.Header(fiber.HeaderAcceptEncoding)), Codings: &e.api.codings,
	})
	if body, ok := errors.AsType[*httperror.Error](err); ok {
		noteRefusal(c.ctx, body.Code)
	}

	return err
}

// produces reports whether the operation declares a media type.
func (e *endpoint) produces(media string) bool {
	plain, _, _ := strings.Cut(media, ";")

	return slices.Contains(e.op.Produces, strings.ToLower(strings.TrimSpace(plain)))
}

// dropStream gives back what the stream of an exchange holds, if there is one.
func (ex *exchange) dropStream() {
	if ex.stream != nil {
		ex.stream.Drop(ex)
		ex.stream = nil
	}
}

// detach has the stream of an exchange run, and reports whether there is one. A HEAD has its answer
// already.
func (a *API) detach(c *fiber.Ctx, ex *exchange, began time.Time) bool {
	run, host := ex.stream, ex.host
	if run == nil {
		return false
	}
	length := int(max(run.Length(), stream.LengthChunked))
	if c.Method() == fiber.MethodHead {
		c.Response().Header.SetContentLength(length)
		ex.dropStream()

		return false
	}
	if length < 0 && !c.Request().Header.IsHTTP11() {
		length = stream.LengthClose
	}
	head := &fasthttp.ResponseHeader{}
	c.Response().Header.CopyTo(head)
	head.SetContentLength(length)
	keep := keepsAlive(c, length) && !host.life.server.Stopping()
	if !keep {
		head.SetConnectionClose()
	}

	host.method, host.status, host.began = c.Method(), c.Response().StatusCode(), began
	conn := c.Context().Conn()
	if client, ok := conn.(*server.Conn); ok {
		client.Detach()
	}
	ex.finishBody(c)
	run.Detach(ex.outlive(host.endpoint), conn, head, ex.Release, keep)
	c.Context().HijackSetNoResponse(true)
	c.Context().Hijack(func(hijacked net.Conn) {
		run.Hijacked(hijacked, host.life.server.ReadBuffer())
		go run.Serve() // so that fasthttp takes its buffers back
	})

	return true
}

// keepsAlive reports whether the connection of a stream may take another request after it: the client knows from the
// length where the stream ends, wants the connection, and has sent nothing that nobody has read.
func keepsAlive(c *fiber.Ctx, length int) bool {
	h := &c.Request().Header

	return length >= 0 && c.Method() == fiber.MethodGet && h.IsHTTP11() && !h.ConnectionClose() &&
		len(h.Peek(fiber.HeaderContentLength)) == 0 && len(h.Peek(fiber.HeaderTransferEncoding)) == 0
}

// outlive returns the values of the exchange for a stream, and lets go of what fasthttp will use again.
func (ex *exchange) outlive(e *endpoint) context.Context {
	values := context.WithoutCancel(ex.latest())
	ex.call = call{ctx: values, exchange: ex, endpoint: e}
	ex.body = bodyStream{}

	return values
}

// Revoked implements stream.Host: whether the caller's token is no longer good. If nobody knows, it may be.
func (h *streamHost) Revoked(ctx context.Context) bool {
	if h.endpoint.scope == "" {
		return false
	}
	who, err := h.endpoint.api.auth.Authenticate(ctx, h.bearer)
	if err == nil {
		if before, _ := principal.From(ctx); !who.Allows(h.endpoint.scope) || mayDoLess(before, who) {
			return true
		}
		err = h.endpoint.gated(ctx, who)
	}
	refused, ok := errors.AsType[*errs.Error](err)

	return ok && (refused.Kind == errs.Unauthenticated || refused.Kind == errs.Forbidden)
}

// mayDoLess reports whether a caller has become another, or may do less than before. What a stream shows was
// decided when it began.
func mayDoLess(before, now principal.Principal) bool {
	return before.Role != now.Role || slices.ContainsFunc(before.Scopes, func(scope string) bool { return !now.Allows(scope) })
}

// Refusal implements stream.Host.
func (h *streamHost) Refusal(ctx context.Context, cause, err error) *httperror.Error {
	var body *httperror.Error
	if expected, ok := errors.AsType[*errs.Error](cause); ok {
		body = newHTTPError(ctx, expected)
	} else if errors.Is(err, stream.ErrPanicked) {
		body = newHTTPError(ctx, httperror.ErrInternal)
	} else {
		body = h.endpoint.api.fail(ctx, err)
	}
	h.status = body.Status

	return body
}

// Resume implements stream.Host.
func (h *streamHost) Resume(c net.Conn, early []byte) { h.life.server.Resume(c, early) }

// streaming notices that the handler of a stream returned. Its request is no longer in flight, and
// what took time until here is how long the client waited.
func (o observation) streaming(ex *exchange, took time.Duration) {
	if o.metrics == nil {
		return
	}
	id := ex.call.endpoint.info.ID
	o.metrics.inFlight.Dec()
	o.metrics.seconds.WithLabelValues(id).Observe(took.Seconds())
	o.metrics.streams.Began(id)
}

// Ended implements stream.Host.
func (h *streamHost) Ended(r *stream.Run, end string) {
	a, ex, took := h.endpoint.api, h.exchange, time.Since(h.began)
	if m := a.seen.metrics; m != nil {
		m.count(ex, h.status)
		m.streams.Ended(r, h.endpoint.info.ID, end, took)
	}
	if ex.span != nil {
		ex.span.SetAttributes(attribute.String("dispatchd.stream_end", end), attribute.Int64("http.response.body.size", r.Sent()))
		if end == stream.EndFailed {
			ex.span.SetStatus(codes.Error, "")
		}
	}
	ex.endSpan(h.status)
	if a.settings.AccessLog {
		a.log.LogAttrs(r.Context(), slog.LevelInfo, "request",
			slog.String("method", h.method), slog.String("route", h.endpoint.info.Path), slog.Int("status", h.status),
			slog.Duration("took", took), slog.Int64("bytes", r.Sent()), slog.String("end", end),
		)
	}
}
