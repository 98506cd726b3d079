package web

import (
	"net"
	"time"

	"github.com/gofiber/fiber/v2"
)

// keeps reports whether the connection of a stream may take another request after it: the client knows from the
// length where the stream ends, wants the connection, and has sent nothing that nobody has read.
func keeps(c *fiber.Ctx, length int) bool {
	h := &c.Request().Header

	return length >= 0 && c.Method() == fiber.MethodGet && h.IsHTTP11() && !h.ConnectionClose() &&
		len(h.Peek(fiber.HeaderContentLength)) == 0 && len(h.Peek(fiber.HeaderTransferEncoding)) == 0
}

// longAgo is a deadline with which reading returns at once.
func longAgo() time.Time { return time.Unix(1, 0) }

// buffered returns what fasthttp has read of a connection and not used, and whether the connection is still good.
func buffered(hijacked net.Conn, most int) ([]byte, bool) {
	if hijacked.SetReadDeadline(longAgo()) != nil {
		return nil, false
	}
	text := make([]byte, most)
	n, err := hijacked.Read(text)
	if err != nil && !stuck(err) {
		return nil, false
	}

	return append([]byte(nil), text[:n]...), hijacked.SetReadDeadline(time.Time{}) == nil
}

// takeBack has the connection of a stream that was sent whole serve the next request, which early may be the
// beginning of. It returns when the connection is closed or another stream has it.
func (s *server) takeBack(c net.Conn, early []byte) {
	client, ok := c.(*clientConn)
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
func (s *server) awaits(c *clientConn) []byte {
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
func (s *server) idles(c *clientConn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.connections[c], s.idle[c] = struct{}{}, struct{}{}

	return true
}

// resumes reports whether the request of a connection that waited may be served.
func (s *server) resumes(c *clientConn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.idle, c)
	if s.closed {
		return false
	}
	s.resumed.Add(1)

	return true
}

func (s *server) forget(c *clientConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.idle, c)
	delete(s.connections, c)
}

// closeIdle closes the connections that wait for a request after a stream, and lets no more do so.
func (s *server) closeIdle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for c := range s.idle {
		_ = c.Close() //nolint:errcheck // it may have gone by itself
	}
}
