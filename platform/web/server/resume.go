package server

import (
	"net"
	"time"
)

// Resume has the connection of a stream that was sent whole serve the next request, which early may be the
// beginning of. It returns when the connection is closed or another stream has it.
func (s *Server) Resume(c net.Conn, early []byte) {
	client, ok := c.(*Conn)
	if !ok || c.SetDeadline(time.Time{}) != nil || !s.idles(client) {
		_ = c.Close() //nolint:errcheck // it may be closed already

		return
	}
	if len(early) == 0 {
		early = s.awaits(client)
	}
	if len(early) == 0 || !s.resumes(client) {
		s.forget(client)
		_ = c.Close() //nolint:errcheck // it may be closed already

		return
	}
	defer s.resumed.Add(-1)
	client.early, client.head = early, headScan{on: true}
	_ = s.http.ServeConn(client) //nolint:errcheck // what a client does is no trouble of the server's
}

// awaits waits for the beginning of a request.
func (s *Server) awaits(c *Conn) []byte {
	wait := s.http.IdleTimeout
	if wait == 0 {
		wait = s.http.ReadTimeout
	}
	if wait > 0 && c.SetReadDeadline(time.Now().Add(wait)) != nil { //nolint:forbidigo // of a connection, which knows no other clock
		return nil
	}
	first := make([]byte, 1)
	n, err := c.Read(first)
	if err != nil || c.SetReadDeadline(time.Time{}) != nil {
		return nil
	}

	return first[:n]
}

// idles notes a connection that waits for a request, and reports whether it may.
func (s *Server) idles(c *Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.connections[c], s.idle[c] = struct{}{}, struct{}{}

	return true
}

// resumes reports whether the request of a connection that waited may be served.
func (s *Server) resumes(c *Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.idle, c)
	if s.closed {
		return false
	}
	s.resumed.Add(1)

	return true
}

func (s *Server) forget(c *Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.idle, c)
	delete(s.connections, c)
}

// closeIdle closes the connections that wait for a request after a stream, and lets no more do so.
func (s *Server) closeIdle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for c := range s.idle {
		_ = c.Close() //nolint:errcheck // it may have gone by itself
	}
}
