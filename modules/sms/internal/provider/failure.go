package provider

import (
	"github.com/dispatchd/dispatchd/platform/vendorerror"
)

// Error is a vendor's refusal, or that it could not be reached. Its Taken is No where the vendor promises that it will not
// deliver; what no vendor says that of must not be sent again.
type Error = vendorerror.Error[Reason]

// Taken says whether the vendor has taken a message: No is a promise.
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
	InvalidRecipient   Reason = "invalid_recipient"
	InvalidSender      Reason = "invalid_sender"
	InvalidMessage     Reason = "invalid_message"
	OptedOut           Reason = "opted_out"
	NotMobile          Reason = "not_mobile"
	Unreachable        Reason = "unreachable"
	Filtered           Reason = "filtered"
	UnregisteredSender Reason = "unregistered_sender"
	DestinationRefused Reason = "destination_not_allowed"
	RateLimited        Reason = vendorerror.RateLimited
	ProviderDown       Reason = vendorerror.ProviderDown
	Auth               Reason = "auth"
	InsufficientFunds  Reason = "insufficient_funds"
	NotFound           Reason = "not_found"
	Expired            Reason = "expired"
	UnknownReason      Reason = "unknown"
	NumberNotAvailable Reason = "number_not_available"
	NotSupported       Reason = "not_supported"
)

// Explain returns what a reason means to people, and what they can do.
func (r Reason) Explain() string {
	switch r {
	case InvalidRecipient:
		return "The number does not exist or cannot receive messages."
	case InvalidSender:
		return "The sending number is not one of the provider account, or cannot send messages."
	case InvalidMessage:
		return "The provider rejected the message: see its code."
	case OptedOut:
		return "The recipient has opted out. Only the recipient can change that, by sending START."
	case NotMobile:
		return "The number is a landline, which cannot receive text messages."
	case Unreachable:
		return "The phone could not be reached: it is off or has no network. Try again later."
	case Filtered:
		return "A carrier dropped the message as spam. Review its text and links."
	case UnregisteredSender:
		return "The sending number is not registered with the carriers (10DLC, or verification of a toll-free number)."
	case DestinationRefused:
		return "The provider account is not allowed to send to this country or number."
	case RateLimited:
		return "The provider's rate limit was reached."
	case ProviderDown:
		return "The provider could not be reached."
	case Auth:
		return "The provider rejected the account's credentials. Replace them, and check the account."
	case InsufficientFunds:
		return "The provider account has no funds left."
	case NotFound:
		return "The provider does not know this object."
	case Expired:
		return "The message could not be delivered in time."
	case NumberNotAvailable:
		return "The number can no longer be bought."
	case NotSupported:
		return "The provider does not support this."
	case UnknownReason:
	}

	return "The provider gave an unknown reason: see its code."
}
