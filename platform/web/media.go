package web

import (
	"io"
	"mime"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/errs"
)

// What is left of a body that nobody read is read and dropped, so that the client gets to see why it was refused: for
// restTime before the answer, which keeps the connection if that was all, and then for drainTime after it.
const (
	restTime   = 50 * time.Millisecond
	drainTime  = 2 * time.Second
	drainBytes = 16 << 20
)

var (
	errTooLarge = errs.New(errs.TooLarge, "web.body_too_large", "The body is too large.")
	errMedia    = errs.New(errs.UnsupportedMedia, "web.unsupported_media", "The body has a media type that is not read here.")
)

// admitBody refuses a body by what its headers say.
func (e *endpoint) admitBody(c *fiber.Ctx) error {
	if len(e.media) == 0 {
		return nil
	}
	if claimed(&c.Request().Header) > e.limit {
		return e.tooLarge()
	}
	if encoding := c.Get(fiber.HeaderContentEncoding); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return errMedia.WithMessage("The body is encoded as %s; send it as it is.", printable(encoding))
	}
	if label := c.Get(fiber.HeaderContentType); label != "" && !e.reads(label) {
		accepted := e.accepted()

		return errMedia.WithMessage("The body is %s; send it as %s.", printable(label), strings.Join(accepted, " or ")).
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
	return errTooLarge.WithMessage("The body is larger than the limit of %s.", config.Size(e.limit)).
		WithDetail("limit_bytes", e.limit)
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

// settle sees to what is left of a body: fasthttp would take it for the next request of the
// connection.
func (ex *exchange) settle(c *fiber.Ctx) {
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
			_, err = io.CopyN(io.Discard, b, drainBytes)
			b.ended = err == io.EOF //nolint:errorlint // CopyN returns it bare
		}
	}
	if !b.ended {
		c.Response().SetConnectionClose()
		if !b.broken && ex.stream == nil {
			leaveUnread(c.Context().Conn())
		}
	}
}
