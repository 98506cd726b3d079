package web

import (
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"mime"
	"net"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/errs"
)

const (
	mediaBytes = "application/octet-stream"
	mediaForm  = "multipart/form-data"
)

var errBodyCut = errs.New(errs.Malformed, "web.body_incomplete", "The body ended before it was complete.")

// Upload is the input of an operation that reads its body as it arrives. Embed it, and declare the
// media types in Operation.Consumes and the largest size in Operation.MaxBody. Of multipart/form-data
// it is the one file in there. A body that is left out, where it may be, is read as an empty one.
//
// It is an io.Reader until the handler returns. Its errors are what to answer: a body that is too
// large, too slow (web.streams.min_upload_rate) or incomplete. What was read before is no whole file:
// keep it only after io.EOF.
type Upload struct {
	source io.Reader
	form   *form
	media  string
	hash   hash.Hash
	ended  bool
	length int64
}

// uploaded is an input with Upload.
type uploaded interface{ receive(c *call) error }

// Read implements io.Reader.
func (u *Upload) Read(p []byte) (int, error) {
	n, err := u.source.Read(p)
	if u.hash != nil {
		_, _ = u.hash.Write(p[:n]) // never fails
	}
	u.ended = u.ended || err == io.EOF

	return n, err
}

// Media returns the media type that the client says the file has, without parameters; "" if there is
// no body.
func (u *Upload) Media() string { return u.media }

// Length returns how many bytes the client says that the body has, with all of a form; negative if it does not say.
func (u *Upload) Length() int64 { return u.length }

// Name returns the name of the file in the form, without folders; "" if there is none.
func (u *Upload) Name() string {
	if u.form == nil {
		return ""
	}

	return u.form.name
}

// Fields returns the other fields of the form that came so far: all of them, after io.EOF.
func (u *Upload) Fields() map[string]string {
	if u.form == nil {
		return nil
	}

	return u.form.fields
}

// Hash has SHA-256 computed of what is read from now on. It is called before reading.
func (u *Upload) Hash() { u.hash = sha256.New() }

// SHA256 returns the hash of the file, nil before io.EOF and without Hash.
func (u *Upload) SHA256() []byte {
	if u.hash == nil || !u.ended {
		return nil
	}

	return u.hash.Sum(nil)
}

// receive implements uploaded.
func (u *Upload) receive(c *call) error {
	u.length = int64(c.fiber().Request().Header.ContentLength())
	if c.endpoint.op.BodyOptional && c.fiber().Request().Header.ContentLength() == 0 {
		u.source = http.NoBody

		return nil
	}
	var parameters map[string]string
	label := c.Header(fiber.HeaderContentType)
	if label == "" {
		label = mediaBytes
	}
	var err error
	u.media, parameters, err = mime.ParseMediaType(label)
	if err != nil || !slices.Contains(c.endpoint.media, u.media) {
		return errMedia.WithDetail("accepted", c.endpoint.media)
	}
	stream := c.BodyReader()
	if stream == nil {
		return errNoBody
	}
	u.source = c.newUploadReader(c.ctx)
	if u.media != mediaForm {
		return nil
	}
	u.form, err = openForm(u.source, parameters["boundary"])
	if err != nil {
		return err
	}
	u.source, u.media = u.form, u.form.media

	return nil
}

// uploadReader reads a body from its connection, not more, not slower and not less than it may be.
type uploadReader struct {
	ctx      context.Context //nolint:containedctx // of the request whose body it is
	conn     net.Conn
	endpoint *endpoint
	body     *bodyStream
	// The client may pause for as long as pause, and must send pace bytes a second beyond that.
	pause time.Duration
	pace  config.Size
	// length is negative if the client did not say it.
	length, got int64
	began       time.Time
	err         error
}

// newUploadReader returns what reads the body of the call while ctx lasts.
func (c *call) newUploadReader(ctx context.Context) *uploadReader {
	f := c.fiber()

	return &uploadReader{
		ctx: ctx, conn: f.Context().Conn(), endpoint: c.endpoint, body: &c.exchange.body,
		pause: c.endpoint.readTimeout, pace: c.endpoint.api.settings.Streams.MinUploadRate,
		length: int64(f.Request().Header.ContentLength()), began: time.Now(), //nolint:forbidigo // a connection knows no other clock
	}
}

// Read implements io.Reader.
func (r *uploadReader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	if r.err = r.conn.SetReadDeadline(r.deadline()); r.err != nil {
		return 0, r.err
	}
	n, err := r.body.Read(p)
	r.got += int64(n)
	switch {
	case r.got > r.endpoint.limit:
		n -= int(r.got - r.endpoint.limit)
		r.err = r.endpoint.tooLarge()
	case errors.Is(err, io.EOF) && r.whole():
		r.err = io.EOF
	case err != nil:
		r.err = r.problem(err)
	}

	return n, r.err
}

// deadline lets a client pause, but not for long, and not be slow forever.
func (r *uploadReader) deadline() time.Time {
	next := time.Now().Add(r.pause) //nolint:forbidigo // of a connection, which knows no other clock
	due := r.began.Add(r.pause + time.Duration(r.got/int64(r.pace))*time.Second)
	if due.Before(next) {
		next = due
	}
	if end, ok := r.ctx.Deadline(); ok && end.Before(next) {
		next = end
	}

	return next
}

// whole reports whether a body that ended is all there.
func (r *uploadReader) whole() bool {
	if r.length >= 0 {
		return r.got == r.length
	}
	client, ok := r.conn.(*clientConn)

	return !ok || !client.ended.Load()
}

// problem says what went wrong with reading. There is no more of this body.
func (r *uploadReader) problem(err error) error {
	r.body.broken = true
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return errSlowRequest
	}

	return errBodyCut.WithCause(err)
}
