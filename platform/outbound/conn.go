package outbound

import (
	"crypto/tls"
	"net"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
)

// countedConn counts what is written to a connection.
type countedConn struct {
	net.Conn

	written atomic.Int64
}

// Write implements net.Conn. What is about to be written counts: a write that fails may have sent a part.
func (c *countedConn) Write(p []byte) (int, error) {
	c.written.Add(int64(len(p)))

	return c.Conn.Write(p)
}

// countedConnOf finds the counter beneath TLS, once or twice: a proxy may be spoken to in TLS as well.
func countedConnOf(conn net.Conn) *countedConn {
	for range 3 {
		switch c := conn.(type) {
		case *countedConn:
			return c
		case *tls.Conn:
			conn = c.NetConn()
		}
	}

	return nil
}

// progress tells how far an attempt came. Its hooks are called from several goroutines.
type progress struct {
	// once says that what may have left is not to be written again.
	once bool

	mu      sync.Mutex
	conn    *countedConn
	base    int64
	left    bool
	tlsWent bool
}

func (p *progress) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		TLSHandshakeStart: func() { p.set(&p.tlsWent, true) },
		TLSHandshakeDone:  func(_ tls.ConnectionState, err error) { p.set(&p.tlsWent, err != nil) },
		GotConn:           func(info httptrace.GotConnInfo) { p.gotConn(info.Conn) },
		WroteRequest:      func(info httptrace.WroteRequestInfo) { p.wrote(info.Err) },
	}
}

func (p *progress) set(flag *bool, value bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	*flag = value
}

// gotConn notes the connection that the request is going to be written to, before any of it is. net/http
// takes another connection by itself when the first was closed while it was idle, also after it has
// written to it where the method or an Idempotency-Key lets it believe that this is safe.
func (p *progress) gotConn(conn net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settle()
	p.conn = countedConnOf(conn)
	if p.conn != nil && p.left && p.once {
		_ = p.conn.Close() //nolint:errcheck // so that nothing can be written to it
	}
	if p.conn == nil {
		p.left = true // not ours: assume the worst

		return
	}
	p.base = p.conn.written.Load()
}

func (p *progress) wrote(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		p.left = true
	}
	p.settle()
}

func (p *progress) settle() {
	if p.conn != nil && p.conn.written.Load() != p.base {
		p.left = true
	}
}

// sent reports whether a byte of the request may have left this process.
func (p *progress) sent() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settle()

	return p.left
}

// inTLS reports whether TLS was begun and not agreed on.
func (p *progress) inTLS() bool {
	p.mu.Lock()
	defer p.mu.Unlock()

	return p.tlsWent
}
