package web

import (
	"context"
	"io"
	"mime"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web/httperror"
	"github.com/dispatchd/dispatchd/platform/web/server"
	"github.com/dispatchd/dispatchd/platform/web/upload"
)

// The media types of a JSON body.
const (
	mediaJSON       = "application/json"
	mediaMergePatch = "application/merge-patch+json"
	mediaText       = "text/plain"
)

// restTime is how long what is left of a body that nobody read is read and dropped before the answer, which keeps the connection if
// that was all. See server.DrainBytes for after it.
const restTime = 50 * time.Millisecond

// admitBody refuses a body by what its headers say.
func (e *endpoint) admitBody(c *fiber.Ctx) error {
	if len(e.media) == 0 {
		return nil
	}
	if server.ClaimedLength(&c.Request().Header) > e.limit {
		return e.tooLarge()
	}
	if encoding := c.Get(fiber.HeaderContentEncoding); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return httperror.ErrMedia.WithMessage("The body is encoded as %s; send it without a Content-Encoding.", httperror.Printable(encoding))
	}
	if label := c.Get(fiber.HeaderContentType); label != "" && !e.reads(label) {
		accepted := e.accepted()

		return httperror.ErrMedia.WithMessage("The body is %s; send it as %s.", httperror.Printable(label), strings.Join(accepted, " or ")).
			WithDetail("accepted", accepted)
	}

	return nil
}

// reads reports whether the operation reads bodies with a label. Text is read as JSON: the
// documented interface labels its JSON so.
func (e *endpoint) reads(label string) bool {
	media, rest, labelled := strings.Cut(label, ";")
	media = strings.ToLower(strings.TrimSpace(media))
	if !slices.Contains(e.media, media) && (!e.json || media != mediaText) {
		return false
	}
	if !labelled || !e.json || strings.TrimSpace(rest) == "" {
		return true
	}
	_, parameters, err := mime.ParseMediaType(label)
	charset := parameters["charset"]

	return err == nil && (charset == "" || strings.EqualFold(charset, "utf-8") || strings.EqualFold(charset, "us-ascii"))
}

// accepted are the labels that the operation reads bodies with.
func (e *endpoint) accepted() []string {
	if e.json {
		return append(slices.Clone(e.media), mediaText)
	}

	return e.media
}

func (e *endpoint) tooLarge() *errs.Error {
	return httperror.ErrTooLarge.WithMessage("The body is larger than the limit of %s.", config.Size(e.limit)).
		WithDetail("limit_bytes", e.limit)
}

// receive opens the body of a call as an upload.
func (c *call) receive(in upload.Receiver) error {
	f := c.fiber
	r := upload.Request{
		Length: int64(f.Request().Header.ContentLength()), Label: c.Header(fiber.HeaderContentType),
		Media: c.endpoint.media, Optional: c.endpoint.op.BodyOptional,
	}
	if c.BodyReader() != nil {
		r.Body = c.newUploadReader(c.ctx, c.endpoint.readTimeout, c.endpoint.api.settings.Streams.MinUploadRate)
	}

	return in.Receive(r)
}

// newUploadReader returns what reads the body of the call while ctx lasts, from a client that may pause, and must send pace bytes a
// second beyond that.
func (c *call) newUploadReader(ctx context.Context, pause time.Duration, pace config.Size) *upload.Reader {
	f, e := c.fiber, c.endpoint

	return upload.NewReader(ctx, f.Context().Conn(), &c.exchange.body, int64(f.Request().Header.ContentLength()), upload.Bounds{
		Limit: e.limit, TooLarge: e.tooLarge, Pause: pause, Pace: pace,
	})
}

// bodyStream notes how far the body of a request was read.
type bodyStream struct {
	stream io.Reader
	ended  bool
	broken bool
}

// Read implements io.Reader.
func (b *bodyStream) Read(p []byte) (int, error) {
	n, err := b.stream.Read(p)
	if err == io.EOF {
		b.ended = true
	}

	return n, err
}

// Break implements upload.Body.
func (b *bodyStream) Break() { b.broken = true }

// finishBody sees to what is left of a body: fasthttp would take it for the next request of the
// connection.
func (ex *exchange) finishBody(c *fiber.Ctx) {
	b := &ex.body
	length := c.Request().Header.ContentLength()
	if b.stream == nil {
		b.stream = c.Request().BodyStream()
	}
	if b.stream == nil || b.ended || length == 0 {
		return
	}
	if !b.broken {
		deadline := time.Now().Add(restTime) //nolint:forbidigo // of a connection, which knows no other clock
		if err := c.Context().Conn().SetReadDeadline(deadline); err == nil {
			_, err = io.CopyN(io.Discard, b, server.DrainBytes)
			b.ended = err == io.EOF //nolint:errorlint // CopyN returns it bare
		}
	}
	if !b.ended {
		c.Response().SetConnectionClose()
		if !b.broken && ex.stream == nil {
			server.LeaveUnread(c.Context().Conn())
		}
	}
}
