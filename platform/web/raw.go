package web

import (
	"bytes"
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/valyala/fasthttp"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// Raw is the input of an operation that takes a request as it came, of whoever can prove that he may
// send it: the notification of a vendor. Embed it, declare the media types in Operation.Consumes, and be
// Public; who is refused, with errs.Unauthenticated or errs.NotFound, is limited by his address, and nobody
// else is. Any query is taken.
type Raw struct {
	// RawBody is the body. It belongs to the handler, also after it returned.
	RawBody []byte
	// Header has the names in their canonical form.
	Header http.Header
	// Target is path and query, in the bytes in which they came.
	Target string
}

// Head is what is known of a request with Raw before its body is read.
type Head struct {
	// Param returns a part of the path by its name.
	Param func(name string) string
	// Host is the host of the request, as the client says it.
	Host string
	// Length is that of the body in bytes; negative if the client does not say it.
	Length int64
}

// taken is an input with Raw.
type taken interface{ take(c *call) }

// take implements taken.
func (r *Raw) take(c *call) {
	request := c.fiber().Request()
	r.RawBody = bytes.Clone(r.RawBody)
	r.Header = headerOf(&request.Header)
	r.Target = string(request.URI().PathOriginal())
	if query := request.URI().QueryString(); len(query) > 0 {
		r.Target += "?" + string(query)
	}
}

func headerOf(h *fasthttp.RequestHeader) http.Header {
	header := http.Header{}
	for name, value := range h.All() {
		header.Add(string(name), string(value))
	}

	return header
}

// checkRaw refuses declarations that do not fit an input with Raw.
func (e *endpoint) checkRaw() error {
	switch {
	case e.taken && (e.op.Access != Public || e.op.Method != http.MethodPost):
		return errors.New("its input has a Raw: want a POST whose Access is Public")
	case !e.taken && e.op.Admit != nil:
		return errors.New("its Admit: that is for an input with a Raw")
	}

	return nil
}

// admitRaw asks the operation whether it takes a request, before the body is read.
func (e *endpoint) admitRaw(c *call) error {
	if e.op.Admit == nil {
		return nil
	}
	f := c.fiber()
	ctx, leave, err := e.op.Admit(c.ctx, Head{
		Param: c.Param, Host: strings.ToLower(string(f.Request().Host())), Length: int64(f.Request().Header.ContentLength()),
	})
	if err != nil {
		return e.stranger(c, err)
	}
	c.ctx, c.leave = ctx, leave

	return nil
}

// stranger is the answer to who is refused, or that it happens too often.
func (e *endpoint) stranger(c *call, err error) error {
	if kind := errs.KindOf(err); !e.taken || kind != errs.Unauthenticated && kind != errs.NotFound {
		return err
	}
	if over := e.limitAddress(c); over != nil {
		return over
	}

	return challenged(err, "")
}

// documentRaw says what an operation with Raw answers: bytes that are known beforehand.
func (e *endpoint) documentRaw(response *huma.Response) {
	response.Content = nil
	for _, media := range e.op.Produces {
		schema := &huma.Schema{Type: huma.TypeString}
		if media == mediaJSON {
			schema = &huma.Schema{Type: huma.TypeObject}
		}
		response.Content = map[string]*huma.MediaType{media: {Schema: schema}}
	}
}
