package sms

import (
	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/smsapi"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
)

// messageItem is the type of messages as items, and in the log of transitions.
const messageItem = smsapi.Item

type status string

const (
	// scheduled waits for its time, queued for its turn.
	scheduled status = "scheduled"
	queued    status = "queued"
	// sending was handed to the provider, or is being handed over.
	sending status = "sending"
	// unknown was handed over, and nobody knows whether it was taken: a person decides.
	unknown status = "unknown"
	// sent has left the provider. It is the last that is heard where a carrier sends no receipts.
	sent        status = "sent"
	delivered   status = "delivered"
	undelivered status = "undelivered"
	failed      status = "failed"
	canceled    status = "canceled"
	// received is the state of messages from outside, all their life.
	received status = "received"
)

// The verbs.
const (
	verbRelease  = "release"
	verbCancel   = "cancel"
	verbHandOver = "hand_over"
	verbRequeue  = "requeue"
	verbFail     = "fail"
	verbLose     = "lose"
	verbResend   = "resend"
	verbGiveUp   = "give_up"
	verbReport   = "report"
)

// sendScope is who may send.
const sendScope = "send"

// lifecycle is the life of a message that we send. People cancel what has not gone, and decide about what
// nobody knows of; all else the service does by itself, or hears of (Machine.Observe).
func lifecycle() state.Machine[status] {
	us := state.Who{Kinds: []principal.Kind{principal.System}}
	people := state.Who{Scope: sendScope}

	return state.Machine[status]{
		Item: messageItem, Initial: scheduled, Final: []status{delivered, undelivered, failed, canceled},
		Steps: []state.Step[status]{
			{From: []status{scheduled}, Verb: verbRelease, To: queued, Who: us},
			{From: []status{scheduled, queued}, Verb: verbCancel, To: canceled, Who: people},
			{From: []status{queued}, Verb: verbHandOver, To: sending, Who: us},
			{From: []status{sending}, Verb: verbRequeue, To: queued, Who: us},
			{From: []status{scheduled, queued, sending, unknown, sent}, Verb: verbFail, To: failed, Who: us},
			{From: []status{sending}, Verb: verbLose, To: unknown, Who: us},
			{From: []status{unknown}, Verb: verbResend, To: queued, Who: people},
			{From: []status{unknown}, Verb: verbGiveUp, To: failed, Who: people},
			{From: []status{sending, unknown}, Verb: "pass_on", To: sent, Who: us},
			{From: []status{sending, unknown, sent}, Verb: "deliver", To: delivered, Who: us},
			{From: []status{sending, unknown, sent}, Verb: "bounce", To: undelivered, Who: us},
		},
		Order: [][]status{{scheduled}, {queued}, {sending}, {unknown}, {sent}, {delivered, undelivered, failed, canceled}},
	}
}

// stateOf is where a provider's status puts a message.
func stateOf(s provider.Status) status {
	switch s {
	case provider.Sent:
		return sent
	case provider.Delivered:
		return delivered
	case provider.Undelivered:
		return undelivered
	case provider.Failed:
		return failed
	case provider.Sending, provider.Received:
	}

	return sending
}
