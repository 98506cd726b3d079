package cardsapi

import (
	"errors"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// Failures that areas of vendors, and those that take money, have in common.
var (
	// ErrCardNumber refuses a request with a card number. It repeats nothing of the request. Areas that handle payments declare
	// web.CheckBodies(cardsapi.ErrCardNumber, cardnumber.In).
	ErrCardNumber = errs.New(errs.Invalid, "cards.card_number", "The request contains what looks like a card number. Nothing of it was stored. Send the token that the vendor's card fields return instead.")
	// ErrNotHere says that a notice is about a payment that was not made here.
	ErrNotHere = errors.New("the notification is about a payment that was not made with this service")
)

// Reason is why a vendor refused, in no vendor's words.
type Reason string

// The reasons.
const (
	Declined          Reason = "declined"
	InsufficientFunds Reason = "insufficient_funds"
	ExpiredCard       Reason = "expired_card"
	CVV               Reason = "cvv"
	AVS               Reason = "avs"
	Fraud             Reason = "fraud"
	Limit             Reason = "limit"
	CardNotSupported  Reason = "card_not_supported"
	InvalidToken      Reason = "invalid_token"
	ActionRequired    Reason = "action_required"
	Duplicate         Reason = "duplicate"
	NotRefundable     Reason = "not_refundable"
	NotFound          Reason = "not_found"
	RateLimited       Reason = "rate_limited"
	ProviderDown      Reason = "provider_down"
	Auth              Reason = "auth"
	Revoked           Reason = "revoked"
	UnknownReason     Reason = "unknown"
)

// explanations say what a reason means, then what to do.
var explanations = map[Reason]string{ //nolint:gosec // no credentials
	Declined:          "The bank declined the card without a reason. Ask for another card.",
	InsufficientFunds: "The card has not enough funds. Try again later, or ask for another card.",
	ExpiredCard:       "The card has expired. Ask for another card.",
	CVV:               "The security code is wrong. Ask for it again.",
	AVS:               "The postal code does not match the card. Ask for it again.",
	Fraud:             "The payment was stopped as suspected fraud. Ask for another way to pay.",
	Limit:             "The amount is over a limit of the card or of the account. Charge less, or ask for another card.",
	CardNotSupported:  "The vendor does not accept this kind of card. Ask for another card.",
	InvalidToken:      "The token is unknown, expired, or was used before. Enter the card again.",
	ActionRequired:    "The bank asks the cardholder to confirm the payment. Repeat it while the cardholder is present.",
	Duplicate:         "The vendor knows another call with this reference. Use a new reference.",
	NotRefundable:     "The payment can no longer be refunded at the vendor. Check it there.",
	NotFound:          "The vendor has no such payment or card. Check that the account is the right one.",
	RateLimited:       "The vendor received too many calls. They are repeated later.",
	ProviderDown:      "The vendor could not be reached, or did not answer. Check the vendor's status page.",
	Auth:              "The vendor refuses the credentials. Update those of the account.",
	Revoked:           "Access to the vendor's account was revoked. Connect the account again.",
	UnknownReason:     "The vendor gave a reason that is not known. See the code.",
}

// Explain returns what the reason means, and what to do.
func (r Reason) Explain() string { return explanations[r] }

// VendorError is a vendor's refusal, or says that it could not be reached.
type VendorError struct {
	Reason Reason
	// NotDone is the vendor's promise that nothing came of the call.
	NotDone bool
	// Retryable says that the same call may succeed later; RetryAfter when, 0 if the vendor does not say.
	Retryable  bool
	RetryAfter time.Duration
	// Final says that the card must not be charged again.
	Final bool
	// Code is the vendor's own, Detail its text: for the company, so without credentials.
	Code, Detail string
	// Cause is for the log.
	Cause error
}

// Error implements error.
func (f *VendorError) Error() string {
	text := "vendor: " + string(f.Reason)
	if f.Code != "" {
		text += " (" + f.Code + ")"
	}
	if f.Cause != nil {
		text += ": " + f.Cause.Error()
	}

	return text
}

// Unwrap returns the cause.
func (f *VendorError) Unwrap() error { return f.Cause }

// Printable returns a vendor's text as both databases can keep it, and a person can read it: at most some 300 bytes.
func Printable(text string) string {
	const most = 300
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "�"), "\x00", "")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}

	return text
}
