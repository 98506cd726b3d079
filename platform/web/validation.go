package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// errInvalid is what a request is refused with whose form is wrong; areas have errors of their own
// for what only they can know to be wrong.
var errInvalid = errs.New(errs.Invalid, "web.invalid", "The given data was invalid.")

// invalid is errInvalid with messages by field.
func invalid(fields map[string][]string) *errs.Error {
	e := errInvalid
	for field, messages := range fields {
		for _, message := range messages {
			e = e.WithField(field, message)
		}
	}

	return e
}

// callError is humaError for a request.
func callError(ctx huma.Context, status int, message string, problems []error) *httpError {
	c, ok := ctx.(*call)
	if !ok {
		return humaError(ctx.Context(), status, message, problems)
	}

	return c.endpoint.shaped(c.refusal(status, message, problems))
}

// refusal is our answer for a call that Huma refuses.
func (c *call) refusal(status int, message string, problems []error) *httpError {
	switch status {
	case http.StatusRequestEntityTooLarge:
		return newHTTPError(c.ctx, c.endpoint.tooLarge())
	case http.StatusInternalServerError:
		c.exchange.body.broken = true

		return c.endpoint.api.fail(c.ctx, errUnreadable.WithCause(errors.Join(problems...)))
	case http.StatusRequestTimeout:
		c.exchange.body.broken = true
	}
	body := humaError(c.ctx, status, message, problems)
	if body.status == http.StatusUnprocessableEntity {
		for field, messages := range c.flaws {
			body.Errors[field] = append(body.Errors[field], messages...)
		}
	}

	return body
}

// humaError is our answer for a request that Huma refuses.
func humaError(ctx context.Context, status int, message string, problems []error) *httpError {
	switch status {
	case http.StatusBadRequest:
		if text := bodyProblem(problems); text != "" {
			return newHTTPError(ctx, errMalformed.WithMessage("%s", text))
		}

		return newHTTPError(ctx, errNoBody)
	case http.StatusRequestTimeout:
		return newHTTPError(ctx, errSlowRequest)
	case http.StatusUnprocessableEntity:
		return newHTTPError(ctx, invalid(fieldMessages(problems)))
	default:
		return &httpError{
			Message: message, Code: "web.error", status: status, headers: http.Header{},
			RequestID: newHTTPError(ctx, errInternal).RequestID,
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

// fieldMessages orders what Huma found by field.
func fieldMessages(problems []error) map[string][]string {
	fields := map[string][]string{}
	for _, problem := range problems {
		if e, ok := errors.AsType[*errs.Error](problem); ok {
			for field, messages := range e.Fields {
				fields[field] = append(fields[field], messages...)
			}

			continue
		}
		field, text := "body", problem.Error()
		if d, ok := problem.(huma.ErrorDetailer); ok {
			field, text = fieldAndText(d.ErrorDetail())
		}
		fields[field] = append(fields[field], text)
	}

	return fields
}

// fieldAndText returns a problem as the path of the field and a sentence about it.
func fieldAndText(d *huma.ErrorDetail) (field, text string) {
	location, message := d.Location, d.Message
	if parts := strings.SplitN(message, mark, 3); len(parts) == 3 {
		if parts[1] != "" {
			location += "." + parts[1]
		}
		message = parts[2]
	}
	field = fieldPath(location)
	if message != "" && 'A' <= message[0] && message[0] <= 'Z' {
		return field, message
	}

	return field, sentence(field, predicate(message))
}

// fieldPath is a location of Huma's ("body.stops[0].city") as clients know it ("stops.0.city").
func fieldPath(location string) string {
	for _, in := range []string{"body.", "query.", "path.", "header.", "cookie.", "form."} {
		if rest, ok := strings.CutPrefix(location, in); ok {
			location = rest

			break
		}
	}

	return strings.NewReplacer("[", ".", "]", "").Replace(location)
}

// sentence says of a field what it must be: "The pickup date must be a date such as 2006-01-02.", and of what stands in a list
// which of them it is: "Entry 1 of the stops must be an object."
func sentence(field, predicate string) string {
	path := strings.Split(field, ".")
	name := strings.ReplaceAll(path[len(path)-1], "_", " ")
	if at, err := strconv.Atoi(name); err == nil && len(path) > 1 {
		return fmt.Sprintf("Entry %d of the %s %s", at+1, strings.ReplaceAll(path[len(path)-2], "_", " "), predicate)
	}
	if rest, ok := strings.CutPrefix(predicate, "is "); ok && plural(name) {
		predicate = "are " + rest
	}

	return "The " + name + " " + predicate
}

// plural tells "items" from "status", "address" and "basis", as far as the names of fields go.
func plural(name string) bool {
	return strings.HasSuffix(name, "s") &&
		!strings.HasSuffix(name, "ss") && !strings.HasSuffix(name, "us") && !strings.HasSuffix(name, "is")
}
