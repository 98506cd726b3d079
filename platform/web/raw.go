package web

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/valyala/fasthttp"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web/jsonbody"
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
}

// Admitted is a request with Raw that was let in by what is known before its body is read. Its methods are called one
// after the other.
type Admitted interface {
	// Patience is how long the client may pause while it sends the body, and Pace how many bytes a second it must send on the
	// average beyond that.
	Patience() (pause time.Duration, pace config.Size)
	// Grow is called before n more bytes of memory are taken for the body. Its error is the answer.
	Grow(ctx context.Context, n int64) error
	// Verify decides on the whole request, before it takes a place among those that are worked on (web.overload). Its error is
	// the answer.
	Verify(ctx context.Context, r *Raw) error
	// Leave is called when the request is over.
	Leave()
}

// inputWithRaw is an input with Raw.
type inputWithRaw interface {
	setCall(c *call)
	raw() *Raw
}

func (r *Raw) raw() *Raw { return r }

// setCall implements taken.
func (r *Raw) setCall(c *call) {
	request := c.fiber.Request()
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

// admitRaw asks the operation whether it takes a request, and then reads the body.
func (e *endpoint) admitRaw(c *call) error {
	if e.op.Admit == nil {
		return nil
	}
	f := c.fiber
	ctx, admitted, err := e.op.Admit(c.ctx, Head{Param: c.Param, Host: strings.ToLower(string(f.Request().Host()))})
	if err != nil {
		return e.stranger(c, err)
	}
	c.ctx, c.admitted = ctx, admitted
	if err := e.readRaw(c); err != nil {
		return err
	}
	// From here on it may take as long as any other request.
	c.ctx, c.cancel = context.WithTimeout(c.ctx, e.timeout)

	return nil
}

// readRaw reads the body, in memory that is taken as it arrives.
func (e *endpoint) readRaw(c *call) error {
	const first = 16 << 10
	body := c.BodyReader()
	c.whole = true
	if body == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(c.ctx, e.readTimeout)
	defer cancel()
	pause, pace := c.admitted.Patience()
	reader := c.newUploadReader(ctx, pause, pace)
	for {
		if have := int64(cap(c.body)); int64(len(c.body)) == have {
			want := min(max(2*have, first), e.limit+1)
			if reader.Length() >= 0 {
				want = min(want, reader.Length()+1)
			}
			if err := c.admitted.Grow(ctx, want-have); err != nil {
				return err
			}
			c.body = append(make([]byte, 0, want), c.body...)
		}
		n, err := reader.Read(c.body[len(c.body):cap(c.body)])
		c.body = c.body[:len(c.body)+n]
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// verify has the operation decide on the whole request.
func (e *endpoint) verify(c *call, in inputWithRaw) error {
	if c.admitted == nil {
		return nil
	}
	left, err := e.api.room.slots.Arrive()
	if err != nil {
		return err
	}
	defer left()

	return e.stranger(c, c.admitted.Verify(c.ctx, in.raw()))
}

// leave is called when the request is over.
func (c *call) leave() {
	if c.admitted != nil {
		c.admitted.Leave()
	}
	if c.cancel != nil {
		c.cancel()
	}
}

// stranger is the answer to who is refused, or that it happens too often.
func (e *endpoint) stranger(c *call, err error) error {
	if kind := errs.KindOf(err); !e.taken || kind != errs.Unauthenticated && kind != errs.NotFound {
		return err
	}
	if over := e.limitAddress(c); over != nil {
		return over
	}

	return withChallenge(err, "")
}

// documentRaw documents an answer of bytes to a request with Raw.
func (e *endpoint) documentRaw(response *huma.Response) {
	if !e.output.WritesBytes() {
		return
	}
	response.Content = nil
	for _, media := range e.op.Produces {
		schema := &huma.Schema{Type: huma.TypeString}
		if media == mediaJSON {
			schema = &huma.Schema{Type: huma.TypeObject}
		}
		response.Content = map[string]*huma.MediaType{media: {Schema: schema}}
	}
}

// RawJSON is the input of an operation whose body its handler decodes: one with keys that are not
// known when the service is built. Embed it in the input, and describe the body in
// Operation.RequestSchema. The media type, the size and that there is a body are checked before
// the handler; the handler reads it with Decode.
type RawJSON struct {
	// RawBody is the body. It belongs to the handler, also after it returned.
	RawBody []byte `contentType:"application/json"`
}

// Decode is jsonbody.Decode of the body.
func (r *RawJSON) Decode(into any) error { return jsonbody.Decode(r.RawBody, into) }

// rawInput is an input with RawJSON.
type rawInput interface{ rawJSON() }

func (r *RawJSON) rawJSON() {}
