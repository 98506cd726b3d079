package provider

import "time"

// Taken says whether the vendor has done what it was asked.
type Taken int

// Unknown is the zero value: who does not say must not be asked to make the same envelope again.
const (
	Unknown Taken = iota
	No
)

// Reason is why something failed, in no vendor's words.
type Reason string

// The reasons.
const (
	Auth            Reason = "auth"
	ConsentRequired Reason = "consent_required"
	Forbidden       Reason = "forbidden"
	NotFound        Reason = "not_found"
	Conflict        Reason = "conflict"
	Invalid         Reason = "invalid"
	RateLimited     Reason = "rate_limited"
	ProviderDown    Reason = "provider_down"
	NotSupported    Reason = "not_supported"
	UnknownReason   Reason = "unknown"
)

// Error is a vendor's refusal, or that it could not be reached.
type Error struct {
	Reason Reason
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
func (e *Error) Error() string {
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
func (e *Error) Unwrap() error { return e.Cause }

// Explain returns what a reason means to people, and what they can do.
func (r Reason) Explain() string {
	switch r {
	case Auth:
		return "The provider refused the credentials of the account. Set them anew, and check the account."
	case ConsentRequired:
		return "The user in whose name the service works has not agreed to that yet. Open the account's consent address once, and check the account."
	case Forbidden:
		return "The user in whose name the service works may not do this at the provider."
	case NotFound:
		return "The provider does not know it."
	case Conflict:
		return "The provider says that this cannot be done with the envelope as it is now."
	case Invalid:
		return "The provider refused the request as it is: see its code."
	case RateLimited:
		return "The provider takes no more calls for the moment."
	case ProviderDown:
		return "The provider could not be reached."
	case NotSupported:
		return "The provider does not offer this."
	case UnknownReason:
	}

	return "The provider gives no reason that is known here: see its code."
}
