package stream

import (
	"bytes"
	"errors"
	"net"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/dispatchd/dispatchd/platform/web/coding"
	"github.com/dispatchd/dispatchd/platform/web/httperror"
	"github.com/dispatchd/dispatchd/platform/web/jsonbody"
)

const (
	// bufferSize is how much is written at a time, in bytes.
	bufferSize = 32 << 10
	// writeLag is how long something written waits for more.
	writeLag = time.Second
)

// How the client learns where a stream ends, in the place of its length; the values are fasthttp's.
const (
	LengthChunked = -1
	LengthClose   = -2
)

var errOver = errors.New("the stream has ended")

// Writer writes the body of a stream to its connection. It may be used from several goroutines.
type Writer struct {
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
	// encoder compresses to encoded; nil sends the text.
	encoder coding.Writer
	encoded bytes.Buffer
	// tag is the ETag of the text that is not compressed, "" if it has none.
	tag string
	// body and wire are the bytes taken and those sent.
	body, wire int64
	// err is what Write says, broken what the connection said.
	err, broken error
}

func newWriter(conn net.Conn, head *fasthttp.ResponseHeader, plan Plan, timeout time.Duration) *Writer {
	w := &Writer{conn: conn, head: head, size: plan.Length, mode: head.ContentLength(), timeout: timeout}
	if plan.Compress != nil {
		w.encoder, w.size, w.tag = plan.Compress(&w.encoded), plan.Size, plan.Tag
	}

	return w
}

// Write implements io.Writer.
func (w *Writer) Write(p []byte) (n int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil && w.size >= 0 && w.body+int64(len(p)) > w.size {
		w.err = errSize
	}
	for len(p) > 0 && w.err == nil {
		if len(w.text) == 0 {
			w.sendSoon()
		}
		fits := min(len(p), bufferSize-len(w.text))
		w.text = append(w.text, p[:fits]...)
		w.body += int64(fits)
		n, p = n+fits, p[fits:]
		if len(w.text) == bufferSize {
			w.send(full)
		}
	}

	return n, w.err
}

// Flush sends what was written.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil && (len(w.text) > 0 || w.head != nil) {
		w.send(waiting)
	}

	return w.err
}

// sendSoon has what is written from now on sent after a while.
func (w *Writer) sendSoon() {
	if w.lag == nil {
		w.lag = time.AfterFunc(writeLag, w.sendLate)

		return
	}
	w.lag.Reset(writeLag)
}

func (w *Writer) sendLate() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil && len(w.text) > 0 {
		w.send(waiting)
	}
}

// cause is why something is sent.
type cause int

const (
	full    cause = iota // there is no room for more
	waiting              // the client is to have it now
	last                 // there is no more
)

// send sends the head, if it was not yet, and what is there of the body.
func (w *Writer) send(why cause) {
	if w.lag != nil {
		w.lag.Stop()
	}
	text := w.encode(why)
	var out net.Buffers
	if w.head != nil {
		if why == last && w.mode == LengthChunked { // all of it is here
			w.mode = len(text)
			w.head.SetContentLength(w.mode)
		}
		out = append(out, w.head.Header())
		w.head = nil
	}
	switch {
	case w.mode != LengthChunked:
		out = append(out, text)
	case len(text) > 0:
		size := strconv.AppendInt(nil, int64(len(text)), 16)
		out = append(out, append(size, "\r\n"...), text, []byte("\r\n"))
	}
	if why == last && w.mode == LengthChunked {
		out = append(out, []byte("0\r\n\r\n"))
	}
	w.writeOut(out)
	w.text = w.text[:0]
}

// encode returns what is there of the body as it is sent. What is all of it, and small, stays unchanged.
func (w *Writer) encode(why cause) []byte {
	if w.encoder != nil && w.head != nil && why == last && len(w.text) < coding.Threshold {
		w.plain()
	}
	if w.encoder == nil {
		return w.text
	}
	w.encoded.Reset()
	_, err := w.encoder.Write(w.text)
	switch {
	case err != nil:
	case why == last:
		err = w.encoder.Close()
	case why == waiting:
		err = w.encoder.Flush()
	}
	if err != nil {
		w.err = err
	}

	return w.encoded.Bytes()
}

// plain has the body not be compressed after all, of which nothing was sent.
func (w *Writer) plain() {
	w.encoder = nil
	w.head.Del("Content-Encoding")
	if w.tag != "" {
		w.head.Set("ETag", w.tag)
	}
}

// writeOut writes to the connection. Each write has the same time, so a client that stops reading holds
// nothing for long.
func (w *Writer) writeOut(out net.Buffers) {
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
func (w *Writer) finish() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil && w.size >= 0 && w.body != w.size {
		w.err = errSize
	}
	if w.err == nil {
		w.send(last)
	}

	return w.err
}

// fail sends an error in the place of a body of which nothing was sent.
func (w *Writer) fail(body *httperror.Error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.head == nil || w.broken != nil {
		return
	}
	for _, name := range []string{
		"ETag", "Last-Modified", "Content-Disposition",
		"Content-Range", "Accept-Ranges", "Content-Encoding",
	} {
		w.head.Del(name)
	}
	for name, values := range body.Headers {
		w.head.Set(name, values[0])
	}
	var text bytes.Buffer
	if err := jsonbody.Marshal(&text, body); err != nil {
		return
	}
	w.head.SetStatusCode(body.Status)
	w.head.SetConnectionClose()
	w.head.SetContentType("application/json")
	w.head.Set("Cache-Control", "no-store")
	w.head.SetContentLength(text.Len())
	w.mode, w.text, w.encoder = text.Len(), text.Bytes(), nil
	w.send(last)
}

// close ends writing, for whoever still does.
func (w *Writer) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lag != nil {
		w.lag.Stop()
	}
	if w.err == nil {
		w.err = errOver
	}
	w.text = nil
}

// begun reports whether the client has seen anything.
func (w *Writer) begun() bool {
	w.mu.Lock()
	defer w.mu.Unlock()

	return w.head == nil
}

// connError is what the connection failed with.
func (w *Writer) connError() error {
	w.mu.Lock()
	defer w.mu.Unlock()

	return w.broken
}

// sent counts the bytes that went out, heads and all.
func (w *Writer) sent() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()

	return w.wire
}

// isStuck reports whether the client did not read in time.
func isStuck(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }
