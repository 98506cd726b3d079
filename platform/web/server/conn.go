package server

import (
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

// What is left of a body that nobody read is read and dropped, so that the client gets to see why it was refused: for some time
// before the answer, and then for drainTime after it.
const (
	drainTime = 2 * time.Second
	// DrainBytes is the most that is dropped.
	DrainBytes = 16 << 20
)

// writePart is how much of an answer a client must take in the time that it has for it, in bytes.
const writePart = 256 << 10

// Holder holds something until its answer is sent.
type Holder interface{ Release() }

// Conn knows whether its client has sent anything, and the end: of a body whose client went away, fasthttp says
// that it ended well. It looks at the heads of requests, and gives its client only so much time for an answer.
type Conn struct {
	net.Conn

	used, ended atomic.Bool
	// unread says that the client may be sending a body that nobody reads.
	unread atomic.Bool
	// early is what was read before its time. It belongs to whoever reads.
	early []byte

	head         headScan
	writeTimeout time.Duration
	// answering are the holders whose answers are being sent. They belong to the goroutine that serves the connection.
	answering []Holder
}

// Read implements net.Conn.
func (c *Conn) Read(p []byte) (int, error) {
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
func (c *Conn) Write(p []byte) (int, error) {
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
func (c *Conn) dropUnsent() {
	if tcp, ok := c.Conn.(interface{ SetLinger(seconds int) error }); ok {
		_ = tcp.SetLinger(0) //nolint:errcheck // it is about to be closed
	}
}

// Ended reports whether the client has sent its last byte.
func (c *Conn) Ended() bool { return c.ended.Load() }

// UntilSent has h released when the answer that is next sent is out.
func (c *Conn) UntilSent(h Holder) { c.answering = append(c.answering, h) }

// Detach has heads no longer looked for in what is read: others read from here on.
func (c *Conn) Detach() { c.head = headScan{} }

// changes sees to what ends with an answer or begins with a request.
func (c *Conn) changes(state fasthttp.ConnState) {
	if state == fasthttp.StateIdle || state == fasthttp.StateClosed {
		for _, h := range c.answering {
			h.Release()
		}
		c.answering = nil
	}
	c.head.changes(state)
}

// scanned looks at what was read for a request.
func (c *Conn) scanned(p []byte, err error) (int, error) {
	if !c.head.refuses(p) {
		return len(p), err
	}
	c.unread.Store(true)

	return copy(p, unparsable), nil
}

// Close implements net.Conn. A client that still sends gets to see its answer first: the system ends a connection
// with unread bytes by a reset, which may overtake the answer.
func (c *Conn) Close() error {
	if c.unread.Swap(false) {
		c.linger()
	}

	return c.Conn.Close()
}

// linger ends what is sent to the client, and drops for a while what comes, until the client has seen the end.
func (c *Conn) linger() {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		return
	}
	if c.SetReadDeadline(time.Now().Add(drainTime)) == nil { //nolint:forbidigo // of a connection, which knows no other clock
		_, _ = io.CopyN(io.Discard, c.Conn, DrainBytes) //nolint:errcheck // whatever ends it
	}
}

// LeaveUnread says that a connection is closed after the answer while the client may send on.
func LeaveUnread(c net.Conn) {
	if client, ok := c.(*Conn); ok {
		client.unread.Store(true)
	}
}

// Plain is the connection itself, which writes several buffers at once and is closed at once.
func Plain(c net.Conn) net.Conn {
	if client, ok := c.(*Conn); ok {
		return client.Conn
	}

	return c
}
