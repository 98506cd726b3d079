package smsapi

// Message is what the events say of a message: no text, and nobody's number.
type Message struct {
	Message   string `json:"message_uuid"`
	Thread    string `json:"thread_uuid"`
	OwnerType string `json:"owner_type,omitempty"`
	Owner     string `json:"owner_uuid,omitempty"`
}

// MessageQueued says that a message is to be sent.
type MessageQueued struct{ Message }

// EventName implements events.Event.
func (MessageQueued) EventName() string { return "sms.message.queued" }

// MessageSent says that the provider has passed a message on to the network.
type MessageSent struct{ Message }

// EventName implements events.Event.
func (MessageSent) EventName() string { return "sms.message.sent" }

// EventItem implements events.Named.
func (e MessageSent) EventItem() (itemType, id string) { return e.OwnerType, e.Owner }

// MessageDelivered says that a message has arrived.
type MessageDelivered struct{ Message }

// EventName implements events.Event.
func (MessageDelivered) EventName() string { return "sms.message.delivered" }

// EventItem implements events.Named.
func (e MessageDelivered) EventItem() (itemType, id string) { return e.OwnerType, e.Owner }

// MessageFailed says that a message will not arrive.
type MessageFailed struct {
	Message

	// Reason is why: "opted_out", "invalid_recipient" …; Code is the provider's own, or "".
	Reason string `json:"reason"`
	Code   string `json:"code,omitempty"`
}

// EventName implements events.Event.
func (MessageFailed) EventName() string { return "sms.message.failed" }

// EventItem implements events.Named.
func (e MessageFailed) EventItem() (itemType, id string) { return e.OwnerType, e.Owner }

// MessageReceived says that somebody has written.
type MessageReceived struct {
	Message

	// Keyword is "stop", "start" or "help" where the message was one, else "".
	Keyword string `json:"keyword,omitempty"`
}

// EventName implements events.Event.
func (MessageReceived) EventName() string { return "sms.message.received" }

// OptOutSuspected says that somebody's message may be an opt-out, which a person decides.
type OptOutSuspected struct{ Message }

// EventName implements events.Event.
func (OptOutSuspected) EventName() string { return "sms.opt_out.suspected" }

// EventItem implements events.Named.
func (e OptOutSuspected) EventItem() (itemType, id string) { return e.OwnerType, e.Owner }

// OptOutAdded says that somebody does not want messages any more.
type OptOutAdded struct {
	OptOut string `json:"opt_out_uuid"`
	Number string `json:"number"`
	// Source is "keyword", "provider" or "manual".
	Source string `json:"source"`
}

// EventName implements events.Event.
func (OptOutAdded) EventName() string { return "sms.opt_out.added" }

// OptOutRemoved says that somebody wants messages again.
type OptOutRemoved struct {
	OptOut string `json:"opt_out_uuid"`
	Number string `json:"number"`
	Source string `json:"source"`
}

// EventName implements events.Event.
func (OptOutRemoved) EventName() string { return "sms.opt_out.removed" }
