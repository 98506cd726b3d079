package web

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"github.com/dispatchd/dispatchd/platform/idempotency"
	"github.com/dispatchd/dispatchd/platform/web/binding"
)

// recording is an answer that is not sent yet.
type recording struct {
	status  int
	headers []idempotency.Header
	body    bytes.Buffer
	// failed is what the handler failed with.
	failed error
}

// refusalError is an answer that undoes the transaction and is sent all the same.
type refusalError struct{ answer idempotency.Answer }

// Error implements error.
func (*refusalError) Error() string { return "the request was refused" }

// record returns what answers the call in a transaction, and records its answer. It can be
// called again.
func (c *call) record(plan *binding.Plan) func(context.Context) (idempotency.Answer, error) {
	return func(ctx context.Context) (idempotency.Answer, error) { //nolint:contextcheck // that of the transaction, which derives from the call's
		outside := c.ctx
		c.ctx, c.recording, c.minimal = ctx, &recording{}, false
		defer func() { c.ctx, c.recording = outside, nil }()
		c.endpoint.answer(c, plan) //nolint:contextcheck // what closes a stream has that of the exchange

		r := c.recording
		answer := idempotency.Answer{Status: r.status, Headers: r.headers, Body: r.body.Bytes()}
		switch {
		case r.failed != nil:
			return idempotency.Answer{}, r.failed
		case r.status >= http.StatusBadRequest:
			return idempotency.Answer{}, &refusalError{answer}
		default:
			return answer, nil
		}
	}
}

// send sends an answer that was recorded.
func (c *call) send(a idempotency.Answer) {
	for _, h := range a.Headers {
		if h.Append {
			c.fiber.Append(h.Name, h.Value)
		} else {
			c.fiber.Set(h.Name, h.Value)
		}
	}
	c.fiber.Status(a.Status)
	c.fiber.Response().SetBody(a.Body)
}

// SetStatus implements huma.Context.
func (c *call) SetStatus(code int) {
	if c.recording != nil {
		c.recording.status = code

		return
	}
	c.status = code
	c.fiber.Status(code)
}

// Status implements huma.Context.
func (c *call) Status() int {
	if c.recording != nil {
		return c.recording.status
	}

	return c.status
}

// SetHeader implements huma.Context.
func (c *call) SetHeader(name, value string) { c.header(idempotency.Header{Name: name, Value: value}) }

// AppendHeader implements huma.Context.
func (c *call) AppendHeader(name, value string) {
	c.header(idempotency.Header{Name: name, Value: value, Append: true})
}

func (c *call) header(h idempotency.Header) {
	switch {
	case c.recording != nil:
		c.recording.headers = append(c.recording.headers, h)
	case h.Append:
		c.fiber.Append(h.Name, h.Value)
	default:
		c.fiber.Set(h.Name, h.Value)
	}
}

// BodyWriter implements huma.Context.
func (c *call) BodyWriter() io.Writer {
	if c.recording != nil {
		return &c.recording.body
	}

	return c.fiber.Context()
}
