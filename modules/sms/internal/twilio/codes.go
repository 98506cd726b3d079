package twilio

import (
	"encoding/json"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendorhttp"
)

// known is a code of Twilio's (twilio.com/docs/api/errors), and what can be done about it.
type known struct {
	means vendorhttp.Meaning
	text  string
}

// codes are those that matter for messages. The ones from 30001 on come when a message is delivered.
var codes = map[string]known{
	"11200": {vendorhttp.Meaning{Reason: provider.UnknownReason}, "Twilio could not reach our address for notifications: see callbacks of the account."},
	"20003": {vendorhttp.Meaning{Reason: provider.Auth}, "Twilio refused the credentials: the auth token or the API key was changed or revoked. Set the new ones in the account."},
	"20005": {vendorhttp.Meaning{Reason: provider.Auth}, "The Twilio account is not active: it was suspended or closed. See its console."},
	"20404": {vendorhttp.Meaning{Reason: provider.NotFound}, "Twilio does not know it. It may belong to another Twilio account."},
	"20429": {vendorhttp.Meaning{Reason: provider.RateLimited, Again: true}, "Twilio takes no more requests for the moment. The message is tried again."},
	"21211": {vendorhttp.Meaning{Reason: provider.InvalidRecipient}, "The recipient's number does not exist."},
	"21212": {vendorhttp.Meaning{Reason: provider.InvalidSender}, "The sending number is not valid."},
	"21266": {vendorhttp.Meaning{Reason: provider.InvalidMessage}, "A number cannot send to itself."},
	"21408": {vendorhttp.Meaning{Reason: provider.DestinationRefused}, "The Twilio account may not send to this country: allow it under Messaging, Geo permissions."},
	"21421": {vendorhttp.Meaning{Reason: provider.NumberNotAvailable}, "The number is not one that can be bought."},
	"21422": {vendorhttp.Meaning{Reason: provider.NumberNotAvailable}, "The number was bought by somebody else meanwhile."},
	"21602": {vendorhttp.Meaning{Reason: provider.InvalidMessage}, "The message has no text."},
	"21604": {vendorhttp.Meaning{Reason: provider.InvalidRecipient}, "The message has no recipient."},
	"21606": {vendorhttp.Meaning{Reason: provider.InvalidSender}, "The sending number is not one of the Twilio account, or cannot send text messages."},
	"21608": {vendorhttp.Meaning{Reason: provider.DestinationRefused}, "A Twilio trial account sends only to numbers that were verified in its console. Upgrade it."},
	"21610": {vendorhttp.Meaning{Reason: provider.OptedOut}, "The recipient has sent STOP to this sender. Only START from the recipient changes that."},
	"21611": {vendorhttp.Meaning{Reason: provider.RateLimited, Again: true}, "The sending number has too many messages waiting at Twilio. The message is tried again."},
	"21612": {vendorhttp.Meaning{Reason: provider.DestinationRefused}, "Twilio has no way from this sending number to the recipient. Send from another number."},
	"21614": {vendorhttp.Meaning{Reason: provider.NotMobile}, "The recipient's number takes no text messages: it is a landline."},
	"21617": {vendorhttp.Meaning{Reason: provider.InvalidMessage}, "The text is longer than 1600 characters."},
	"21703": {vendorhttp.Meaning{Reason: provider.InvalidSender}, "The messaging service has no number to send from. Add the number to its sender pool."},
	"21705": {vendorhttp.Meaning{Reason: provider.InvalidSender}, "There is no such messaging service in the Twilio account."},
	"30001": {vendorhttp.Meaning{Reason: provider.RateLimited}, "The message waited too long at Twilio and was dropped. Send it again, and send more slowly."},
	"30002": {vendorhttp.Meaning{Reason: provider.Auth}, "The Twilio account was suspended while the message waited. See its console."},
	"30003": {vendorhttp.Meaning{Reason: provider.Unreachable}, "The phone is off or has no network. Send it again later."},
	"30004": {vendorhttp.Meaning{Reason: provider.Filtered}, "The message was blocked: by the recipient's carrier, or because the recipient wants none."},
	"30005": {vendorhttp.Meaning{Reason: provider.InvalidRecipient}, "The recipient's number is no longer in service."},
	"30006": {vendorhttp.Meaning{Reason: provider.NotMobile}, "The recipient's number is a landline, or a carrier that takes no text messages."},
	"30007": {vendorhttp.Meaning{Reason: provider.Filtered}, "A carrier dropped the message as spam. Review its text and links."},
	"30008": {vendorhttp.Meaning{Reason: provider.UnknownReason}, "The carrier gives no reason. Send it again later."},
	"30010": {vendorhttp.Meaning{Reason: provider.InvalidMessage}, "The message costs more than it was allowed to."},
	"30032": {vendorhttp.Meaning{Reason: provider.UnregisteredSender}, "The toll-free number is not verified. Have it verified at Twilio."},
	"30034": {vendorhttp.Meaning{Reason: provider.UnregisteredSender}, "The number is not registered for 10DLC. Register brand and campaign at Twilio, and add the number to its messaging service."},
}

// Explain implements provider.Provider.
func (*Provider) Explain(code string) string { return codes[code].text }

func meaningOf(code string) (vendorhttp.Meaning, bool) {
	k, ok := codes[code]

	return k.means, ok
}

// reasonOf is why a message failed whose notification has a code.
func reasonOf(code string) provider.Reason {
	if m, ok := meaningOf(code); ok {
		return m.Reason
	}

	return provider.UnknownReason
}

func readError(body []byte) vendorhttp.Said {
	var e struct {
		Code    vendorhttp.Text `json:"code"`
		Message vendorhttp.Text `json:"message"`
	}
	if json.Unmarshal(body, &e) != nil {
		return vendorhttp.Said{}
	}

	return vendorhttp.Said{Code: string(e.Code), Detail: string(e.Message)}
}
