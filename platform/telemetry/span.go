package telemetry

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// sqlError is an error of PostgreSQL.
type sqlError interface {
	error
	SQLState() string
}

// FailSpan says on a span what went wrong, if something did. An expected failure that is the
// caller's own affair leaves the span in order.
func FailSpan(span trace.Span, err error) {
	if err == nil {
		return
	}
	span.SetAttributes(attribute.String("error.type", errorType(err)))
	expected, ok := errors.AsType[*errs.Error](err)
	if !ok || expected.Kind == errs.Internal || expected.Kind == errs.Unavailable {
		span.SetStatus(codes.Error, "")
	}
}

// errorType says of what sort an error is: the code of an expected failure, the state of PostgreSQL,
// or the Go type at its root. Its message is not told: it may quote what somebody sent.
func errorType(err error) string {
	if expected, ok := errors.AsType[*errs.Error](err); ok {
		return expected.Code
	}
	if sql, ok := errors.AsType[sqlError](err); ok {
		return sql.SQLState()
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "deadline_exceeded"
	case errors.Is(err, context.Canceled):
		return "canceled"
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}

	return fmt.Sprintf("%T", err)
}
