package gateway

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/outbound"
)

const keyReused = "IDEMPOTENCY_KEY_REUSED"

// reasons are what codes of Square mean (developer.squareup.com/reference/square/enums/ErrorCode).
var reasons = map[string]cardsapi.Reason{
	"GENERIC_DECLINE": cardsapi.Declined, "CARD_DECLINED": cardsapi.Declined, "CARD_DECLINED_CALL_ISSUER": cardsapi.Declined,
	"ACCOUNT_UNUSABLE": cardsapi.Declined, "VOICE_FAILURE": cardsapi.Declined, "INVALID_CARD": cardsapi.Declined, "PAN_FAILURE": cardsapi.Declined,
	"CARDHOLDER_INSUFFICIENT_PERMISSIONS": cardsapi.Declined,

	"INSUFFICIENT_FUNDS": cardsapi.InsufficientFunds,
	"CARD_EXPIRED":       cardsapi.ExpiredCard, "INVALID_EXPIRATION": cardsapi.ExpiredCard, "EXPIRATION_FAILURE": cardsapi.ExpiredCard,
	"CVV_FAILURE": cardsapi.CVV, "VERIFY_CVV_FAILURE": cardsapi.CVV,
	"ADDRESS_VERIFICATION_FAILURE": cardsapi.AVS, "VERIFY_AVS_FAILURE": cardsapi.AVS, "INVALID_POSTAL_CODE": cardsapi.AVS,
	"TRANSACTION_LIMIT": cardsapi.Limit, "AMOUNT_TOO_HIGH": cardsapi.Limit, "PAYMENT_LIMIT_EXCEEDED": cardsapi.Limit,
	"CARD_NOT_SUPPORTED": cardsapi.CardNotSupported, "UNSUPPORTED_CARD_BRAND": cardsapi.CardNotSupported,
	"UNSUPPORTED_ENTRY_METHOD": cardsapi.CardNotSupported,
	"CARD_TOKEN_EXPIRED":       cardsapi.InvalidToken, "CARD_TOKEN_USED": cardsapi.InvalidToken, "SOURCE_USED": cardsapi.InvalidToken,
	"SOURCE_EXPIRED": cardsapi.InvalidToken, "INVALID_CARD_DATA": cardsapi.InvalidToken,
	"CARD_DECLINED_VERIFICATION_REQUIRED": cardsapi.ActionRequired,

	"REFUND_AMOUNT_INVALID": cardsapi.NotRefundable, "REFUND_ALREADY_PENDING": cardsapi.NotRefundable, "REFUND_DECLINED": cardsapi.NotRefundable,
	"PAYMENT_NOT_REFUNDABLE": cardsapi.NotRefundable, "PAYMENT_NOT_REFUNDABLE_DUE_TO_DISPUTE": cardsapi.NotRefundable,

	"NOT_FOUND": cardsapi.NotFound, "CUSTOMER_NOT_FOUND": cardsapi.NotFound,
	"CONFLICT": cardsapi.Duplicate, keyReused: cardsapi.Duplicate,
	"RATE_LIMITED": cardsapi.RateLimited,
	"UNAUTHORIZED": cardsapi.Auth, "ACCESS_TOKEN_EXPIRED": cardsapi.Auth, "INSUFFICIENT_SCOPES": cardsapi.Auth, "FORBIDDEN": cardsapi.Auth,
	"CLIENT_DISABLED": cardsapi.Auth, "ACCESS_TOKEN_REVOKED": cardsapi.Revoked,
}

// finalCodes forbid charging the card again.
var finalCodes = []string{"CARD_EXPIRED", "EXPIRATION_FAILURE", "INVALID_CARD", "PAN_FAILURE", "ACCOUNT_UNUSABLE"}

// openCodes leave open what Square did, whatever the status is.
var openCodes = []string{keyReused, "CONFLICT", "TEMPORARY_ERROR", "SERVICE_UNAVAILABLE", "GATEWAY_TIMEOUT", "INTERNAL_SERVER_ERROR"}

// explanations say what codes mean where their reason does not say enough.
var explanations = map[string]string{
	"INSUFFICIENT_SCOPES":       "The access token may not do this. Create one with all scopes that docs/square.md lists.",
	"CARD_DECLINED_CALL_ISSUER": "The bank wants the cardholder to call. Ask for another card, or repeat the payment after the call.",
	"INVALID_CARD":              "The card cannot be validated. Ask for another card.",
	"PAN_FAILURE":               "The card number is wrong. Ask for another card.",
	"ACCOUNT_UNUSABLE":          "The bank account of the card is closed or blocked. Ask for another card.",
	"REFUND_ALREADY_PENDING":    "Another refund of the payment is pending. Repeat this one when that is completed.",
}

// said is an error in Square's words.
type said struct {
	Category string `json:"category"`
	Code     string `json:"code"`
	Detail   string `json:"detail"`
	Field    string `json:"field"`
}

// reason is what the error means; a source that Square does not know is a token that it does not know.
func (s said) reason() cardsapi.Reason {
	if s.Code == "NOT_FOUND" && s.Field == "source_id" {
		return cardsapi.InvalidToken
	}

	return reasons[s.Code]
}

// telling returns the error of several that says most: after a plain decline, Square may say why.
func telling(all []said) said {
	for _, s := range all {
		if reason := s.reason(); reason != "" && reason != cardsapi.Declined {
			return s
		}
	}
	if len(all) == 0 {
		return said{}
	}

	return all[0]
}

// failure is the error of the port for a call's, nil for nil.
//
//   - What has not left this process was not done, and can be tried again.
//   - What Square refused with a 4xx and a code of its own was not done, but for the openCodes.
//   - Of all else nobody knows: time-outs, 5xx, broken or unreadable answers, 4xx without a code.
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
		answered(e, f.Answer.Status, f.Answer.Body)
	default:
		e.Retryable = true
	}

	return e
}

func answered(e *cardsapi.VendorError, status int, body []byte) {
	var answer struct {
		Errors []said `json:"errors"`
	}
	_ = json.Unmarshal(body, &answer) //nolint:errcheck // what cannot be read says nothing
	why := telling(answer.Errors)
	e.Code, e.Detail = cardsapi.Printable(why.Code), cardsapi.Printable(why.Detail)
	switch {
	case status >= http.StatusInternalServerError:
		e.Retryable = true
	case status == http.StatusTooManyRequests:
		e.Reason, e.NotDone, e.Retryable = cardsapi.RateLimited, true, true
	case status == http.StatusUnauthorized:
		if e.Reason, e.NotDone = why.reason(), true; e.Reason != cardsapi.Revoked {
			e.Reason = cardsapi.Auth
		}
	case status >= http.StatusBadRequest && e.Code != "":
		answeredBy(e, why)
		e.NotDone = !slices.Contains(openCodes, e.Code)
		e.Retryable = e.Reason == cardsapi.RateLimited || e.Code == "REFUND_ALREADY_PENDING"
	}
}

// answeredBy has an error say why Square refused.
func answeredBy(e *cardsapi.VendorError, why said) {
	e.Code, e.Final = cardsapi.Printable(why.Code), slices.Contains(finalCodes, why.Code)
	if e.Reason = why.reason(); e.Reason == "" {
		e.Reason = cardsapi.UnknownReason
	}
}

// unreadable is the error of an answer of 2xx that does not say what it has to: what was asked for was probably done.
func unreadable(detail string) error {
	return &cardsapi.VendorError{Reason: cardsapi.ProviderDown, Retryable: true, Detail: detail}
}
