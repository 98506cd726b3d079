package store

import (
	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/smsapi"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
)

// MessageItem is the type of messages as items, and in the log of transitions.
const MessageItem = smsapi.Item

// Status is how far a message is.
type Status string

// The states of messages.
const (
	// Scheduled waits for its time, Queued for its turn.
	Scheduled Status = "scheduled"
	Queued    Status = "queued"
	// Sending was handed to the provider, or is being handed over.
	Sending Status = "sending"
	// Unknown was handed over, and nobody knows whether it was taken: a person decides.
	Unknown Status = "unknown"
	// Sent has left the provider. It is the last that is heard where a carrier sends no receipts.
	Sent        Status = "sent"
	Delivered   Status = "delivered"
	Undelivered Status = "undelivered"
	Failed      Status = "failed"
	canceled    Status = "canceled"
	// Received is the state of messages from outside, all their life.
	Received Status = "received"
)

// The verbs.
const (
	VerbRelease     = "release"
	VerbCancel      = "cancel"
	VerbHandOver    = "hand_over"
	VerbRequeue     = "requeue"
	VerbFail        = "fail"
	VerbMarkUnknown = "lose"
	verbResend      = "resend"
	verbGiveUp      = "give_up"
	VerbReport      = "report"
)

// SendScope is who may send.
const SendScope = "send"

// service and people are who moves messages.
var (
	service = state.Who{Kinds: []principal.Kind{principal.System}}
	people  = state.Who{Scope: SendScope}
)

// Lifecycle is the life of a message that we send. People cancel what has not gone, and decide about what
// nobody knows of; all else the service does by itself, or hears of (Machine.Observe). Carriers revoke deliveries days later, and a message
// that was given up may have arrived.
var Lifecycle = state.Machine[Status]{
	Item: MessageItem, Initial: Scheduled, Final: []Status{Undelivered, canceled},
	Steps: []state.Step[Status]{
		{From: []Status{Scheduled}, Verb: VerbRelease, To: Queued, Who: service},
		{From: []Status{Scheduled, Queued}, Verb: VerbCancel, To: canceled, Who: people},
		{From: []Status{Queued}, Verb: VerbHandOver, To: Sending, Who: service},
		{From: []Status{Sending}, Verb: VerbRequeue, To: Queued, Who: service},
		{From: []Status{Scheduled, Queued, Sending, Unknown, Sent}, Verb: VerbFail, To: Failed, Who: service},
		{From: []Status{Sending}, Verb: VerbMarkUnknown, To: Unknown, Who: service},
		{From: []Status{Unknown}, Verb: verbResend, To: Queued, Who: people},
		{From: []Status{Unknown}, Verb: verbGiveUp, To: Failed, Who: people},
		{From: []Status{Sending, Unknown}, Verb: "pass_on", To: Sent, Who: service},
		{From: []Status{Sending, Unknown, Sent, Failed}, Verb: "deliver", To: Delivered, Who: service},
		{From: []Status{Sending, Unknown, Sent, Failed, Delivered}, Verb: "bounce", To: Undelivered, Who: service},
	},
	Order: [][]Status{{Scheduled}, {Queued}, {Sending}, {Unknown}, {Sent}, {Failed, canceled}, {Delivered}, {Undelivered}},
}

// StateOf is where a provider's status puts a message.
func StateOf(s provider.Status) Status {
	switch s {
	case provider.Sent:
		return Sent
	case provider.Delivered:
		return Delivered
	case provider.Undelivered:
		return Undelivered
	case provider.Failed:
		return Failed
	case provider.Sending, provider.Received:
	}

	return Sending
}
