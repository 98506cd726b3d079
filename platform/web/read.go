package web

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/dispatchd/dispatchd/platform/web/binding"
	"github.com/dispatchd/dispatchd/platform/web/httperror"
)

// read returns the input that the request is. The refusal is its answer.
func (e *endpoint) read(c *call, plan *binding.Plan) (in any, refusal *httperror.Error) {
	body, release, refusal := e.readBody(c)
	if refusal != nil {
		return nil, e.shaped(refusal)
	}
	defer release()
	in, wrong := plan.Read(c, body)
	if wrong == nil {
		return in, nil
	}
	refusal = newHTTPError(c.ctx, wrong)
	if refusal.Status == http.StatusUnprocessableEntity {
		for field, messages := range c.flaws {
			refusal.Errors[field] = append(refusal.Errors[field], messages...)
		}
	}

	return nil, e.shaped(refusal)
}

// bodies are buffers for those of requests.
var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// readBody reads the body, if the operation has one that is bound. A typed body may be read until it is released: what is bound of it is
// copied. A raw one belongs to the handler.
func (e *endpoint) readBody(c *call) (body []byte, release func(), refusal *httperror.Error) {
	release = func() {}
	kept := e.raw || e.taken
	switch {
	case !e.takesBody || e.uploads:
		return nil, release, nil
	case c.admitted != nil:
		return c.body, release, nil
	case c.whole && kept:
		return bytes.Clone(c.body), release, nil // it may be read again
	case c.whole:
		return c.body, release, nil
	}
	source := c.BodyReader()
	if source == nil {
		return nil, release, nil
	}
	_ = c.SetReadDeadline(time.Now().Add(e.readTimeout)) //nolint:errcheck,forbidigo // of a connection, which knows no other clock; reading says what is wrong with it
	buffer := bodies.Get().(*bytes.Buffer)               //nolint:forcetypeassert // nothing else is put there
	release = func() {
		if buffer.Cap() <= pooled {
			buffer.Reset()
			bodies.Put(buffer)
		}
	}
	if refusal = e.readInto(c, buffer, source); refusal != nil {
		release()

		return nil, nil, refusal
	}
	if kept {
		defer release()

		return bytes.Clone(buffer.Bytes()), func() {}, nil
	}

	return buffer.Bytes(), release, nil
}

// readInto reads a body. The refusal says why that is not possible.
func (e *endpoint) readInto(c *call, buffer *bytes.Buffer, source io.Reader) (refusal *httperror.Error) {
	_, err := buffer.ReadFrom(io.LimitReader(source, e.limit+1))
	timeout, isNet := errors.AsType[net.Error](err)
	switch {
	case int64(buffer.Len()) > e.limit:
		return newHTTPError(c.ctx, e.tooLarge())
	case err == nil:
		return nil
	case isNet && timeout.Timeout():
		c.exchange.body.broken = true

		return newHTTPError(c.ctx, httperror.ErrTooSlow)
	default:
		c.exchange.body.broken = true

		return e.api.fail(c.ctx, httperror.ErrUnreadable.WithCause(err))
	}
}
