package web

import (
	"bytes"
	"errors"
	"net"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

const (
	// streamBuffer is how much is written at a time, in bytes.
	streamBuffer = 32 << 10
	// streamLag is how long something written waits for more.
	streamLag = time.Second
)

// How the client learns where a stream ends, in the place of its length; the values are fasthttp's.
const (
	lengthChunked = -1
	lengthClose   = -2
)

var errStreamOver = errors.New("the stream has ended")

// streamWriter writes the body of a stream to its connection. It may be used from several goroutines.
type streamWriter struct {
	conn    net.Conn
	timeout time.Duration
	// size is -1 if it is not known, mode what the head says of the length.
	size int64
	mode int

	mu sync.Mutex
	// head is nil when it was sent.
	head *fasthttp.ResponseHeader
	text []byte
	lag  *time.Timer
	// body and wire are the bytes taken and those sent.
	body, wire int64
	// err is what Write says, broken what the connection said.
	err, broken error
}

func newStreamWriter(conn net.Conn, head *fasthttp.ResponseHeader, size int64, timeout time.Duration) *streamWriter {
	return &streamWriter{conn: conn, head: head, size: size, mode: head.ContentLength(), timeout: timeout}
}

// Write implements io.Writer.
func (w *streamWriter) Write(p []byte) (n int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil && w.size >= 0 && w.body+int64(len(p)) > w.size {
		w.err = errStreamSize
	}
	for len(p) > 0 && w.err == nil {
		if len(w.text) == 0 {
			w.sendSoon()
		}
		fits := min(len(p), streamBuffer-len(w.text))
		w.text = append(w.text, p[:fits]...)
		w.body += int64(fits)
		n, p = n+fits, p[fits:]
		if len(w.text) == streamBuffer {
			w.send(false)
		}
	}

	return n, w.err
}

// Flush sends what was written.
func (w *streamWriter) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil && (len(w.text) > 0 || w.head != nil) {
		w.send(false)
	}

	return w.err
}

// sendSoon has what is written from now on sent after a while.
func (w *streamWriter) sendSoon() {
	if w.lag == nil {
		w.lag = time.AfterFunc(streamLag, w.sendLate)

		return
	}
	w.lag.Reset(streamLag)
}

func (w *streamWriter) sendLate() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil && len(w.text) > 0 {
		w.send(false)
	}
}

// send sends the head, if it was not yet, and what is there of the body.
func (w *streamWriter) send(last bool) {
	if w.lag != nil {
		w.lag.Stop()
	}
	var out net.Buffers
	if w.head != nil {
		if last && w.mode == lengthChunked { // all of it is here
			w.mode = len(w.text)
			w.head.SetContentLength(w.mode)
		}
		out = append(out, w.head.Header())
		w.head = nil
	}
	switch {
	case w.mode != lengthChunked:
		out = append(out, w.text)
	case len(w.text) > 0:
		size := strconv.AppendInt(nil, int64(len(w.text)), 16)
		out = append(out, append(size, "\r\n"...), w.text, []byte("\r\n"))
	}
	if last && w.mode == lengthChunked {
		out = append(out, []byte("0\r\n\r\n"))
	}
	w.push(out)
	w.text = w.text[:0]
}

// push writes to the connection. Each write has the same time, so a client that stops reading holds
// nothing for long.
func (w *streamWriter) push(out net.Buffers) {
	deadline := time.Now().Add(w.timeout) //nolint:forbidigo // of a connection, which knows no other clock
	err := w.conn.SetWriteDeadline(deadline)
	var n int64
	if err == nil {
		n, err = out.WriteTo(w.conn)
	}
	w.wire += n
	if err != nil {
		w.err, w.broken = err, err
	}
}

// finish sends the end of a body that is whole.
func (w *streamWriter) finish() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil && w.size >= 0 && w.body != w.size {
		w.err = errStreamSize
	}
	if w.err == nil {
		w.send(true)
	}

	return w.err
}

// refuse sends an error in the place of a body of which nothing was sent.
func (w *streamWriter) refuse(body *httpError) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.head == nil || w.broken != nil {
		return
	}
	for _, name := range []string{
		fiber.HeaderETag, fiber.HeaderLastModified, fiber.HeaderContentDisposition,
		fiber.HeaderContentRange, fiber.HeaderAcceptRanges,
	} {
		w.head.Del(name)
	}
	for name, values := range body.headers {
		w.head.Set(name, values[0])
	}
	var text bytes.Buffer
	if err := marshalJSON(&text, body); err != nil {
		return
	}
	w.head.SetStatusCode(body.status)
	w.head.SetConnectionClose()
	w.head.SetContentType(mediaJSON)
	w.head.Set(fiber.HeaderCacheControl, "no-store")
	w.head.SetContentLength(text.Len())
	w.mode, w.text = text.Len(), text.Bytes()
	w.send(false)
}

// close ends writing, for whoever still does.
func (w *streamWriter) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lag != nil {
		w.lag.Stop()
	}
	if w.err == nil {
		w.err = errStreamOver
	}
	w.text = nil
}

// begun reports whether the client has seen anything.
func (w *streamWriter) begun() bool {
	w.mu.Lock()
	defer w.mu.Unlock()

	return w.head == nil
}

// trouble is what the connection failed with.
func (w *streamWriter) trouble() error {
	w.mu.Lock()
	defer w.mu.Unlock()

	return w.broken
}

// sent counts the bytes that went out, heads and all.
func (w *streamWriter) sent() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()

	return w.wire
}

// stuck reports whether the client did not read in time.
func stuck(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }
