package inbound

import (
	"errors"
	"time"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// What senders and readers of the log are refused with.
var (
	// ErrUnknown says that nothing is received there: there is no such endpoint, or it was revoked.
	ErrUnknown = errs.New(errs.NotFound, "inbound.endpoint_unknown", "There is no endpoint at this address.")
	// ErrNotVerified says that a notification is not from who it should be. Why, is in our log alone.
	ErrNotVerified = errs.New(errs.Unauthenticated, "inbound.not_verified", "The signature or token of the notification is missing or does not match.")
	// ErrBusy says that too many large bodies are on their way.
	ErrBusy = errs.New(errs.Unavailable, "inbound.busy", "The service receives too many notifications at once. Please retry in a moment.").
		WithRetryAfter(time.Second)
	// ErrDelivery says that there is no such delivery.
	ErrDelivery = errs.New(errs.NotFound, "inbound.delivery_unknown", "There is no such delivery.")
	// ErrBodyGone says that a delivery can no longer be processed: its body is no longer kept.
	ErrBodyGone = errs.New(errs.Conflict, "inbound.body_gone", "The body of this delivery is no longer kept, so it cannot be replayed.")
)

// ignoredError is the reason for which nothing is done.
type ignoredError struct{ reason string }

// Error implements error.
func (e *ignoredError) Error() string { return e.reason }

// Ignored is returned by a processor to say that there is nothing to do, and why: the delivery is ignored. What
// the processor wrote is kept.
func Ignored(reason string) error { return &ignoredError{reason: reason} }

var errPanic = errors.New("the processor panicked")
