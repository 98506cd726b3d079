package upload

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"time"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web/httperror"
)

var errBodyCut = errs.New(errs.Malformed, "web.body_incomplete", "The body ended before it was complete.")

// Body is the body of a request as it comes from its connection.
type Body interface {
	io.Reader
	// Break says that there is no more of it.
	Break()
}

// Bounds are how a body may arrive.
type Bounds struct {
	// Limit is the most, in bytes, and TooLarge the answer to more.
	Limit    int64
	TooLarge func() *errs.Error
	// The client may pause for as long as Pause, and must send Pace bytes a second beyond that.
	Pause time.Duration
	Pace  config.Size
}

// Reader reads a body from its connection, not more, not slower and not less than it may be.
type Reader struct {
	ctx    context.Context //nolint:containedctx // of the request whose body it is
	conn   net.Conn
	body   Body
	bounds Bounds
	// length is negative if the client did not say it.
	length, got int64
	began       time.Time
	err         error
}

// NewReader returns what reads a body of a length, which is negative if the client did not say it, while ctx lasts.
func NewReader(ctx context.Context, conn net.Conn, body Body, length int64, b Bounds) *Reader {
	return &Reader{
		ctx: ctx, conn: conn, body: body, bounds: b, length: length, began: time.Now(), //nolint:forbidigo // a connection knows no other clock
	}
}

// Length returns how many bytes the client says that the body has; negative if it does not say.
func (r *Reader) Length() int64 { return r.length }

// Read implements io.Reader.
func (r *Reader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	if r.err = r.conn.SetReadDeadline(r.deadline()); r.err != nil {
		return 0, r.err
	}
	n, err := r.body.Read(p)
	r.got += int64(n)
	switch {
	case r.got > r.bounds.Limit:
		n -= int(r.got - r.bounds.Limit)
		r.err = r.bounds.TooLarge()
	case errors.Is(err, io.EOF) && r.isComplete():
		r.err = io.EOF
	case err != nil:
		r.err = r.problem(err)
	}

	return n, r.err
}

// deadline lets a client pause, but not for long, and not be slow forever.
func (r *Reader) deadline() time.Time {
	next := time.Now().Add(r.bounds.Pause) //nolint:forbidigo // of a connection, which knows no other clock
	due := r.began.Add(r.bounds.Pause + time.Duration(r.got/int64(r.bounds.Pace))*time.Second)
	if due.Before(next) {
		next = due
	}
	if end, ok := r.ctx.Deadline(); ok && end.Before(next) {
		next = end
	}

	return next
}

// isComplete reports whether a body that ended is all there.
func (r *Reader) isComplete() bool {
	if r.length >= 0 {
		return r.got == r.length
	}
	client, ok := r.conn.(interface{ Ended() bool })

	return !ok || !client.Ended()
}

// problem says what went wrong with reading. There is no more of this body.
func (r *Reader) problem(err error) error {
	r.body.Break()
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return httperror.ErrTooSlow
	}

	return errBodyCut.WithCause(err)
}
