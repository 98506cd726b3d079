package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"runtime/debug"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// lastWords is how long a stream may still write after its context ended.
const lastWords = time.Second

// Why a stream ends before its writer is done: the cause of its context.
var (
	errStreamGone    = errors.New("the client went away")
	errStreamLong    = errDeadline
	errStreamStopped = errs.New(errs.Unavailable, "web.stopping", "The service stops. Please try again in a moment.").WithRetryAfter(time.Second)
	errStreamRevoked = errs.New(errs.Unauthenticated, "web.access_ended", "The token may no longer read this.")

	errStreamSize     = errors.New("the stream does not have the size that it said")
	errStreamPanicked = errors.New("the stream panicked")
)

// stream is an answer that is written after its handler returned, on a connection that fasthttp has
// let go of.
type stream struct {
	api      *API
	endpoint *endpoint
	exchange *exchange
	server   *server
	home     *streams
	// free gives back the place.
	free   func()
	bearer string

	// out is nil until it is known what is answered.
	out    later
	run    func(ctx context.Context, w *streamWriter) error
	length int64

	ctx    context.Context
	cancel context.CancelCauseFunc
	conn   net.Conn
	writer *streamWriter
	// others are the goroutines beside that of serve; they end with the connection.
	others sync.WaitGroup
	// keep says that the connection takes another request after this. early is what the client has sent of it,
	// and lost says that it is of no use; both are watch's until the others have ended.
	keep  bool
	early []byte
	lost  bool
	// why is how the stream said that it ends, "" if it said nothing.
	why string

	method string
	status int
	began  time.Time
}

// writes says what writes the stream, and how many bytes; -1 if that is not known.
func (st *stream) writes(length int64, write func(context.Context, io.Writer) error) {
	st.length = length
	st.run = func(ctx context.Context, w *streamWriter) error {
		if err := write(ctx, w); err != nil {
			return err
		}

		return context.Cause(ctx) // a writer that gave up may say nothing
	}
}

// drop gives back what a stream holds that is not to run.
func (st *stream) drop() {
	st.api.discard(st.exchange, st.out)
	st.free()
}

// dropStream is drop for an exchange that may have a stream.
func (ex *exchange) dropStream() {
	if ex.stream != nil {
		ex.stream.drop()
		ex.stream = nil
	}
}

// detach has the stream of an exchange run, and reports whether there is one. A HEAD has its answer
// already.
func (a *API) detach(c *fiber.Ctx, ex *exchange, began time.Time) bool {
	st := ex.stream
	if st == nil {
		return false
	}
	length := int(max(st.length, lengthChunked))
	if c.Method() == fiber.MethodHead {
		c.Response().Header.SetContentLength(length)
		ex.dropStream()

		return false
	}
	if length < 0 && !c.Request().Header.IsHTTP11() {
		length = lengthClose
	}
	head := &fasthttp.ResponseHeader{}
	c.Response().Header.CopyTo(head)
	head.SetContentLength(length)
	if st.keep = keeps(c, length) && !st.server.stopping.Load(); !st.keep {
		head.SetConnectionClose()
	}

	st.method, st.status, st.began = c.Method(), c.Response().StatusCode(), began
	st.conn = c.Context().Conn()
	if client, ok := st.conn.(*clientConn); ok {
		client.head = headScan{} // from here on, others read
	}
	st.writer = newStreamWriter(plainConn(st.conn), head, st.length, a.settings.Streams.WriteTimeout)
	ex.settle(c)
	free := st.free
	st.free = func() {
		free()
		ex.release()
	}
	st.outlive()
	st.home.expect(st)
	c.Context().HijackSetNoResponse(true)
	c.Context().Hijack(func(hijacked net.Conn) {
		if st.keep {
			st.early, st.keep = buffered(hijacked, st.server.http.ReadBufferSize)
		}
		go st.serve() // so that fasthttp takes its buffers back
	})

	return true
}

// outlive gives the stream a context of its own, and lets go of what fasthttp will use again.
func (st *stream) outlive() {
	ex := st.exchange
	values := context.WithoutCancel(ex.latest())
	ex.call = call{ctx: values, exchange: ex, endpoint: st.endpoint}
	ex.body = bodyStream{}
	st.ctx, st.cancel = context.WithCancelCause(values)
}

// serve runs the stream to its end.
func (st *stream) serve() {
	st.home.started(st)
	limited, over := context.WithTimeoutCause(st.ctx, st.api.settings.Streams.MaxDuration, errStreamLong)
	defer over()
	spared := context.AfterFunc(limited, func() { time.AfterFunc(lastWords, st.hangUp) })
	recheck := st.recheck()
	st.others.Go(st.watch)

	err := st.write(limited)
	if err == nil {
		err = st.writer.finish()
	}
	keep := spared() && err == nil && st.keep
	recheck()
	why := st.ending(limited, err)
	if err != nil {
		st.fail(limited, err)
	}
	st.writer.close()
	if !keep || st.conn.SetReadDeadline(longAgo()) != nil { // either has watch end
		st.hangUp()
	}
	st.others.Wait()
	st.api.discard(st.ctx, st.out)
	st.api.streamed(st, why)
	st.free()
	st.home.left(st)
	if keep && !st.lost {
		st.server.takeBack(st.conn, st.early)
	} else if keep {
		st.hangUp()
	}
}

// write has the writer write. What it panics with is logged and an error.
func (st *stream) write(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			st.api.log.LogAttrs(ctx, slog.LevelError, "stream panicked",
				slog.String("panic", fmt.Sprint(p)), slog.String("stack", string(debug.Stack())))
			err = errStreamPanicked
		}
	}()

	return st.run(ctx, st.writer)
}

// watch notices that the client has gone. What it sends meanwhile is its next request, if there is to be one.
func (st *stream) watch() {
	const most = 64 << 10
	buffer := make([]byte, 512)
	for got := 0; got < most; {
		n, err := st.conn.Read(buffer)
		got += n
		if st.keep {
			st.early = append(st.early, buffer[:n]...)
		}
		if stuck(err) { // by serve, which is done
			return
		}
		if err != nil {
			break
		}
	}
	st.lost = true
	st.cancel(errStreamGone)
}

// hangUp closes the connection; whoever reads or writes there stops.
func (st *stream) hangUp() {
	_ = st.conn.Close() //nolint:errcheck // it may be closed already
}

// fail ends a stream that is not whole. A client that has seen nothing of it is told why; else the
// connection ends in the middle of the body.
func (st *stream) fail(ctx context.Context, err error) {
	switch cause := context.Cause(ctx); {
	case st.writer.begun():
		if cause == nil && st.writer.trouble() == nil && !errors.Is(err, errStreamPanicked) {
			st.api.log.LogAttrs(st.ctx, slog.LevelError, "stream failed", slog.Any("error", err)) //nolint:contextcheck // ctx is the same, ended
		}
		st.reset()
	case errors.Is(cause, errStreamGone):
	default:
		st.refuse(cause, err) //nolint:contextcheck // what is said is said after the end
	}
}

// refuse answers with an error.
func (st *stream) refuse(cause, err error) {
	ctx := context.WithoutCancel(st.ctx)
	var body *httpError
	if expected, ok := errors.AsType[*errs.Error](cause); ok {
		body = newHTTPError(ctx, expected)
	} else if errors.Is(err, errStreamPanicked) {
		body = newHTTPError(ctx, errInternal)
	} else {
		body = st.api.fail(ctx, err)
	}
	st.status = body.status
	st.writer.refuse(body)
}

// reset has the client of a body that ends with the connection notice that it ends too early.
func (st *stream) reset() {
	if tcp, ok := st.writer.conn.(*net.TCPConn); ok && st.writer.mode == lengthClose {
		_ = tcp.SetLinger(0) //nolint:errcheck // it is gone already
	}
}
