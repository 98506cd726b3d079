package stream

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

	"github.com/valyala/fasthttp"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web/coding"
	"github.com/dispatchd/dispatchd/platform/web/httperror"
	"github.com/dispatchd/dispatchd/platform/web/server"
)

// lastWords is how long a stream may still write after its context ended.
const lastWords = time.Second

// Why a stream ends before its writer is done: the cause of its context, or what its writer failed with.
var (
	errGone = errors.New("the client went away")
	// ErrTooLong is the cause after web.streams.max_duration.
	ErrTooLong = httperror.ErrDeadline
	// ErrRevoked is the cause when the caller may no longer have the stream.
	ErrRevoked = errs.New(errs.Unauthenticated, "web.access_ended", "The token may no longer read this.")

	errSize = errors.New("the stream does not have the declared size")
	// ErrPanicked says that the writer panicked, which is logged already.
	ErrPanicked = errors.New("the stream panicked")
	// ErrNoOutput is a defect of a handler.
	ErrNoOutput = errors.New("the handler returned neither output nor error")
)

// Request is what an output is asked for.
type Request struct {
	// ID and Method are those of the request; Header returns a header of it.
	ID, Method string
	Header     func(name string) string
	// Produces reports whether the operation declares a media type.
	Produces func(media string) bool
	// Coding is the content coding that text may be written in, by a writer of Codings; "" for none.
	Coding  string
	Codings *coding.Pool
}

// Output is an answer that is written after the handler returned.
type Output interface {
	// Prepare decides how a request is answered; its error is answered instead.
	Prepare(r Request) (Plan, error)
	// Discard gives back what the output holds. It is called once, whatever became of it.
	Discard() error
}

// Plan is how an output is written: Length is -1 if it is not known.
type Plan struct {
	Length int64
	Write  func(ctx context.Context, r *Run) error
	// Compress returns what compresses to a writer; nil sends what is written. Size and Tag are the length, -1 if it is not known,
	// and the ETag of what is compressed.
	Compress func(to io.Writer) coding.Writer
	Size     int64
	Tag      string
}

// Host is the request that a stream answers.
type Host interface {
	// Revoked reports whether the caller may no longer have the stream.
	Revoked(ctx context.Context) bool
	// Refusal is the answer to an error of which the client has seen nothing. Cause is why the context ended, nil if it did not.
	Refusal(ctx context.Context, cause, err error) *httperror.Error
	// Ended is called with one of the Ends when the stream has ended.
	Ended(r *Run, end string)
	// Resume has the connection serve the next request, which early may be the beginning of.
	Resume(c net.Conn, early []byte)
}

// Run is an answer that is written after its handler returned, on a connection that fasthttp has let go of.
type Run struct {
	pool *Pool
	host Host
	// free gives back the place.
	free func()

	// out is nil until it is known what is answered.
	out  Output
	plan Plan

	ctx    context.Context //nolint:containedctx // that of the stream
	cancel context.CancelCauseFunc
	conn   net.Conn
	writer *Writer
	// others are the goroutines beside that of Serve; they end with the connection.
	others sync.WaitGroup
	// keep says that the connection takes another request after this. early is what the client has sent of it,
	// and lost says that it is of no use; both are watch's until the others have ended.
	keep  bool
	early []byte
	lost  bool
	// why is how the stream said that it ends, "" if it said nothing.
	why string
}

// NewRun returns a stream of the host that has a place, which free gives back.
func (p *Pool) NewRun(h Host, free func()) *Run { return &Run{pool: p, host: h, free: free} }

// Answer has an output be written later, or refuses.
func (r *Run) Answer(out Output, to Request) error {
	r.out = out
	plan, err := out.Prepare(to)
	if err != nil {
		return err
	}
	r.plan = plan

	return nil
}

// Answered reports whether there is something to write.
func (r *Run) Answered() bool { return r.plan.Write != nil }

// Length returns how many bytes there will be; -1 if it is not known.
func (r *Run) Length() int64 { return r.plan.Length }

// Sent counts the bytes that went out, heads and all.
func (r *Run) Sent() int64 { return r.writer.sent() }

// Context returns the context of the stream.
func (r *Run) Context() context.Context { return r.ctx }

// Writer writes to the client.
func (r *Run) Writer() *Writer { return r.writer }

// Settings are those of all streams.
func (r *Run) Settings() Settings { return r.pool.settings }

// Log is for what goes wrong beside the stream.
func (r *Run) Log() *slog.Logger { return r.pool.log }

// Stopping is closed when the service stops.
func (r *Run) Stopping() <-chan struct{} { return r.pool.stopping }

// Go runs f, which ends with the connection.
func (r *Run) Go(f func()) { r.others.Go(f) }

// EndAs says how the stream ends that is about to end well.
func (r *Run) EndAs(end string) { r.why = end }

// Drop gives back what a stream holds that is not to run.
func (r *Run) Drop(ctx context.Context) {
	r.discard(ctx)
	r.free()
}

func (r *Run) discard(ctx context.Context) {
	if r.out == nil {
		return
	}
	if err := r.out.Discard(); err != nil {
		r.pool.log.LogAttrs(ctx, slog.LevelWarn, "source of a stream not closed", slog.Any("error", err))
	}
}

// Detach readies the stream for a connection that fasthttp is about to let go of. The context has the values of the request's, and
// lasts. Release is called after the end; keep says that the connection may take another request then.
func (r *Run) Detach(ctx context.Context, conn net.Conn, head *fasthttp.ResponseHeader, release func(), keep bool) {
	r.conn, r.keep = conn, keep
	r.writer = newWriter(server.Plain(conn), head, r.plan, r.pool.settings.WriteTimeout)
	free := r.free
	r.free = func() {
		free()
		release()
	}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	r.pool.expect(r)
}

// Hijacked takes over what fasthttp has read ahead of the connection, which is up to most bytes.
func (r *Run) Hijacked(c net.Conn, most int) {
	if r.keep {
		r.early, r.keep = bufferedBytes(c, most)
	}
}

// Serve runs the stream to its end.
func (r *Run) Serve() {
	r.pool.started(r)
	limited, over := context.WithTimeoutCause(r.ctx, r.pool.settings.MaxDuration, ErrTooLong)
	defer over()
	spared := context.AfterFunc(limited, func() { time.AfterFunc(lastWords, r.hangUp) })
	recheck := r.recheck()
	r.others.Go(r.watch)

	err := r.write(limited)
	if err == nil {
		err = r.writer.finish()
	}
	keep := spared() && err == nil && r.keep
	recheck()
	end := r.end(limited, err)
	if err != nil {
		r.fail(limited, err)
	}
	r.writer.close()
	if !keep || r.conn.SetReadDeadline(longAgo()) != nil { // either has watch end
		r.hangUp()
	}
	r.others.Wait()
	r.discard(r.ctx)
	r.host.Ended(r, end)
	r.free()
	r.pool.left(r)
	if keep && !r.lost {
		r.host.Resume(r.conn, r.early)
	} else if keep {
		r.hangUp()
	}
}

// write has the output write. What it panics with is logged and an error.
func (r *Run) write(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			r.pool.log.LogAttrs(ctx, slog.LevelError, "stream panicked",
				slog.String("panic", fmt.Sprint(p)), slog.String("stack", string(debug.Stack())))
			err = ErrPanicked
		}
	}()

	return r.plan.Write(ctx, r)
}

// recheck looks from time to time whether the caller may still do what the stream does for it.
func (r *Run) recheck() (stop func()) {
	every := r.pool.settings.Recheck
	var timer *time.Timer
	ready := make(chan struct{})
	timer = time.AfterFunc(every, func() {
		<-ready
		switch {
		case r.ctx.Err() != nil:
		case r.revoked(every):
			r.cancel(ErrRevoked)
		default:
			timer.Reset(every)
		}
	})
	close(ready)

	return func() { timer.Stop() }
}

// revoked reports whether the host says so in time.
func (r *Run) revoked(within time.Duration) bool {
	ctx, cancel := context.WithTimeout(r.ctx, within)
	defer cancel()

	return r.host.Revoked(ctx)
}

// watch notices that the client has gone. What it sends meanwhile is its next request, if there is to be one.
func (r *Run) watch() {
	const most = 64 << 10
	buffer := make([]byte, 512)
	for got := 0; got < most; {
		n, err := r.conn.Read(buffer)
		got += n
		if r.keep {
			r.early = append(r.early, buffer[:n]...)
		}
		if isStuck(err) { // by Serve, which is done
			return
		}
		if err != nil {
			break
		}
	}
	r.lost = true
	r.cancel(errGone)
}

// hangUp closes the connection; whoever reads or writes there stops.
func (r *Run) hangUp() {
	_ = r.conn.Close() //nolint:errcheck // it may be closed already
}

// fail ends a stream that is not whole. A client that has seen nothing of it is told why; else the
// connection ends in the middle of the body.
func (r *Run) fail(ctx context.Context, err error) {
	switch cause := context.Cause(ctx); {
	case r.writer.begun():
		if cause == nil && r.writer.connError() == nil && !errors.Is(err, ErrPanicked) {
			r.pool.log.LogAttrs(r.ctx, slog.LevelError, "stream failed", slog.Any("error", err)) //nolint:contextcheck // ctx is the same, ended
		}
		r.reset()
	case errors.Is(cause, errGone):
	default:
		r.writer.fail(r.host.Refusal(context.WithoutCancel(r.ctx), cause, err)) //nolint:contextcheck // what is said is said after the end
	}
}

// reset has the client of a body that ends with the connection notice that it ends too early.
func (r *Run) reset() {
	if tcp, ok := r.writer.conn.(*net.TCPConn); ok && r.writer.mode == LengthClose {
		_ = tcp.SetLinger(0) //nolint:errcheck // it is gone already
	}
}
