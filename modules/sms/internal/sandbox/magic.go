package sandbox

import (
	"errors"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
)

// Case is what happens to messages to numbers that end in 555-01 and two digits.
type Case struct {
	Ending, About string
	// Refuses is what sending answers, nil for numbers to which messages are taken.
	Refuses func() error
	// Fails is what the sandbox tells after the message was sent; "" for what is delivered.
	Fails provider.Reason
	Code  string
	// Slow is how long it takes longer. Silent tells nothing after "sent", Disordered tells everything
	// twice and the last thing first.
	Slow               time.Duration
	Silent, Disordered bool
}

// Cases are the magic numbers: +1 and any area code, 555 01 and these digits. All others are delivered.
var Cases = []Case{
	{Ending: "01", About: "no such number", Refuses: failPermanently(provider.InvalidRecipient, "sandbox_01")},
	{Ending: "02", About: "a landline", Refuses: failPermanently(provider.NotMobile, "sandbox_02")},
	{Ending: "03", About: "the phone is off", Fails: provider.Unreachable, Code: "sandbox_03"},
	{Ending: "04", About: "a carrier drops it as spam", Fails: provider.Filtered, Code: "sandbox_04"},
	{Ending: "05", About: "opted out at the provider", Refuses: failPermanently(provider.OptedOut, "sandbox_05")},
	{Ending: "06", About: "the provider's rate limit is reached, on every attempt", Refuses: failTemporarily(provider.RateLimited, "sandbox_06")},
	{Ending: "07", About: "the provider answers that it is down, on every attempt", Refuses: failTemporarily(provider.ProviderDown, "sandbox_07")},
	{Ending: "08", About: "the connection breaks: the outcome is unknown", Refuses: func() error { return errBroken }},
	{Ending: "09", About: "delivered, a minute later", Slow: time.Minute},
	{Ending: "10", About: "no funds", Refuses: failPermanently(provider.InsufficientFunds, "sandbox_10")},
	{Ending: "11", About: "the sender is not registered", Fails: provider.UnregisteredSender, Code: "sandbox_11"},
	{Ending: "12", About: "the country is not allowed", Refuses: failPermanently(provider.DestinationRefused, "sandbox_12")},
	{Ending: "13", About: "a landline, found out on delivery", Fails: provider.NotMobile, Code: "sandbox_13"},
	{Ending: "14", About: "the carrier sends no receipt: it stays sent", Silent: true},
	{Ending: "15", About: "reported twice and out of order", Disordered: true},
	{Ending: "16", About: "the credentials are revoked", Refuses: failPermanently(provider.Auth, "sandbox_16")},
}

var errBroken = errors.New("sandbox: the connection broke before the answer")

// caseOf returns the case of a number, the zero Case for what is delivered.
func caseOf(to string) Case {
	last := endingOf(to)
	for _, c := range Cases {
		if c.Ending == last {
			return c
		}
	}

	return Case{}
}

// endingOf returns the last two digits of an unassigned number of 555-01, "" for any other one.
func endingOf(number string) string {
	rest, american := strings.CutPrefix(number, "+1")
	if !american || len(rest) != 10 || rest[3:8] != "55501" {
		return ""
	}

	return rest[8:]
}

// steps is what the sandbox tells.
func (c Case) steps() []Step {
	sent := Step{After: c.Slow, Update: provider.Update{
		Status: provider.Sent, Raw: "sent", Cost: provider.Cost{Amount: "0.0079", Currency: "USD"},
	}}
	last := Step{Update: provider.Update{Status: provider.Delivered, Raw: "delivered"}}
	if c.Fails != "" {
		last.Update = provider.Update{Status: provider.Undelivered, Raw: "undelivered", Reason: c.Fails, Code: c.Code}
	}
	switch {
	case c.Silent:
		return []Step{sent}
	case c.Disordered:
		return []Step{last, last, sent, sent}
	default:
		return []Step{sent, last}
	}
}

func failPermanently(reason provider.Reason, code string) func() error {
	return func() error { return &provider.Error{Reason: reason, Taken: provider.No, Code: code} }
}

func failTemporarily(reason provider.Reason, code string) func() error {
	return func() error { return &provider.Error{Reason: reason, Taken: provider.No, Code: code, Retryable: true} }
}
