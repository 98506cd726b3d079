package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/gofiber/fiber/v2"

	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web/binding"
	"github.com/dispatchd/dispatchd/platform/web/httperror"
	"github.com/dispatchd/dispatchd/platform/web/jsonbody"
)

// statusGone is what the log has of a client that did not wait for its answer.
const statusGone = 499

// succeed writes what the handler returned.
func (c *call) succeed(plan *binding.Plan, out any) {
	body, written := plan.Begin(c, out)
	if written {
		return
	}
	body, err := list.Trim(c, "", body)
	if c.minimal {
		body = struct{}{}
	}
	if err == nil {
		err = c.writeJSON(body)
	}
	if err != nil {
		panic(fmt.Errorf("answer of %s: %w", c.endpoint.info.ID, err)) // a defect of the type: what was written so far is dropped
	}
}

// write writes a refusal.
func (c *call) write(refusal *httperror.Error) {
	for name, values := range refusal.Headers {
		for _, value := range values {
			c.AppendHeader(name, value)
		}
	}
	c.SetHeader(fiber.HeaderContentType, mediaJSON)
	c.SetStatus(refusal.Status)
	if err := c.writeJSON(refusal); err != nil {
		panic(err)
	}
}

// writeJSON writes the body of an answer whose status is set, unless answers with that have none.
func (c *call) writeJSON(body any) error {
	if status := c.Status(); status == http.StatusNoContent || status == http.StatusNotModified {
		return nil
	}
	err := jsonbody.Marshal(c.BodyWriter(), body)
	if err != nil && errors.Is(c.ctx.Err(), context.Canceled) {
		c.SetStatus(statusGone)

		return nil
	}

	return err
}
