package square

import (
	"errors"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
)

// The failures of the area, beside those of cards.
var (
	errNoAccount = errs.New(errs.Conflict, "square.no_account", "The company has no enabled account at Square. Create one with POST /cards/api/v1/accounts and the provider square.")
	errWhich     = errs.New(errs.Invalid, "square.account_required", "The company has several accounts at Square. Say which one.").
			WithField("account_uuid", "The account_uuid is required: the company has several accounts at Square.")
	errInvalid  = errs.New(errs.Invalid, "square.invalid", "The given data was invalid.")
	errCustomer = errs.New(errs.NotFound, "square.customer_not_found", "Square has no such customer at the account.")
	errHeader   = errs.New(errs.Invalid, "square.idempotency_key_header", "Send idempotency_key in the body, and not the header Idempotency-Key: Square itself recognizes repeats.")
	errRefused  = errs.New(errs.Conflict, "square.refused", "Square refused the request.")
	errDown     = errs.New(errs.Unavailable, "square.unavailable", "Square could not be reached. Please try again.")
)

// callerError is what a caller is told of a failed call to Square.
func callerError(err error) error {
	failure, ok := errors.AsType[*cardsapi.VendorError](err)
	if !ok {
		return err
	}
	answer := errRefused
	switch {
	case failure.Reason == cardsapi.NotFound:
		return errCustomer.WithCause(err)
	case failure.Retryable || !failure.NotDone:
		answer = errDown.WithRetryAfter(failure.RetryAfter)
	}
	text := failure.Detail
	if text == "" {
		text = failure.Reason.Explain()
	}

	return answer.WithMessage("%s", text).WithDetail("reason", string(failure.Reason)).WithDetail("code", failure.Code).WithCause(err)
}
