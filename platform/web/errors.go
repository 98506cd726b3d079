package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/telemetry"
	"github.com/dispatchd/dispatchd/platform/web/httperror"
	"github.com/dispatchd/dispatchd/platform/web/jsonbody"
)

// fail turns what a handler, or anything before it, failed with into an answer, and logs what the
// answer does not say. It is the only place where a failure meets HTTP.
func (a *API) fail(ctx context.Context, err error) *httperror.Error {
	if body, ok := errors.AsType[*httperror.Error](err); ok {
		return body
	}
	err = errs.Explained(ctx, err)
	expected, ok := errors.AsType[*errs.Error](err)
	open := !ok || expected.Kind == errs.Unavailable || expected.Kind == errs.Internal
	switch {
	case open && (ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded)):
		a.log.LogAttrs(ctx, slog.LevelWarn, "request passed its deadline", slog.Any("error", err))
		expected = httperror.ErrDeadline
	case !ok || expected.Kind == errs.Internal:
		a.log.LogAttrs(ctx, slog.LevelError, "request failed", slog.Any("error", err))
		expected = httperror.ErrInternal
	case expected.Kind == errs.Unavailable:
		a.log.LogAttrs(ctx, slog.LevelWarn, "request could not be served", slog.Any("error", err))
	}
	body := newHTTPError(ctx, expected)
	setChallenge(body.Headers, err)

	return body
}

// newHTTPError is the answer for an expected failure.
func newHTTPError(ctx context.Context, e *errs.Error) *httperror.Error {
	noteRefusal(ctx, e.Code)

	return httperror.New(e, telemetry.RequestID(ctx))
}

// send writes an answer to a request that does not, or does no longer, belong to Huma.
func (a *API) send(c *fiber.Ctx, body *httperror.Error) {
	for name, values := range body.Headers {
		for _, value := range values {
			c.Append(name, value)
		}
	}
	c.Status(body.Status)
	c.Response().ResetBody()
	c.Set(fiber.HeaderContentType, mediaJSON)
	if err := jsonbody.Marshal(c.Context(), body); err != nil {
		a.log.LogAttrs(c.UserContext(), slog.LevelError, "error body not written", slog.Any("error", err))
	}
}

// fail is the API's fail, in the shape that the operation's clients read.
func (e *endpoint) fail(ctx context.Context, err error) *httperror.Error {
	return e.shaped(e.api.fail(ctx, err))
}

// shaped gives a refusal the shape that the operation's clients read.
func (e *endpoint) shaped(body *httperror.Error) *httperror.Error {
	if !e.op.OAuth {
		return body
	}
	own := slices.ContainsFunc(e.op.Errors, func(declared *errs.Error) bool { return declared.Code == body.Code })
	_, name, _ := strings.Cut(body.Code, ".")
	switch {
	case own:
		body.OAuth = name
	case body.Status >= http.StatusInternalServerError || body.Status == http.StatusTooManyRequests:
		body.OAuth = "temporarily_unavailable"
	default:
		body.OAuth = "invalid_request"
	}
	body.OAuthText = stripUnquotable(body.Message)
	if body.Status == http.StatusUnauthorized {
		body.Headers.Set(fiber.HeaderWWWAuthenticate, `Basic realm="dispatchd"`)
	}

	return body
}
