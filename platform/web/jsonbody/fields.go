package jsonbody

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/web/httperror"
)

// Invalid is httperror.ErrInvalid with messages by field.
func Invalid(fields map[string][]string) *errs.Error {
	e := httperror.ErrInvalid
	for field, messages := range fields {
		for _, message := range messages {
			e = e.WithField(field, message)
		}
	}

	return e
}

// FieldMessages orders what Huma found by field.
func FieldMessages(problems []error) map[string][]string {
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
	if text, is := stateRule(location, message, d.Value); is {
		message = text
	}
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

	return field, Sentence(field, predicate(message))
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

// Sentence says of a field what it must be: "The pickup date must be a date such as 2006-01-02.", and of what stands in a list
// which of them it is: "Entry 1 of the stops must be an object."
func Sentence(field, predicate string) string {
	path := strings.Split(field, ".")
	key := path[len(path)-1]
	name := strings.ReplaceAll(key, "_", " ")
	if at, err := strconv.Atoi(name); err == nil && len(path) > 1 {
		return fmt.Sprintf("Entry %d of the %s %s", at+1, strings.ReplaceAll(path[len(path)-2], "_", " "), predicate)
	}
	if rest, ok := strings.CutPrefix(predicate, "is "); ok && isPlural(name) && naming.IsNoun(key) {
		predicate = "are " + rest
	}

	return naming.Subject(key) + " " + predicate
}

// isPlural tells "items" from "status", "address", "basis" and "expires", as far as the names of fields go.
func isPlural(name string) bool {
	return strings.HasSuffix(name, "s") && name != "expires" &&
		!strings.HasSuffix(name, "ss") && !strings.HasSuffix(name, "us") && !strings.HasSuffix(name, "is")
}
