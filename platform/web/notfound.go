package web

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/dispatchd/dispatchd/platform/errs"
)

var errNoRoute = errs.New(errs.NotFound, "web.route_not_found", "The route could not be found.")

// routeNotFoundError is what the debug body names as the exception.
type routeNotFoundError struct{ method, path string }

// Error implements error.
func (e *routeNotFoundError) Error() string {
	return fmt.Sprintf("The route %s %s could not be found.", e.method, e.path)
}

// traceEntry is a call in the documented debug body. Class and type are those of a method; a plain
// function has neither.
type traceEntry struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Function string `json:"function"`
	Class    string `json:"class,omitempty"`
	Type     string `json:"type,omitempty"`
}

// routeNotFound is the answer for a route that nobody serves. With web.debug it tells where it was
// made.
func (a *API) routeNotFound(c *fiber.Ctx) *httpError {
	err := &routeNotFoundError{printable(c.Method()), printable(c.Path())}
	body := newHTTPError(c.UserContext(), errNoRoute.WithMessage("%s", err.Error()))
	if a.settings.Debug {
		body.Trace = trace()
		body.Exception = strings.TrimPrefix(fmt.Sprintf("%T", err), "*")
		body.File, body.Line = body.Trace[0].File, body.Trace[0].Line
	}

	return body
}

// trace returns the calls that led to the caller's, the last one first.
func trace() []traceEntry {
	const (
		most  = 64
		above = 2 // runtime.Callers and trace
	)
	callers := make([]uintptr, most)
	frames := runtime.CallersFrames(callers[:runtime.Callers(above, callers)])
	var entries []traceEntry
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
func newTraceEntry(frame runtime.Frame) traceEntry {
	entry := traceEntry{File: frame.File, Line: frame.Line, Function: frame.Function}
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

// printable makes a stranger's text fit to be shown and logged: one line, and not a long one.
func printable(text string) string {
	const most = 200
	if len(text) > most {
		text = text[:most] + "…"
	}
	quoted := strconv.Quote(text)

	return quoted[1 : len(quoted)-1]
}
