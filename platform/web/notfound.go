package web

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web/httperror"
)

var errNoRoute = errs.New(errs.NotFound, "web.route_not_found", "The route could not be found.")

// routeNotFoundError is what the debug body names as the exception.
type routeNotFoundError struct{ method, path string }

// Error implements error.
func (e *routeNotFoundError) Error() string {
	return fmt.Sprintf("The route %s %s could not be found.", e.method, e.path)
}

// routeNotFound is the answer for a route that nobody serves. With web.debug it tells where it was
// made.
func (a *API) routeNotFound(c *fiber.Ctx) *httperror.Error {
	err := &routeNotFoundError{httperror.Printable(c.Method()), httperror.Printable(c.Path())}
	body := newHTTPError(c.UserContext(), errNoRoute.WithMessage("%s", err.Error()))
	if a.settings.Debug {
		body.Trace = callTrace()
		body.Exception = strings.TrimPrefix(fmt.Sprintf("%T", err), "*")
		body.File, body.Line = body.Trace[0].File, body.Trace[0].Line
	}

	return body
}

// callTrace returns the calls that led to the caller's, the last one first.
func callTrace() []httperror.TraceEntry {
	const (
		most  = 64
		above = 2 // runtime.Callers and trace
	)
	callers := make([]uintptr, most)
	frames := runtime.CallersFrames(callers[:runtime.Callers(above, callers)])
	var entries []httperror.TraceEntry
	for {
		frame, more := frames.Next()
		entries = append(entries, newTraceEntry(frame))
		if !more {
			return entries
		}
	}
}

// newTraceEntry splits "example.com/web.(*API).serve" into class "example.com/web.API" and function
// "serve". A function inside a method is a plain one: it has no receiver.
func newTraceEntry(frame runtime.Frame) httperror.TraceEntry {
	entry := httperror.TraceEntry{File: frame.File, Line: frame.Line, Function: frame.Function}
	slash := strings.LastIndex(frame.Function, "/") + 1
	parts := strings.Split(frame.Function[slash:], ".")
	const method = 3 // package, receiver, name
	if len(parts) == method && !strings.HasPrefix(parts[2], "func") {
		entry.Class = frame.Function[:slash] + parts[0] + "." + strings.Trim(parts[1], "(*)")
		entry.Type = "->"
		entry.Function = parts[2]
	}

	return entry
}

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
		a.send(c, newHTTPError(ctx, httperror.ErrTooSlow))
	case http.StatusRequestHeaderFieldsTooLarge:
		body := newHTTPError(ctx, httperror.ErrHead)
		body.Status = refused.Code
		a.send(c, body)
	default:
		a.send(c, newHTTPError(ctx, httperror.ErrUnreadable))
	}

	return nil
}

// methodNotAllowed names the methods that would do.
func methodNotAllowed(c *fiber.Ctx) *errs.Error {
	allowed := c.GetRespHeader(fiber.HeaderAllow)

	return errs.New(errs.NotAllowed, "web.method_not_allowed", "").
		WithMessage("The route %s does not take %s, but %s.", httperror.Printable(c.Path()), httperror.Printable(c.Method()), allowed).
		WithDetail("allowed", allowed)
}
