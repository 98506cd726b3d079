package web

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/dispatchd/dispatchd/platform/web/httperror"
	"github.com/dispatchd/dispatchd/platform/web/server"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// life is the API while it listens.
type life struct {
	server  *server.Server
	streams *stream.Pool
}

// Start begins to listen at web.address and returns; requests are served from then on. It fails
// when the address is taken.
func (a *API) Start(ctx context.Context) error {
	if err := a.checkOnly(); err != nil {
		return err
	}
	a.build.Do(func() {
		a.routes.install()
		a.systemRoutes()
	})
	streams := stream.NewPool(a.settings.Streams, a.log)
	listening, err := server.Listen(ctx, server.Config{
		Address: a.settings.Address, HTTP: a.app.Server(), Handler: a.route(), Flawed: a.refuseHead, Closed: streams.Closed, //nolint:contextcheck // a request has a context of its own
		LargestBody: a.largest, WriteTimeout: a.settings.WriteTimeout, Log: a.log,
	})
	if err != nil {
		return err
	}
	a.running.Store(&life{server: listening, streams: streams})
	listening.Serve()

	return nil
}

// Address returns the host and port that the API listens at, "" if it does not.
func (a *API) Address() string {
	if running := a.running.Load(); running != nil {
		return running.server.Address()
	}

	return ""
}

// Stop says at /readyz that it stops and goes on serving for web.drain_delay. Then it tells the
// streams, takes no new requests and waits for all that is in flight, for web.shutdown_grace or
// until ctx ends. What is left then is cut off: its context ends and its connection is closed.
func (a *API) Stop(ctx context.Context) error {
	running := a.running.Load()
	if running == nil {
		return nil
	}
	defer a.running.Store(nil)

	running.server.AnnounceStop()
	a.drain(ctx)
	grace, cancel := context.WithTimeout(ctx, a.settings.ShutdownGrace)
	defer cancel()
	running.streams.AnnounceStop()

	return running.server.Shutdown(ctx, grace, func() { running.streams.Stop(grace) })
}

// drain lets load balancers find out that the service stops, while it serves what they still send.
func (a *API) drain(ctx context.Context) {
	if a.settings.DrainDelay == 0 {
		return
	}
	a.log.LogAttrs(ctx, slog.LevelInfo, "draining", slog.Duration("delay", a.settings.DrainDelay))
	over := time.NewTimer(a.settings.DrainDelay)
	defer over.Stop()
	select {
	case <-over.C:
	case <-ctx.Done():
	}
}

// route answers requests by Fiber's routes.
func (a *API) route() fasthttp.RequestHandler {
	routed := a.app.Handler()

	return func(c *fasthttp.RequestCtx) {
		if !knownMethod(c.Method()) {
			a.refuseMethod(c)

			return
		}
		routed(c)
	}
}

// knownMethod reports whether Fiber routes a method.
func knownMethod(method []byte) bool {
	switch string(method) {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions, http.MethodConnect, http.MethodTrace:
		return true
	default:
		return false
	}
}

// refuseMethod answers a method that no route has, which Fiber answers in plain text.
func (a *API) refuseMethod(rc *fasthttp.RequestCtx) {
	c := a.app.AcquireCtx(rc)
	defer a.app.ReleaseCtx(c)
	ex := a.newExchange(c)
	a.secure(c)
	c.Set("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE")
	a.send(c, newHTTPError(ex, methodNotAllowed(c)))
	ex.finishBody(c)
}

// refuseHead answers a request with a flaw. Where its body ends, and the next request begins, nobody knows.
func (a *API) refuseHead(rc *fasthttp.RequestCtx, flaw string) {
	c := a.app.AcquireCtx(rc)
	defer a.app.ReleaseCtx(c)
	ex := a.newExchange(c)
	a.secure(c)
	rc.Response.SetConnectionClose()
	a.send(c, newHTTPError(ex, httperror.ErrUnreadable.WithMessage("The request line or headers are not valid: %s.", flaw)))
}
