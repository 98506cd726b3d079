package telnyx

import (
	"encoding/json"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendorhttp"
)

// reasons are what codes of Telnyx's mean (developers.telnyx.com, messaging error codes).
var reasons = map[string]provider.Reason{
	"10005": provider.NotFound, "10009": provider.Auth, "20100": provider.InsufficientFunds, "40001": provider.NotMobile, "40002": provider.Filtered,
	"40003": provider.Filtered, "40004": provider.Filtered, "40005": provider.Expired, "40006": provider.Unreachable,
	"40008": provider.Unreachable, "40009": provider.InvalidMessage, "40010": provider.UnregisteredSender,
	"40011": provider.RateLimited, "40012": provider.InvalidRecipient, "40300": provider.OptedOut,
	"40301": provider.InvalidMessage, "40302": provider.InvalidMessage, "40305": provider.InvalidSender,
	"40310": provider.InvalidRecipient, "40318": provider.RateLimited,
}

func meaningOf(code string) (vendorhttp.Meaning, bool) {
	reason, known := reasons[code]

	return vendorhttp.Meaning{Reason: reason, Again: reason == provider.RateLimited}, known
}

// Explain implements provider.Provider, for codes that mean more than their reason.
func (*Provider) Explain(code string) string {
	switch code {
	case "40300":
		return "The recipient has sent STOP to this messaging profile. Only START from the recipient changes that."
	case "40010":
		return "The number is not registered for 10DLC: assign it to a campaign at Telnyx."
	default:
		return ""
	}
}

// failure is an error as Telnyx shows it.
type failure struct {
	Code   vendorhttp.Text `json:"code"`
	Title  vendorhttp.Text `json:"title"`
	Detail vendorhttp.Text `json:"detail"`
}

func readError(body []byte) vendorhttp.Said {
	var e struct {
		Errors []failure `json:"errors"`
	}
	if json.Unmarshal(body, &e) != nil || len(e.Errors) == 0 {
		return vendorhttp.Said{}
	}
	first := e.Errors[0]
	if first.Detail == "" {
		first.Detail = first.Title
	}

	return vendorhttp.Said{Code: string(first.Code), Detail: string(first.Detail)}
}
