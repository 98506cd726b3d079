// Package errs describes expected failures as values.
//
// An area declares its failures once, as package variables, and returns them; the web package is
// the one place that turns a Kind into an HTTP status:
//
//	var errTooLong = errs.New(errs.Invalid, "sms.too_long", "The message is too long.")
//
//	return errTooLong.WithField("body", "The body must be at most 1600 characters.")
//
// Every With… method returns a copy, so a declared failure is never changed. Two errors are the
// same failure (errors.Is) when their codes are equal.
package errs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"
)

// Kind says what sort of failure an error is, independent of any protocol.
type Kind int

// The kinds, each with the HTTP status that the web package answers with.
const (
	Internal         Kind = iota // 500: a defect of ours; its text is never shown
	Malformed                    // 400: the request cannot be read
	Unauthenticated              // 401: no token, or not a valid one
	Forbidden                    // 403: known caller, not allowed
	NotFound                     // 404: nothing there, or it belongs to another company
	NotAllowed                   // 405: the path exists, the method does not
	Timeout                      // 408: the caller was too slow in sending
	Conflict                     // 409: the state of the thing forbids it
	Gone                         // 410: it is known, and not in use
	Stale                        // 412: the caller saw an older version
	TooLarge                     // 413: more bytes than the limit
	UnsupportedMedia             // 415: a media type that the operation does not declare
	Invalid                      // 422: readable, but wrong; Fields says where
	Locked                       // 423: somebody else is at work on it
	TooMany                      // 429: over a rate limit
	Corrupted                    // 460: the bytes are not those of their checksum (tus 1.0)
	Unavailable                  // 503: the database is away or the deadline passed
)

// Error is an expected failure.
type Error struct {
	// Kind decides the status of the answer.
	Kind Kind
	// Code is stable and for programs: "<area>.<what>".
	Code string
	// Message is for people: a sentence that says what is wrong and what would be right.
	Message string
	// Fields has, for Invalid, the messages per field ("payload.vin").
	Fields map[string][]string
	// Details are further facts for programs, such as the current version of a stale write.
	Details map[string]any
	// RetryAfter is when a TooMany or Unavailable request may be tried again; zero says nothing, and NoRetry that
	// programs are not to try it again by themselves. The answer to a TooMany request adds it to Message.
	RetryAfter time.Duration

	cause   error
	explain func(ctx context.Context, e *Error) *Error
}

// NoRetry is the RetryAfter of a failure after which the request may have been done.
const NoRetry time.Duration = -1

// New declares a failure.
func New(kind Kind, code, message string) *Error {
	return &Error{Kind: kind, Code: code, Message: message}
}

// Error returns the message and, where there is one, the cause. The cause is for the log; answers
// carry Message alone.
func (e *Error) Error() string {
	if e.cause != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.cause)
	}

	return e.Code + ": " + e.Message
}

// Unwrap returns the cause, nil if there is none.
func (e *Error) Unwrap() error { return e.cause }

// Is reports whether target is the same failure, that is, has the same code.
func (e *Error) Is(target error) bool {
	other, ok := target.(*Error)

	return ok && other.Code == e.Code
}

// WithMessage returns a copy with another message, formatted as by fmt.Sprintf.
func (e *Error) WithMessage(format string, args ...any) *Error {
	c := e.clone()
	c.Message = fmt.Sprintf(format, args...)

	return c
}

// WithCode returns a copy with another code, for a failure of the platform that an area answers as its own.
func (e *Error) WithCode(code string) *Error {
	c := e.clone()
	c.Code = code

	return c
}

// WithField returns a copy with a further message about a field; field is the path in the request
// body ("payload.vin") or the name of a parameter.
func (e *Error) WithField(field, message string) *Error {
	c := e.clone()
	if c.Fields == nil {
		c.Fields = map[string][]string{}
	}
	c.Fields[field] = append(append([]string(nil), c.Fields[field]...), message)

	return c
}

// Named returns an error with other names of the fields that it is about; one that is about none as it is.
func Named(err error, name func(field string) string) error {
	e, ok := errors.AsType[*Error](err)
	if !ok || len(e.Fields) == 0 {
		return err
	}
	c := e.clone()
	c.Fields = make(map[string][]string, len(e.Fields))
	for field, messages := range e.Fields {
		c.Fields[name(field)] = messages
	}

	return c
}

// WithoutField returns a copy without the messages about a field.
func (e *Error) WithoutField(field string) *Error {
	c := e.clone()
	delete(c.Fields, field)

	return c
}

// WithDetail returns a copy with a further fact for programs.
func (e *Error) WithDetail(key string, value any) *Error {
	c := e.clone()
	if c.Details == nil {
		c.Details = map[string]any{}
	}
	c.Details[key] = value

	return c
}

// WithRetryAfter returns a copy that says when to try again.
func (e *Error) WithRetryAfter(d time.Duration) *Error {
	c := e.clone()
	c.RetryAfter = d

	return c
}

// WithCause returns a copy that wraps cause, which is logged and never shown.
func (e *Error) WithCause(cause error) *Error {
	c := e.clone()
	c.cause = cause

	return c
}

// WithExplanation returns a copy to which explain adds what has to be looked up, such as the name of who has a value that
// is taken. It is called only where the failure becomes an answer, outside of the transaction that failed.
func (e *Error) WithExplanation(explain func(ctx context.Context, e *Error) *Error) *Error {
	c := e.clone()
	c.explain = explain

	return c
}

// Explained returns the failure with what its explanation adds, and any other error as it is. The context must not be
// that of a transaction that failed.
func Explained(ctx context.Context, err error) error {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.explain == nil {
		return err
	}
	explained := e.explain(ctx, e).clone()
	explained.explain = nil

	return explained
}

func (e *Error) clone() *Error {
	c := *e
	c.Fields = maps.Clone(e.Fields)
	c.Details = maps.Clone(e.Details)

	return &c
}

// KindOf returns the kind of the failure in err's chain, Internal if there is none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}

	return Internal
}

// IsRefusal reports whether an error refuses what a caller asked for: it is no defect of the service, and no failure of what it stands on.
func IsRefusal(err error) bool {
	kind := KindOf(err)

	return kind != Internal && kind != Unavailable
}

// In says when something can be tried again, after a time: "in 1 second", "in 5 minutes", "in 2 hours". It is rounded up.
func In(d time.Duration) string {
	count := func(unit time.Duration, name string) string {
		n := max(1, int64((d+unit-1)/unit))
		if n != 1 {
			name += "s"
		}

		return fmt.Sprintf("in %d %s", n, name)
	}
	switch {
	case d <= time.Minute:
		return count(time.Second, "second")
	case d <= time.Hour:
		return count(time.Minute, "minute")
	default:
		return count(time.Hour, "hour")
	}
}
