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
			WithField("account_uuid", "`account_uuid` is required: the company has several accounts at Square.")
	errInvalid       = errs.New(errs.Invalid, "square.invalid", "The given data was invalid.")
	errCustomer      = errs.New(errs.NotFound, "square.customer_not_found", "Square has no such customer at the account.")
	errNoApplication = errs.New(errs.Conflict, "square.no_application", "This deployment has no application at Square, or no public address. Set modules.square.application and web.base_url, or connect with an access token.")
	errNotConnected  = errs.New(errs.Conflict, "square.not_connected", "Square did not accept this. Please start again.")
	errNotOAuth      = errs.New(errs.Conflict, "square.not_oauth", "The account was connected with an access token. Revoke it at Square.")

	errHeader  = errs.New(errs.Invalid, "square.idempotency_key_header", "Leave out the header Idempotency-Key: Square is called while the request waits. Where there is an idempotency_key, send it in the body.")
	errRefused = errs.New(errs.Conflict, "square.refused", "Square refused the request.")
	errDown    = errs.New(errs.Unavailable, "square.unavailable", "Square could not be reached. Please try again.")
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
