package web

import (
	"errors"
	"net/http"

	"github.com/gofiber/fiber/v2"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// onError answers for what Fiber itself refuses: a route or a method that is not there, a request
// that cannot be parsed. It is Fiber's error handler too, for requests that reach no route.
func (a *API) onError(c *fiber.Ctx, err error) error {
	ctx := c.UserContext()
	if exchangeOf(ctx) == nil {
		ctx = a.newExchange(c)
		a.secure(c)
	}
	var refused *fiber.Error
	if !errors.As(err, &refused) {
		a.send(c, a.fail(ctx, err))

		return nil
	}
	switch refused.Code {
	case http.StatusNotFound:
		a.send(c, a.routeNotFound(c))
	case http.StatusMethodNotAllowed:
		a.send(c, newHTTPError(ctx, methodNotAllowed(c)))
	case http.StatusRequestTimeout:
		a.send(c, newHTTPError(ctx, errSlowRequest))
	case http.StatusRequestHeaderFieldsTooLarge:
		body := newHTTPError(ctx, errHead)
		body.status = refused.Code
		a.send(c, body)
	default:
		a.send(c, newHTTPError(ctx, errUnreadable))
	}

	return nil
}

// methodNotAllowed names the methods that would do.
func methodNotAllowed(c *fiber.Ctx) *errs.Error {
	allowed := c.GetRespHeader(fiber.HeaderAllow)

	return errs.New(errs.NotAllowed, "web.method_not_allowed", "").
		WithMessage("The route %s does not take %s, but %s.", printable(c.Path()), printable(c.Method()), allowed).
		WithDetail("allowed", allowed)
}
