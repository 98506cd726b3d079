package twilio

import (
	"encoding/json"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendorhttp"
)

// known is a code of Twilio's (twilio.com/docs/api/errors), and what can be done about it.
type known struct {
	code string
	vendorhttp.Meaning
	text string
}

// codes are those that matter for messages. The ones from 30001 on come when a message is delivered.
func codes() []known {
	row := func(code string, reason provider.Reason, text string) known {
		return known{code: code, Meaning: vendorhttp.Meaning{Reason: reason}, text: text}
	}
	again := func(k known) known {
		k.Again = true

		return k
	}

	return []known{
		row("11200", provider.UnknownReason, "Twilio could not reach our address for notifications: see callbacks of the account."),
		row("20003", provider.Auth, "Twilio refused the credentials: the auth token or the API key was changed or revoked. Set the new ones in the account."),
		row("20005", provider.Auth, "The Twilio account is not active: it was suspended or closed. See its console."),
		row("20404", provider.NotFound, "Twilio does not know it. It may belong to another Twilio account."),
		again(row("20429", provider.RateLimited, "Twilio takes no more requests for the moment. The message is tried again.")),
		row("21211", provider.InvalidRecipient, "The recipient's number does not exist."),
		row("21212", provider.InvalidSender, "The sending number is not valid."),
		row("21266", provider.InvalidMessage, "A number cannot send to itself."),
		row("21408", provider.DestinationRefused, "The Twilio account may not send to this country: allow it under Messaging, Geo permissions."),
		row("21421", provider.NumberNotAvailable, "The number is not one that can be bought."),
		row("21422", provider.NumberNotAvailable, "The number was bought by somebody else meanwhile."),
		row("21602", provider.InvalidMessage, "The message has no text."),
		row("21604", provider.InvalidRecipient, "The message has no recipient."),
		row("21606", provider.InvalidSender, "The sending number is not one of the Twilio account, or cannot send text messages."),
		row("21608", provider.DestinationRefused, "A Twilio trial account sends only to numbers that were verified in its console. Upgrade it."),
		row("21610", provider.OptedOut, "The recipient has sent STOP to this sender. Only START from the recipient changes that."),
		again(row("21611", provider.RateLimited, "The sending number has too many messages waiting at Twilio. The message is tried again.")),
		row("21612", provider.DestinationRefused, "Twilio has no way from this sending number to the recipient. Send from another number."),
		row("21614", provider.NotMobile, "The recipient's number takes no text messages: it is a landline."),
		row("21617", provider.InvalidMessage, "The text is longer than 1600 characters."),
		row("21703", provider.InvalidSender, "The messaging service has no number to send from. Add the number to its sender pool."),
		row("21705", provider.InvalidSender, "There is no such messaging service in the Twilio account."),
		row("30001", provider.RateLimited, "The message waited too long at Twilio and was dropped. Send it again, and send more slowly."),
		row("30002", provider.Auth, "The Twilio account was suspended while the message waited. See its console."),
		row("30003", provider.Unreachable, "The phone is off or has no network. Send it again later."),
		row("30004", provider.Filtered, "The message was blocked: by the recipient's carrier, or because the recipient wants none."),
		row("30005", provider.InvalidRecipient, "The recipient's number is not in service any more."),
		row("30006", provider.NotMobile, "The recipient's number is a landline, or a carrier that takes no text messages."),
		row("30007", provider.Filtered, "A carrier took the message for spam and dropped it. Look at its words and links."),
		row("30008", provider.UnknownReason, "The carrier gives no reason. Send it again later."),
		row("30010", provider.InvalidMessage, "The message costs more than it was allowed to."),
		row("30032", provider.UnregisteredSender, "The toll-free number is not verified. Have it verified at Twilio."),
		row("30034", provider.UnregisteredSender, "The number is not registered for 10DLC. Register brand and campaign at Twilio, and add the number to its messaging service."),
	}
}

// Explain returns what a code means, "" if it is not known.
func Explain(code string) string {
	for _, k := range codes() {
		if k.code == code {
			return k.text
		}
	}

	return ""
}

func means(code string) (vendorhttp.Meaning, bool) {
	for _, k := range codes() {
		if k.code == code {
			return k.Meaning, true
		}
	}

	return vendorhttp.Meaning{}, false
}

// reasonOf is why a message failed whose notification has a code.
func reasonOf(code string) provider.Reason {
	if m, ok := means(code); ok {
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
