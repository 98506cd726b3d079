package web

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/telemetry"
	"github.com/dispatchd/dispatchd/platform/web/etag"
	"github.com/dispatchd/dispatchd/platform/web/jsonbody"
	"github.com/dispatchd/dispatchd/platform/web/stream"
	"github.com/dispatchd/dispatchd/platform/web/upload"
)

// serve surrounds what Huma does for a request: it decides whether the request gets that far, and
// gives it a deadline.
func (e *endpoint) serve(ctx huma.Context, next func(huma.Context)) {
	if _, inside := ctx.(*acting); inside {
		next(ctx)

		return
	}
	ex := exchangeOf(ctx.Context())
	timeout := e.timeout
	if e.op.Admit != nil {
		timeout += e.readTimeout // its own time begins when the body is there
	}
	deadline, cancel := context.WithTimeout(ex, timeout)
	defer cancel()

	c := &ex.call
	defer c.leave()
	*c = call{humaContext: ctx, ctx: telemetry.WithArea(deadline, e.info.Area), exchange: ex, endpoint: e}
	for _, h := range e.op.Headers {
		c.SetHeader(h[0], h[1])
	}
	e.begin(c)
	if err := e.admit(c); err != nil {
		e.api.send(c.fiber(), e.fail(c.ctx, err))
	} else {
		if e.op.Method != http.MethodGet {
			c.ctx = telemetry.WithOperation(c.ctx, e.operation(c))
		}
		e.perform(c, next)
	}
	e.page(c)
}

// operation is the call as the audit trail knows it.
func (e *endpoint) operation(c *call) telemetry.Operation {
	op := telemetry.Operation{ID: e.info.ID, Address: ClientIP(c.ctx)}
	if id, err := uuid.Parse(c.Param("uuid")); err == nil {
		op.Item = id
	}

	return op
}

// admit answers for everything that is decided before the request is read.
func (e *endpoint) admit(c *call) error {
	left, err := e.api.slots.Arrive()
	if err != nil {
		return err
	}
	err = e.authenticate(c)
	left()
	if err != nil {
		return err
	}
	if err := e.admitBody(c.fiber()); err != nil {
		return err
	}
	if e.taken {
		return e.admitRaw(c)
	}
	if err := e.takeRoom(c); err != nil {
		return err
	}
	c.flaws = e.query.flaws(c.fiber())
	if err := readNothing(e, c); err != nil {
		return err
	}
	readForm(e, c)

	return checkBody(e, c)
}

// wrapHandler surrounds the handler: its errors become answers, here and nowhere else.
func wrapHandler[I, O any](e *endpoint, handler func(context.Context, *I) (*O, error)) func(context.Context, *I) (*O, error) {
	return func(ctx context.Context, in *I) (*O, error) {
		if c := actingOf(ctx); c != nil && c.endpoint == e {
			if raw, ok := any(in).(rawInput); ok {
				raw.cloneBody()
			}
			out, err := handler(ctx, in)

			return nil, c.done(e, out, err)
		}
		c := &exchangeOf(ctx).call
		if err := e.before(c, in); err != nil {
			return nil, e.answerFailure(c, err)
		}
		leave, err := e.enter(c) //nolint:contextcheck // what closes a stream has that of the exchange
		if err != nil {
			return nil, e.answerFailure(c, err)
		}
		defer leave()
		out, err := handler(ctx, in)
		if err == nil && out == nil && e.answers {
			err = stream.ErrNoOutput
		}
		if err == nil && out != nil {
			err = e.after(c, out)
		}
		if err != nil {
			return nil, e.answerFailure(c, e.stranger(c, err))
		}

		return out, nil
	}
}

// before does what is left to do with a request that Huma found right.
func (e *endpoint) before(c *call, in any) error {
	if len(c.flaws) > 0 {
		return jsonbody.Invalid(c.flaws)
	}
	switch in := in.(type) {
	case rawInput:
		in.cloneBody()
	case upload.Receiver:
		return c.receive(in)
	case inputWithRaw:
		in.setCall(c)

		return e.verify(c, in)
	}

	return nil
}

// after decides how a resource is answered.
func (e *endpoint) after(c *call, out any) error {
	if streamed, ok := out.(stream.Output); ok {
		return e.begins(c, streamed)
	}
	resource, ok := out.(versioned)
	if !ok {
		return nil
	}
	if e.op.Method == http.MethodGet {
		return etag.NotModified(c.Header("If-None-Match"), resource.tag())
	}
	c.minimal = e.prefersMinimal(c)

	return nil
}
