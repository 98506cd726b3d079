package cardsapi

import "time"

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

// Failure is a vendor's refusal, or says that it could not be reached.
type Failure struct {
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
func (f *Failure) Error() string {
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
func (f *Failure) Unwrap() error { return f.Cause }
