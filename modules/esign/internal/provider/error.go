package provider

import (
	"github.com/dispatchd/dispatchd/platform/vendorerror"
)

// Error is a vendor's refusal, or that it could not be reached. Its Taken is No where the vendor promises that nothing came
// of it; who does not say must not be asked to make the same envelope again.
type Error = vendorerror.Error[Reason]

// Taken says whether the vendor has done what it was asked: No is a promise.
type Taken = vendorerror.Taken

// What a vendor says, or does not.
const (
	Unknown = vendorerror.Unknown
	No      = vendorerror.No
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
	RateLimited     Reason = vendorerror.RateLimited
	ProviderDown    Reason = vendorerror.ProviderDown
	NotSupported    Reason = "not_supported"
	UnknownReason   Reason = "unknown"
)

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
