// Package server serves HTTP/1.1 on connections that strangers hold: it refuses heads that two readers could read in two ways, gives a
// client only so much time to read its answer, and stops without cutting off what is in flight.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"
)

// Config is what a server serves with.
type Config struct {
	// Address is the host and port to listen on.
	Address string
	// HTTP has the limits and time-outs, and the handler of errors of the connection.
	HTTP *fasthttp.Server
	// Handler answers requests whose heads are in order, Flawed those whose are not: with what is wrong, on a connection that is
	// closed.
	Handler fasthttp.RequestHandler
	Flawed  func(c *fasthttp.RequestCtx, flaw string)
	// Closed is called with each connection that ended.
	Closed func(net.Conn)
	// LargestBody is the most that any operation takes, in bytes.
	LargestBody int64
	// WriteTimeout is the time in which a client must take each part of an answer.
	WriteTimeout time.Duration
	Log          *slog.Logger
}

// Server is one life of it: fasthttp's cannot be used again after a shutdown that failed.
type Server struct {
	config   Config
	listener net.Listener
	http     *fasthttp.Server
	ended    chan error

	// base is the context of all requests; it ends when they are cut off.
	base     context.Context //nolint:containedctx // of the server's life, not of a call
	cutOff   context.CancelFunc
	stopping atomic.Bool

	// resumed counts the connections that fasthttp serves again after a stream.
	resumed atomic.Int64

	mu          sync.Mutex
	connections map[net.Conn]struct{}
	// idle are those that wait for a request after a stream; closed says that none does any more.
	idle   map[*Conn]struct{}
	closed bool
}

// Listen takes the address, and serves nothing yet. It fails when the address is taken.
func Listen(ctx context.Context, c Config) (*Server, error) {
	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp", c.Address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("web.address %s is taken: another program listens there: %w", c.Address, err)
	}
	if err != nil {
		return nil, fmt.Errorf("web.address %s: %w", c.Address, err)
	}
	s := &Server{
		config: c, listener: listener, ended: make(chan error, 1),
		connections: map[net.Conn]struct{}{}, idle: map[*Conn]struct{}{},
	}
	s.base, s.cutOff = context.WithCancel(context.WithoutCancel(ctx))
	s.http = s.newHTTP()

	return s, nil
}

// Serve begins to serve requests, and returns.
func (s *Server) Serve() {
	go func() {
		err := s.http.Serve(patientListener{Listener: s.listener, log: s.config.Log, writeTimeout: s.config.WriteTimeout})
		if err != nil {
			s.config.Log.LogAttrs(s.base, slog.LevelError, "serving ended", slog.Any("error", err))
		}
		s.ended <- err
	}()
}

// Address returns the host and port that the server listens at.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Base returns the context of all requests; it ends when they are cut off.
func (s *Server) Base() context.Context { return s.base }

// Stopping reports whether the server is about to stop.
func (s *Server) Stopping() bool { return s.stopping.Load() }

// AnnounceStop has every answer from now on end its connection.
func (s *Server) AnnounceStop() { s.stopping.Store(true) }

// ReadBuffer returns how much of a connection is read ahead at the most, in bytes.
func (s *Server) ReadBuffer() int { return s.http.ReadBufferSize }

// Shutdown takes no new requests, and waits for those in flight until grace ends. What is left then is cut off: its context ends
// and its connection is closed. Streams is called when all other requests have ended.
func (s *Server) Shutdown(ctx, grace context.Context, streams func()) error {
	defer s.cutOff()
	s.closeIdle()
	unused := time.AfterFunc(unusedTime, s.closeUnused)
	defer unused.Stop()
	err := s.http.ShutdownWithContext(grace)
	if err != nil && grace.Err() != nil {
		s.config.Log.LogAttrs(ctx, slog.LevelWarn, "requests cut off", slog.Int("connections", s.open()))
		err = s.abort(ctx)
	}
	streams()
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

// announceClose tells a client of a server that stops to send its next request on another connection.
func (s *Server) announceClose(c *fasthttp.RequestCtx) {
	if s.stopping.Load() {
		c.SetConnectionClose()
	}
}

// serve answers a request.
func (s *Server) serve(c *fasthttp.RequestCtx) {
	defer s.announceClose(c)
	showLength(&c.Request.Header)
	if len(c.Request.Header.Peek(headerClaim)) > 0 {
		LeaveUnread(c.Conn())
	}
	if flaw := c.Request.Header.Peek(headerFlaw); len(flaw) > 0 {
		LeaveUnread(c.Conn())
		s.config.Flawed(c, string(flaw))

		return
	}
	overrideMethod(&c.Request.Header)
	s.config.Handler(c)
}

func (s *Server) newHTTP() *fasthttp.Server {
	like := s.config.HTTP

	return &fasthttp.Server{
		Handler:        s.serve,
		HeaderReceived: s.received,
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
