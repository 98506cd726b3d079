package esign

import (
	"slices"

	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
)

// envelopeItem is the type of envelopes as items, and in the log of transitions.
const envelopeItem = esignapi.Item

// status is where an envelope is. Those from created on are the vendor's.
type status string

const (
	// draft is only here; queued waits for being handed over.
	draft  status = "draft"
	queued status = "queued"
	// sending was handed over, or is being handed over; unknown was, and nobody knows whether it was taken.
	sending status = "sending"
	unknown status = "unknown"
	// failed was refused by the provider: it can be mended, and sent again.
	failed status = "failed"

	created    status = "created" // a draft at the vendor
	processing status = "processing"
	sent       status = "sent"
	delivered  status = "delivered"
	correcting status = "correct" // opened for correction: nobody can sign
	signed     status = "signed"  // somebody's last signature is being finished
	completed  status = "completed"
	declined   status = "declined"
	voided     status = "voided"
	// expired is voided, by nobody; the vendor has no word of its own for it.
	expired status = "expired"
	deleted status = "deleted"
	// What becomes of completed envelopes whose only valid copy is moved elsewhere.
	authoritativeCopy status = "authoritativecopy"
	transferCompleted status = "transfercompleted"
)

// recipientStatus is where a recipient is, in the vendor's words.
type recipientStatus string

const (
	recipientCreated       recipientStatus = "created"
	recipientSent          recipientStatus = "sent"
	recipientAutoresponded recipientStatus = "autoresponded"
	recipientFaxPending    recipientStatus = "faxpending"
	recipientDelivered     recipientStatus = "delivered"
	recipientSigned        recipientStatus = "signed"
	recipientCompleted     recipientStatus = "completed"
	recipientDeclined      recipientStatus = "declined"
)

// sendScope is who may send.
const sendScope = "send"

// The verbs of what is decided here; the others are heard.
const (
	verbSend      = "send"
	verbSendAgain = "send_again"
	verbGiveUp    = "give_up"
	verbDiscard   = "discard"
	verbHandOver  = "hand_over"
	verbRequeue   = "requeue"
	verbFail      = "fail"
	verbLose      = "lose"
)

// lifecycle is the life of an envelope. People send, discard and give up; all else the service does by itself, or hears.
func lifecycle() state.Machine[status] {
	us := state.Who{Kinds: []principal.Kind{principal.System}}
	people := state.Who{Scope: sendScope}
	onTheWay := []status{sent, delivered, correcting, signed}
	heard := append([]status{queued, sending, unknown, failed, created, processing}, onTheWay...)
	before := func(n int) []status { return heard[:n:n] }

	return state.Machine[status]{
		Item: envelopeItem, Initial: draft,
		Final: []status{expired, deleted, declined, voided, transferCompleted},
		Steps: []state.Step[status]{
			{From: []status{draft, failed}, Verb: verbSend, To: queued, Who: people},
			{From: []status{draft, queued, failed}, Verb: verbDiscard, To: deleted, Who: people},
			{From: []status{queued}, Verb: verbHandOver, To: sending, Who: us},
			{From: []status{sending}, Verb: verbRequeue, To: queued, Who: us},
			{From: []status{queued, sending, unknown}, Verb: verbFail, To: failed, Who: us},
			{From: []status{sending}, Verb: verbLose, To: unknown, Who: us},
			{From: []status{unknown}, Verb: verbSendAgain, To: queued, Who: people},
			{From: []status{unknown}, Verb: verbGiveUp, To: failed, Who: people},
			{From: before(4), Verb: "make", To: created, Who: us},
			{From: before(5), Verb: "process", To: processing, Who: us},
			{From: before(6), Verb: "go_out", To: sent, Who: us},
			{From: []status{delivered, correcting}, Verb: "go_out", To: sent, Who: us},
			{From: slices.Concat(before(7), []status{correcting}), Verb: "deliver", To: delivered, Who: us},
			{From: []status{sent, delivered}, Verb: "open", To: correcting, Who: us},
			{From: before(9), Verb: "sign", To: signed, Who: us},
			{From: heard, Verb: "complete", To: completed, Who: us},
			{From: heard, Verb: "decline", To: declined, Who: us},
			{From: heard, Verb: "take_back", To: voided, Who: us},
			{From: heard, Verb: "expire", To: expired, Who: us},
			{From: heard, Verb: "delete", To: deleted, Who: us},
			{From: []status{completed}, Verb: "copy", To: authoritativeCopy, Who: us},
			{From: []status{completed, authoritativeCopy}, Verb: "transfer", To: transferCompleted, Who: us},
		},
		Order: [][]status{
			{draft},
			{queued},
			{sending},
			{unknown, failed},
			{created},
			{processing},
			{sent},
			{delivered, correcting},
			{signed},
			{completed, declined, voided, expired},
			{authoritativeCopy},
			{transferCompleted},
			{deleted},
		},
	}
}
