package web

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/dispatchd/dispatchd/platform/web/coding"
	"github.com/dispatchd/dispatchd/platform/web/etag"
)

// holdsSecrets reports whether answers of the operation may have a secret: one that it makes, or that of the link by which somebody comes
// who shows no token. They are not compressed, because their length would tell of the secret who can have text of theirs stand beside it
// (BREACH, https://www.breachattack.com).
func (op Operation) holdsSecrets() bool {
	return op.Secret || op.Access == Public && strings.Contains(op.Path, "{")
}

// coding returns the content coding of the answer to a request, "" for none.
func (ex *exchange) coding(acceptEncoding string) string {
	if e := ex.call.endpoint; e != nil && e.info.HoldsSecrets {
		return ""
	}

	return coding.Accepted(acceptEncoding, coding.Zstd, coding.Gzip)
}

// compress compresses an answer that is whole, if that makes it smaller and the client can read it. A stream does it by itself.
func (a *API) compress(c *fiber.Ctx, ex *exchange) {
	r := c.Response()
	if e := ex.call.endpoint; e != nil && e.info.HoldsSecrets {
		return
	}
	if r.StatusCode() != http.StatusNotModified && !coding.Text(string(r.Header.ContentType())) {
		return
	}
	c.Vary(fiber.HeaderAcceptEncoding)
	if ex.stream != nil || r.IsBodyStream() || len(r.Header.Peek(fiber.HeaderContentEncoding)) > 0 {
		return
	}
	body := r.Body()
	as := ex.coding(c.Get(fiber.HeaderAcceptEncoding))
	if len(body) < coding.Threshold || as == "" {
		return
	}
	var out bytes.Buffer
	out.Grow(len(body) / 4)
	writer := a.codings.NewWriter(&out, as)
	if _, err := writer.Write(body); err != nil || writer.Close() != nil {
		return // a buffer takes everything
	}
	if out.Len() >= len(body) {
		return
	}
	if len(body) > pooled {
		r.SwapBody(nil) // else it would stay with the connection
	}
	r.SetBodyRaw(out.Bytes())
	c.Set(fiber.HeaderContentEncoding, as)
	if tag := c.GetRespHeader(fiber.HeaderETag); tag != "" {
		c.Set(fiber.HeaderETag, etag.Coded(tag, as))
	}
}
