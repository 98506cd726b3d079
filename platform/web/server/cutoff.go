package server

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/valyala/fasthttp"
)

// Requests that are cut off get CutOffTime to notice; whether they have is looked at every CutOffLook.
const (
	CutOffTime = time.Second
	CutOffLook = 20 * time.Millisecond
	// unusedTime is how long, from the stop on, a connection that was just made has to send a request.
	unusedTime = time.Second
)

// track keeps the open connections, for abort.
func (s *Server) track(c net.Conn, state fasthttp.ConnState) {
	if client, ok := c.(*Conn); ok {
		client.changes(state)
	}
	switch state {
	case fasthttp.StateNew:
		s.mu.Lock()
		s.connections[c] = struct{}{}
		s.mu.Unlock()
	case fasthttp.StateClosed, fasthttp.StateHijacked:
		s.mu.Lock()
		delete(s.connections, c)
		s.mu.Unlock()
		if state == fasthttp.StateClosed {
			s.config.Closed(c)
		}
	case fasthttp.StateActive, fasthttp.StateIdle:
	}
}

// closeUnused closes the connections that have sent nothing yet, such as those that a balancer keeps in
// store: fasthttp waits for their first request.
func (s *Server) closeUnused() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.connections {
		if client, ok := c.(*Conn); !ok || client.used.Load() {
			continue
		}
		if err := c.Close(); err != nil {
			continue // it has gone by itself
		}
	}
}

func (s *Server) open() int {
	s.mu.Lock()
	defer s.mu.Unlock()

	return len(s.connections)
}

// abort ends the requests that are left: first their contexts, then their connections.
func (s *Server) abort(ctx context.Context) error {
	s.cutOff()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), CutOffTime)
	defer cancel()
	for s.open() > 0 {
		select {
		case <-last.Done():
			return s.closeAll()
		case <-time.After(CutOffLook):
		}
	}

	return nil
}

// endResumed waits for the connections that were given back to fasthttp while it shut down.
func (s *Server) endResumed(ctx context.Context) error {
	for s.resumed.Load() > 0 {
		select {
		case <-ctx.Done():
			return s.abort(ctx)
		case <-time.After(CutOffLook):
		}
	}

	return nil
}

func (s *Server) closeAll() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var problems []error
	for c := range s.connections {
		if err := Plain(c).Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			problems = append(problems, err)
		}
	}

	return errors.Join(problems...)
}
