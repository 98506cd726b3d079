package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"
)

// server is the API while it listens.
type server struct {
	listener net.Listener
	http     *fasthttp.Server
	ended    chan error

	// base is the context of all requests; it ends when they are cut off.
	base     context.Context
	cutOff   context.CancelFunc
	stopping atomic.Bool
	streams  *streams

	// resumed counts the connections that fasthttp serves again after a stream.
	resumed atomic.Int64

	mu          sync.Mutex
	connections map[net.Conn]struct{}
	// idle are those that wait for a request after a stream; closed says that none does any more.
	idle   map[*clientConn]struct{}
	closed bool
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
	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp", a.settings.Address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("web.address %s is taken: another program listens there: %w", a.settings.Address, err)
	}
	if err != nil {
		return fmt.Errorf("web.address %s: %w", a.settings.Address, err)
	}

	s := &server{listener: listener, ended: make(chan error, 1), connections: map[net.Conn]struct{}{}, idle: map[*clientConn]struct{}{}, streams: newStreams(a.settings.Streams)}
	s.base, s.cutOff = context.WithCancel(context.WithoutCancel(ctx))
	s.http = a.newServer(s) //nolint:contextcheck // a request has a context of its own
	a.running.Store(s)
	go func() {
		err := s.http.Serve(patientListener{Listener: listener, log: a.log, writeTimeout: a.settings.WriteTimeout})
		if err != nil {
			a.log.LogAttrs(s.base, slog.LevelError, "serving ended", slog.Any("error", err))
		}
		s.ended <- err
	}()

	return nil
}

// Address returns the host and port that the API listens at, "" if it does not.
func (a *API) Address() string {
	if s := a.running.Load(); s != nil {
		return s.listener.Addr().String()
	}

	return ""
}

// Stop says at /readyz that it stops and goes on serving for web.drain_delay. Then it tells the
// streams, takes no new requests and waits for all that is in flight, for web.shutdown_grace or
// until ctx ends. What is left then is cut off: its context ends and its connection is closed.
func (a *API) Stop(ctx context.Context) error {
	s := a.running.Load()
	if s == nil {
		return nil
	}
	defer a.running.Store(nil)
	defer s.cutOff()

	s.stopping.Store(true)
	a.drain(ctx)
	grace, cancel := context.WithTimeout(ctx, a.settings.ShutdownGrace)
	defer cancel()
	s.streams.tell()
	s.closeIdle()
	unused := time.AfterFunc(unusedTime, s.closeUnused)
	defer unused.Stop()
	err := s.http.ShutdownWithContext(grace)
	if err != nil && grace.Err() != nil {
		a.log.LogAttrs(ctx, slog.LevelWarn, "requests cut off", slog.Int("connections", s.open()))
		err = s.abort(ctx)
	}
	s.streams.stop(grace, a.log)
	err = errors.Join(err, s.endResumed(grace))
	// A stop right after the start comes before fasthttp knows of the listener.
	if closing := s.listener.Close(); !errors.Is(closing, net.ErrClosed) {
		err = errors.Join(err, closing)
	}
	if err != nil {
		return fmt.Errorf("stopping the server: %w", err)
	}

	return <-s.ended
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

// takeLeave tells a client of a server that stops to send its next request on another connection.
func (s *server) takeLeave(c *fasthttp.RequestCtx) {
	if s.stopping.Load() {
		c.SetConnectionClose()
	}
}

// newServer makes the server of one life of the API: fasthttp's cannot be used again after a
// shutdown that failed.
func (a *API) newServer(s *server) *fasthttp.Server {
	like := a.app.Server()
	handler := a.app.Handler()

	return &fasthttp.Server{
		Handler: func(c *fasthttp.RequestCtx) {
			defer s.takeLeave(c)
			showLength(&c.Request.Header)
			if len(c.Request.Header.Peek(headerClaim)) > 0 {
				leaveUnread(c.Conn())
			}
			if flaw := c.Request.Header.Peek(headerFlaw); len(flaw) > 0 {
				a.refuseHead(c, string(flaw))

				return
			}
			overrideMethod(&c.Request.Header)
			if !knownMethod(c.Method()) {
				a.refuseMethod(c)

				return
			}
			handler(c)
		},
		HeaderReceived: a.received,
		ErrorHandler:   like.ErrorHandler,
		ConnState:      s.track,
		Logger:         quietLogger{},

		StreamRequestBody:            like.StreamRequestBody,
		MaxRequestBodySize:           like.MaxRequestBodySize,
		DisablePreParseMultipartForm: like.DisablePreParseMultipartForm,
		ReadBufferSize:               like.ReadBufferSize,
		ReadTimeout:                  like.ReadTimeout,
		IdleTimeout:                  like.IdleTimeout,
		NoDefaultServerHeader:        true,
		NoDefaultContentType:         true,
		CloseOnShutdown:              true,
		// Those of streams, which close them.
		KeepHijackedConns: true,
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
	ex.settle(c)
}
