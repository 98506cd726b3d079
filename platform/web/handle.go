package web

import (
	"context"
	"net/http"

	"github.com/gofiber/fiber/v2"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/telemetry"
	"github.com/dispatchd/dispatchd/platform/web/binding"
	"github.com/dispatchd/dispatchd/platform/web/etag"
	"github.com/dispatchd/dispatchd/platform/web/jsonbody"
	"github.com/dispatchd/dispatchd/platform/web/stream"
	"github.com/dispatchd/dispatchd/platform/web/upload"
)

// handle answers a request: it decides whether the request gets as far as the handler, and gives it a deadline.
func (e *endpoint) handle(f *fiber.Ctx) error {
	plan, err := e.made()
	if err != nil {
		return err
	}
	ex := exchangeOf(f.UserContext())
	timeout := e.timeout
	if e.op.Admit != nil {
		timeout += e.readTimeout // its own time begins when the body is there
	}
	deadline, cancel := context.WithTimeout(ex, timeout)
	defer cancel()

	c := &ex.call
	defer c.leave()
	*c = call{fiber: f, ctx: telemetry.WithArea(deadline, e.info.Area), exchange: ex, endpoint: e}
	for _, h := range e.op.Headers {
		c.SetHeader(h[0], h[1])
	}
	e.begin(c)
	if err := e.admit(c); err != nil {
		e.api.send(f, e.fail(c.ctx, err))
	} else {
		if e.op.Method != http.MethodGet {
			c.ctx = telemetry.WithOperation(c.ctx, e.operation(c))
		}
		e.perform(c, plan)
	}
	e.page(c)

	return nil
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
	left, err := e.api.room.slots.Arrive()
	if err != nil {
		return err
	}
	err = e.authenticate(c)
	left()
	if err != nil {
		return err
	}
	if err := e.admitBody(c.fiber); err != nil {
		return err
	}
	if e.taken {
		return e.admitRaw(c)
	}
	if err := e.takeRoom(c); err != nil {
		return err
	}
	c.flaws = e.query.flaws(c.fiber)
	if err := readNothing(e, c); err != nil {
		return err
	}
	readForm(e, c)

	return checkBody(e, c)
}

// answer reads the request, has the handler answer it, and writes that. In a transaction, it may be called again.
func (e *endpoint) answer(c *call, plan *binding.Plan) {
	in, refusal := e.read(c, plan)
	if refusal != nil {
		c.write(refusal)

		return
	}
	out, err := e.call(c, in)
	switch {
	case err == nil && out == nil:
		c.SetStatus(e.described.DefaultStatus)
	case err == nil:
		c.succeed(plan, out)
	case c.recording != nil:
		c.recording.failed = err // perhaps one for which the transaction is tried again
	default:
		c.write(e.fail(c.ctx, err))
	}
}

// call has the handler answer a request that was read. Its errors become answers, here and nowhere else.
func (e *endpoint) call(c *call, in any) (any, error) {
	if err := e.before(c, in); err != nil {
		return nil, err
	}
	leave, err := e.enter(c)
	if err != nil {
		return nil, err
	}
	defer leave()
	out, err := e.handler(c.ctx, in)
	if err == nil && out == nil && e.answers {
		err = stream.ErrNoOutput
	}
	if err == nil && out != nil {
		err = e.after(c, out)
	}
	if err != nil {
		return nil, e.stranger(c, err)
	}

	return out, nil
}

// before does what is left to do with a request that was found right.
func (e *endpoint) before(c *call, in any) error {
	if len(c.flaws) > 0 {
		return jsonbody.Invalid(c.flaws)
	}
	switch in := in.(type) {
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
