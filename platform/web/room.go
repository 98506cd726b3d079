package web

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"github.com/dispatchd/dispatchd/platform/memory"
	"github.com/dispatchd/dispatchd/platform/web/server"
)

const (
	// readWeight is how many times its length a body of JSON takes while it is read, checked and worked on.
	readWeight = 8
	// pooled is the largest buffer of an answer that goes back to where others take it from, in bytes.
	pooled = memory.Small
)

// takeRoom takes room for the body of a request before it is read. Uploads are read bit by bit.
func (e *endpoint) takeRoom(c *call) error {
	if !e.takesBody || e.uploads {
		return nil
	}
	length := int64(c.fiber.Request().Header.ContentLength())
	if length < 0 {
		length = e.limit
	}
	if length <= memory.Small {
		return nil
	}

	return c.exchange.memory.Reserve(c.ctx, readWeight*length)
}

// accountAnswer has an answer that is large hold what it takes of the memory, and nothing else of what its request took. One for
// which there is no room is dropped, if the client can ask again.
func (a *API) accountAnswer(c *fiber.Ctx, ex *exchange) {
	if ex.stream != nil {
		return
	}
	if c.Response().IsBodyStream() { // it is read as it is sent; Body would read all of it
		ex.memory.ShrinkTo(0)

		return
	}
	body := c.Response().Body()
	size := int64(cap(body))
	if size <= pooled {
		ex.memory.ShrinkTo(0)

		return
	}
	if own := c.Response().SwapBody(nil); len(own) == 0 { // what is served to everybody
		size = 0
	}
	c.Response().SetBodyRaw(body)             // it is nobody's when it is sent
	ctx := context.WithoutCancel(ex.latest()) // the handler's has ended
	if err := ex.memory.Reserve(ctx, size-ex.memory.Size()); err != nil && c.Method() == fiber.MethodGet {
		c.Response().Header.Del(fiber.HeaderETag)
		a.send(c, a.fail(ctx, err))
		size = 0
	}
	ex.memory.ShrinkTo(size)
}

// untilSent has something given back when the answer is sent.
func (ex *exchange) untilSent(give func()) { ex.held = append(ex.held, give) }

// sending leaves it to the connection to release what the exchange holds.
func (ex *exchange) sending(c *fiber.Ctx) {
	if len(ex.held) == 0 && ex.memory.Size() == 0 {
		return
	}
	client, ok := c.Context().Conn().(*server.Conn)
	if !ok {
		ex.Release()

		return
	}
	client.UntilSent(ex)
}

// Release implements server.Holder: it gives back what the exchange holds.
func (ex *exchange) Release() {
	for _, give := range ex.held {
		give()
	}
	ex.held = nil
	ex.memory.ShrinkTo(0)
}

// enter gets a slot for the call, if it has none, or the place of a stream.
func (e *endpoint) enter(c *call) (leave func(), err error) {
	if c.recording != nil {
		return func() {}, nil
	}
	if e.streams || e.uploads {
		return e.enterStream(c)
	}

	leave, err = e.api.room.slots.Enter(c.ctx, c.admitted != nil)
	if err == nil {
		c.exchange.untilSent(leave)
	}

	return func() {}, err
}
