// Package vendorerror says how a vendor's failure is told: why, in words that are no vendor's, and whether what was asked for
// may have been done all the same.
//
// An area's port names its own reasons, and has the error of them:
//
//	type Error = vendorerror.Error[Reason]
package vendorerror

import (
	"errors"
	"time"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// Taken says whether the vendor has done what it was asked.
type Taken int

// Unknown is the zero value: who does not say must not be asked to do the same again.
const (
	Unknown Taken = iota
	No
)

// Reason is why something failed: a text of the area's, and what it means to people.
type Reason interface {
	~string
	Explain() string
}

// Reasons that every area has: ProviderDown of failures of which the adapter says nothing, RateLimited of too many calls.
const (
	ProviderDown = "provider_down"
	RateLimited  = "rate_limited"
)

// Error is a vendor's refusal, or that it could not be reached.
type Error[R Reason] struct {
	Reason R
	// Taken is No where the vendor promises that nothing came of it.
	Taken Taken
	// Retryable says that the same call may succeed later; RetryAfter when, 0 if the vendor does not say.
	Retryable  bool
	RetryAfter time.Duration
	// Code is the vendor's own, Detail what it says: for the company's eyes, so without credentials.
	Code, Detail string
	// Cause is for the log.
	Cause error
}

// Error implements error.
func (e *Error[R]) Error() string {
	text := "provider: " + string(e.Reason)
	if e.Code != "" {
		text += " (" + e.Code + ")"
	}
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}

	return text
}

// Unwrap returns the cause.
func (e *Error[R]) Unwrap() error { return e.Cause }

// From returns why a call failed. An error of which the adapter says nothing is ProviderDown, with the error as its cause, and leaves
// open whether the call was taken; nil is nil.
func From[R Reason](err error) *Error[R] {
	if err == nil {
		return nil
	}
	if refusal, ok := errors.AsType[*Error[R]](err); ok {
		return refusal
	}

	return &Error[R]{Reason: ProviderDown, Cause: err}
}

// Of returns why a call failed, and the vendor's code; "" for nil.
func Of[R Reason](err error) (reason R, code string) {
	if err == nil {
		return "", ""
	}
	why := From[R](err)

	return why.Reason, why.Code
}

// ForCaller is what a caller of the API is told of a failed call: refused, or down if the same may succeed later; nil for nil.
func ForCaller[R Reason](err error, refused, down *errs.Error) error {
	if err == nil {
		return nil
	}
	refusal, ok := errors.AsType[*Error[R]](err)
	if !ok {
		return down.WithCause(err)
	}
	answer := refused
	if refusal.Retryable {
		answer = down.WithRetryAfter(refusal.RetryAfter)
	}

	return answer.WithMessage("%s", refusal.Reason.Explain()).WithDetail("reason", string(refusal.Reason)).
		WithDetail("code", refusal.Code).WithCause(err)
}
