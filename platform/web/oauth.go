package web

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// fail is the API's fail, in the shape that the operation's clients read.
func (e *endpoint) fail(ctx context.Context, err error) *httpError {
	return e.shaped(e.api.fail(ctx, err))
}

// shaped gives a refusal the shape that the operation's clients read.
func (e *endpoint) shaped(body *httpError) *httpError {
	if !e.op.OAuth {
		return body
	}
	own := slices.ContainsFunc(e.op.Errors, func(declared *errs.Error) bool { return declared.Code == body.Code })
	_, name, _ := strings.Cut(body.Code, ".")
	switch {
	case own:
		body.OAuth = name
	case body.status >= http.StatusInternalServerError || body.status == http.StatusTooManyRequests:
		body.OAuth = "temporarily_unavailable"
	default:
		body.OAuth = "invalid_request"
	}
	body.OAuthText = quotable(body.Message)
	if body.status == http.StatusUnauthorized {
		body.headers.Set(fiber.HeaderWWWAuthenticate, `Basic realm="dispatchd"`)
	}

	return body
}
