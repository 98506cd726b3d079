package web

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/platform/web/httperror"
	"github.com/dispatchd/dispatchd/platform/web/jsonbody"
)

// humaErrors guards variables of Huma that belong to the whole process: every API sets the same ones, the first time that one is made.
var humaErrors sync.Once

// setHumaGlobals gives Huma our error body and our words.
func setHumaGlobals() {
	jsonbody.SetWords()
	humaErrors.Do(func() {
		huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
			return humaError(context.Background(), status, message, errs)
		}
		huma.NewErrorWithContext = func(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
			return callError(ctx, status, message, errs)
		}
	})
}

// callError is humaError for a request.
func callError(ctx huma.Context, status int, message string, problems []error) *httperror.Error {
	if c, inside := ctx.(*acting); inside {
		c.refuse(status, problems)

		return errHeld
	}
	c, ok := ctx.(*call)
	if !ok {
		return humaError(ctx.Context(), status, message, problems)
	}

	c.endpoint.body.suggest(problems)

	return c.endpoint.shaped(c.refusal(status, message, problems))
}

// refusal is our answer for a call that Huma refuses.
func (c *call) refusal(status int, message string, problems []error) *httperror.Error {
	switch status {
	case http.StatusRequestEntityTooLarge:
		return newHTTPError(c.ctx, c.endpoint.tooLarge())
	case http.StatusInternalServerError:
		c.exchange.body.broken = true

		return c.endpoint.api.fail(c.ctx, httperror.ErrUnreadable.WithCause(errors.Join(problems...)))
	case http.StatusRequestTimeout:
		c.exchange.body.broken = true
	}
	body := humaError(c.ctx, status, message, problems)
	if body.Status == http.StatusUnprocessableEntity {
		for field, messages := range c.flaws {
			body.Errors[field] = append(body.Errors[field], messages...)
		}
	}

	return body
}

// humaError is our answer for a request that Huma refuses.
func humaError(ctx context.Context, status int, message string, problems []error) *httperror.Error {
	switch status {
	case http.StatusBadRequest:
		if text := bodyProblem(problems); text != "" {
			return newHTTPError(ctx, httperror.ErrMalformed.WithMessage("%s", text))
		}

		return newHTTPError(ctx, httperror.ErrNoBody)
	case http.StatusRequestTimeout:
		return newHTTPError(ctx, httperror.ErrTooSlow)
	case http.StatusUnprocessableEntity:
		return newHTTPError(ctx, jsonbody.Invalid(jsonbody.FieldMessages(problems)))
	default:
		return &httperror.Error{
			Message: message, Code: "web.error", Status: status, Headers: http.Header{},
			RequestID: newHTTPError(ctx, httperror.ErrInternal).RequestID,
		}
	}
}

// bodyProblem returns what is wrong with the body as a whole.
func bodyProblem(problems []error) string {
	for _, problem := range problems {
		if d, ok := problem.(*huma.ErrorDetail); ok && d.Location == "body" { //nolint:errorlint // Huma wraps none
			return d.Message
		}
	}

	return ""
}
