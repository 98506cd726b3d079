package web

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"
)

// writePart is how much of an answer a client must take in the time that it has for it, in bytes.
const writePart = 256 << 10

// patientListener waits when the process is out of file descriptors or memory; fasthttp would stop
// to serve for good.
type patientListener struct {
	net.Listener

	log *slog.Logger
	// writeTimeout is the time in which a client must take each part of an answer.
	writeTimeout time.Duration
}

// Accept implements net.Listener.
func (l patientListener) Accept() (net.Conn, error) {
	const longest = time.Second
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, longest) {
		c, err := l.Listener.Accept()
		if err == nil {
			return &clientConn{Conn: c, writeTimeout: l.writeTimeout}, nil
		}
		if !passing(err) {
			return nil, err
		}
		l.log.LogAttrs(context.Background(), slog.LevelWarn, "connection not accepted", slog.Any("error", err))
		time.Sleep(wait)
	}
}

// clientConn knows whether its client has sent anything, and the end: of a body whose client went away, fasthttp says
// that it ended well. It looks at the heads of requests, and gives its client only so much time for an answer.
type clientConn struct {
	net.Conn

	used, ended atomic.Bool
	// unread says that the client may be sending a body that nobody reads.
	unread atomic.Bool
	// early is what was read before its time. It belongs to whoever reads.
	early []byte

	head         headScan
	writeTimeout time.Duration
	// answering are the exchanges whose answers are being sent. They belong to the goroutine that serves the connection.
	answering []*exchange
}

// Read implements net.Conn.
func (c *clientConn) Read(p []byte) (int, error) {
	if len(c.early) > 0 {
		n := copy(p, c.early)
		c.early = c.early[n:]

		return c.scanned(p[:n], nil)
	}
	n, err := c.Conn.Read(p)
	if n > 0 && !c.used.Load() {
		c.used.Store(true)
	}
	if errors.Is(err, io.EOF) {
		c.ended.Store(true)
	}

	return c.scanned(p[:n], err)
}

// Write implements net.Conn.
func (c *clientConn) Write(p []byte) (int, error) {
	written := 0
	for {
		deadline := time.Now().Add(c.writeTimeout) //nolint:forbidigo // of a connection, which knows no other clock
		if err := c.SetWriteDeadline(deadline); err != nil {
			return written, err
		}
		n, err := c.Conn.Write(p[written:min(len(p), written+writePart)])
		written += n
		if errors.Is(err, os.ErrDeadlineExceeded) {
			c.dropUnsent()
		}
		if err != nil || written == len(p) {
			return written, err
		}
	}
}

// dropUnsent has the system end the connection by a reset, and forget what it still holds for a client that does not read.
func (c *clientConn) dropUnsent() {
	if tcp, ok := c.Conn.(interface{ SetLinger(seconds int) error }); ok {
		_ = tcp.SetLinger(0) //nolint:errcheck // it is about to be closed
	}
}

// changes sees to what ends with an answer or begins with a request.
func (c *clientConn) changes(state fasthttp.ConnState) {
	if state == fasthttp.StateIdle || state == fasthttp.StateClosed {
		for _, ex := range c.answering {
			ex.release()
		}
		c.answering = nil
	}
	c.head.changes(state)
}

// scanned looks at what was read for a request.
func (c *clientConn) scanned(p []byte, err error) (int, error) {
	if !c.head.refuses(p) {
		return len(p), err
	}
	c.unread.Store(true)

	return copy(p, unparsable), nil
}

// Close implements net.Conn. A client that still sends gets to see its answer first: the system ends a connection
// with unread bytes by a reset, which may overtake the answer.
func (c *clientConn) Close() error {
	if c.unread.Swap(false) {
		c.linger()
	}

	return c.Conn.Close()
}

// linger ends what is sent to the client, and drops for a while what comes, until the client has seen the end.
func (c *clientConn) linger() {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		return
	}
	if c.SetReadDeadline(time.Now().Add(drainTime)) == nil { //nolint:forbidigo // of a connection, which knows no other clock
		_, _ = io.CopyN(io.Discard, c.Conn, drainBytes) //nolint:errcheck // whatever ends it
	}
}

// leaveUnread says that a connection is closed after the answer while the client may send on.
func leaveUnread(c net.Conn) {
	if client, ok := c.(*clientConn); ok {
		client.unread.Store(true)
	}
}

// plainConn is the connection itself, which writes several buffers at once and is closed at once.
func plainConn(c net.Conn) net.Conn {
	if client, ok := c.(*clientConn); ok {
		return client.Conn
	}

	return c
}

func passing(err error) bool {
	for _, errno := range []syscall.Errno{
		syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED, syscall.EINTR,
	} {
		if errors.Is(err, errno) {
			return true
		}
	}

	return false
}

// quietLogger drops what fasthttp says of connections that broke: everything that a stranger sends
// can make it say something.
type quietLogger struct{}

// Printf implements fasthttp.Logger.
func (quietLogger) Printf(string, ...any) {}
