package connect

import (
	"strings"
)

// Subject is what an event is about.
type Subject string

// The subjects.
const (
	OfEnvelope  Subject = "envelope"
	OfRecipient Subject = "recipient"
	OfTemplate  Subject = "template"
	OfClickwrap Subject = "click"
	OfConsent   Subject = "sms"
)

// Event is a kind of message.
type Event struct {
	Name string
	Of   Subject
	// Status is the one that the envelope or the recipient has come to with it, "" if none follows.
	Status string
	// Undocumented says that only connectors of others name it: it is understood, but cannot be subscribed to.
	Undocumented bool
}

// isFinal reports whether nothing comes after it.
func (e Event) isFinal() bool { return isFinalStatus(e.Status) }

func isFinalStatus(status string) bool {
	switch status {
	case "completed", "declined", "voided", "deleted", "authoritativecopy", "transfercompleted":
		return true
	default:
		return false
	}
}

// Events are those that DocuSign's pages and connectors name. Others are as good, and change nothing.
var Events = []Event{
	{Name: "envelope-created", Of: OfEnvelope, Status: "created"},
	{Name: "envelope-sent", Of: OfEnvelope, Status: "sent"},
	{Name: "envelope-resent", Of: OfEnvelope},
	{Name: "envelope-delivered", Of: OfEnvelope, Status: "delivered"},
	{Name: "envelope-completed", Of: OfEnvelope, Status: "completed"},
	{Name: "envelope-declined", Of: OfEnvelope, Status: "declined"},
	{Name: "envelope-voided", Of: OfEnvelope, Status: "voided"},
	{Name: "envelope-corrected", Of: OfEnvelope},
	{Name: "envelope-purge", Of: OfEnvelope},
	{Name: "envelope-deleted", Of: OfEnvelope, Status: "deleted"},
	{Name: "envelope-discard", Of: OfEnvelope, Status: "deleted"},
	{Name: "envelope-removed", Of: OfEnvelope, Status: "deleted", Undocumented: true},
	{Name: "envelope-reminder-sent", Of: OfEnvelope, Undocumented: true},
	{Name: "recipient-sent", Of: OfRecipient, Status: "sent"},
	{Name: "recipient-resent", Of: OfRecipient},
	{Name: "recipient-delivered", Of: OfRecipient, Status: "delivered"},
	{Name: "recipient-completed", Of: OfRecipient, Status: "completed"},
	{Name: "recipient-declined", Of: OfRecipient, Status: "declined"},
	{Name: "recipient-autoresponded", Of: OfRecipient, Status: "autoresponded"},
	{Name: "recipient-authenticationfailed", Of: OfRecipient},
	{Name: "recipient-delegate", Of: OfRecipient},
	{Name: "recipient-reassign", Of: OfRecipient},
	{Name: "recipient-finish-later", Of: OfRecipient},
	{Name: "template-created", Of: OfTemplate},
	{Name: "template-modified", Of: OfTemplate},
	{Name: "template-deleted", Of: OfTemplate},
	{Name: "click-agreed", Of: OfClickwrap},
	{Name: "click-declined", Of: OfClickwrap},
	{Name: "sms-opt-in", Of: OfConsent},
	{Name: "sms-opt-out", Of: OfConsent},
}

// Find returns the event with a name in its one spelling.
func Find(name string) (Event, bool) {
	for _, e := range Events {
		if e.Name == name {
			return e, true
		}
	}

	return Event{}, false
}

// canonical is the one spelling of a name.
func canonical(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	switch name {
	case "recipient-reassigned":
		return "recipient-reassign"
	case "templated-modified":
		return "template-modified"
	default:
		return name
	}
}
