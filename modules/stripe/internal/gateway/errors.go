package gateway

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/outbound"
)

// The types of Stripe's errors that decide what was done. Any other is that Stripe refused the request.
const (
	apiError         = "api_error"
	cardError        = "card_error"
	idempotencyError = "idempotency_error"
)

// said is an error in Stripe's words.
type said struct {
	Type    string `json:"type"`
	Code    string `json:"code"`
	Decline string `json:"decline_code"`
	Advice  string `json:"advice_code"`
	Message string `json:"message"`
	Param   string `json:"param"`
}

func readSaid(body []byte) said {
	var answer struct {
		Error said `json:"error"`
	}
	_ = json.Unmarshal(body, &answer) //nolint:errcheck // what cannot be read says nothing

	return answer.Error
}

// saidBy is what Stripe has said in the answer of a failed call.
func saidBy(err error) said {
	f, ok := errors.AsType[*outbound.Error](err)
	if !ok || f.Answer == nil {
		return said{}
	}

	return readSaid(f.Answer.Body)
}

// code is the code that says most.
func (s said) code() string { return cardsapi.Printable(cmp.Or(s.Decline, s.Code, s.Type)) }

// reason is what the error means. A decline whose code is not known is a decline.
func (s said) reason() cardsapi.Reason {
	if s.Code == "resource_missing" && s.Param == "payment_method" {
		return cardsapi.InvalidToken
	}
	reason := cmp.Or(reasons[s.Decline], reasons[s.Code])
	if reason == "" && s.Type == cardError {
		return cardsapi.Declined
	}

	return cmp.Or(reason, cardsapi.UnknownReason)
}

// isFinal reports whether the card must not be charged again.
func (s said) isFinal() bool {
	return s.Advice == "do_not_try_again" || slices.Contains(finalCodes, cmp.Or(s.Decline, s.Code))
}

// failure is the error of the port for a call's, nil for nil.
//
//   - What has not left this process was not done, and can be tried again.
//   - What Stripe refused with a 4xx and an error of its own was not done, but for idempotency errors, conflicts and failures of others
//     that Stripe depends on.
//   - Of all else nobody knows: time-outs, 5xx, broken or unreadable answers, 4xx without an error of Stripe.
func failure(err error, now time.Time) error {
	if err == nil {
		return nil
	}
	e := &cardsapi.VendorError{Reason: cardsapi.ProviderDown, Cause: err}
	f, ok := errors.AsType[*outbound.Error](err)
	if !ok {
		return e
	}
	e.RetryAfter = f.RetryAfter(now)
	switch {
	case f.Outcome == outbound.NotSent:
		e.NotDone, e.Retryable = true, f.Reason != outbound.BadRequest
	case f.Reason == outbound.BadStatus:
		answered(e, f.Answer.Status, readSaid(f.Answer.Body))
	default:
		e.Retryable = true
	}

	return e
}

func answered(e *cardsapi.VendorError, status int, why said) {
	e.Code, e.Detail = why.code(), cardsapi.Printable(why.Message)
	switch {
	case status >= http.StatusInternalServerError || status == http.StatusFailedDependency || why.Type == apiError:
		e.Retryable = true
	case why.Type == cardError && status >= http.StatusBadRequest:
		// A repeat with the same key is answered the same, so that it is never worth it.
		e.Reason, e.NotDone, e.Final = why.reason(), true, why.isFinal()
	case status == http.StatusTooManyRequests:
		e.Reason, e.NotDone, e.Retryable = cardsapi.RateLimited, true, true
	case status == http.StatusUnauthorized:
		e.Reason, e.NotDone, e.Detail = cardsapi.Auth, true, "" // the text has a part of the key
	case status == http.StatusConflict || why.Type == idempotencyError:
		// Another call with the key is being made, or was made with other values.
		e.Reason, e.Retryable = cardsapi.Duplicate, status == http.StatusConflict
	case status == http.StatusForbidden && why.Type != "":
		e.Reason, e.NotDone, e.Detail = cmp.Or(reasons[why.Code], cardsapi.Auth), true, ""
	case status >= http.StatusBadRequest && why.Type != "":
		e.Reason, e.NotDone = why.reason(), true
	}
}

// hideToken removes a token from what Stripe has said of it.
func hideToken(err error, token string) error {
	if e, ok := errors.AsType[*cardsapi.VendorError](err); ok && token != "" {
		e.Detail = strings.ReplaceAll(e.Detail, token, "…")
	}

	return err
}

// isOpen reports whether a failure leaves open what Stripe did.
func isOpen(err error) bool { return err != nil && refusal(err) == nil }

// unreadable is the error of an answer of 2xx that does not say what it has to: what was asked for was probably done.
func unreadable(detail string) error {
	return &cardsapi.VendorError{Reason: cardsapi.ProviderDown, Retryable: true, Detail: detail}
}
