package store

import (
	"slices"

	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
)

// EnvelopeItem is the type of envelopes as items, and in the log of transitions.
const EnvelopeItem = esignapi.Item

// Status is where an envelope is. Those from created on are the vendor's.
type Status string

// The states of envelopes.
const (
	// Draft is only here; queued waits for being handed over.
	Draft  Status = "draft"
	Queued Status = "queued"
	// Sending was handed over, or is being handed over; unknown was, and nobody knows whether it was taken.
	Sending Status = "sending"
	Unknown Status = "unknown"
	// Failed was refused by the provider: it can be mended, and sent again.
	Failed Status = "failed"

	Created    Status = "created" // a draft at the vendor
	Processing Status = "processing"
	Sent       Status = "sent"
	Delivered  Status = "delivered"
	Correcting Status = "correct" // opened for correction: nobody can sign
	Signed     Status = "signed"  // somebody's last signature is being finished
	Completed  Status = "completed"
	Declined   Status = "declined"
	Voided     Status = "voided"
	// Expired is voided, by nobody; the vendor has no word of its own for it.
	Expired Status = "expired"
	Deleted Status = "deleted"
	// What becomes of completed envelopes whose only valid copy is moved elsewhere.
	AuthoritativeCopy Status = "authoritativecopy"
	TransferCompleted Status = "transfercompleted"
)

// RecipientStatus is where a recipient is, in the vendor's words.
type RecipientStatus string

// The states of recipients.
const (
	RecipientCreated       RecipientStatus = "created"
	RecipientSent          RecipientStatus = "sent"
	RecipientAutoresponded RecipientStatus = "autoresponded"
	RecipientFaxPending    RecipientStatus = "faxpending"
	RecipientDelivered     RecipientStatus = "delivered"
	RecipientSigned        RecipientStatus = "signed"
	RecipientCompleted     RecipientStatus = "completed"
	RecipientDeclined      RecipientStatus = "declined"
)

// SendScope is who may send.
const SendScope = "send"

// The verbs of what is decided here; the others are heard.
const (
	VerbSend        = "send"
	VerbSendAgain   = "send_again"
	VerbGiveUp      = "give_up"
	VerbDiscard     = "discard"
	VerbHandOver    = "hand_over"
	VerbRequeue     = "requeue"
	VerbFail        = "fail"
	VerbMarkUnknown = "lose"
)

// service and people are who moves envelopes.
var (
	service = state.Who{Kinds: []principal.Kind{principal.System}}
	people  = state.Who{Scope: SendScope}
)

// underWay are the states that a provider's report leaves, in their order.
var underWay = []Status{Queued, Sending, Unknown, Failed, Created, Processing, Sent, Delivered, Correcting, Signed}

// Lifecycle is the life of an envelope. People send, discard and give up; all else the service does by itself, or providers report.
var Lifecycle = state.Machine[Status]{
	Item: EnvelopeItem, Initial: Draft,
	Final: []Status{Expired, Deleted, Declined, Voided, TransferCompleted},
	Steps: []state.Step[Status]{
		{From: []Status{Draft, Failed}, Verb: VerbSend, To: Queued, Who: people},
		{From: []Status{Draft, Queued, Failed}, Verb: VerbDiscard, To: Deleted, Who: people},
		{From: []Status{Queued}, Verb: VerbHandOver, To: Sending, Who: service},
		{From: []Status{Sending}, Verb: VerbRequeue, To: Queued, Who: service},
		{From: []Status{Queued, Sending, Unknown}, Verb: VerbFail, To: Failed, Who: service},
		{From: []Status{Sending}, Verb: VerbMarkUnknown, To: Unknown, Who: service},
		{From: []Status{Unknown}, Verb: VerbSendAgain, To: Queued, Who: people},
		{From: []Status{Unknown}, Verb: VerbGiveUp, To: Failed, Who: people},
		{From: underWay[:4:4], Verb: "make", To: Created, Who: service},
		{From: underWay[:5:5], Verb: "process", To: Processing, Who: service},
		{From: underWay[:6:6], Verb: "go_out", To: Sent, Who: service},
		{From: []Status{Delivered, Correcting}, Verb: "go_out", To: Sent, Who: service},
		{From: slices.Concat(underWay[:7:7], []Status{Correcting}), Verb: "deliver", To: Delivered, Who: service},
		{From: []Status{Sent, Delivered}, Verb: "open", To: Correcting, Who: service},
		{From: underWay[:9:9], Verb: "sign", To: Signed, Who: service},
		{From: underWay, Verb: "complete", To: Completed, Who: service},
		{From: underWay, Verb: "decline", To: Declined, Who: service},
		{From: underWay, Verb: "take_back", To: Voided, Who: service},
		{From: underWay, Verb: "expire", To: Expired, Who: service},
		{From: underWay, Verb: "delete", To: Deleted, Who: service},
		{From: []Status{Completed}, Verb: "copy", To: AuthoritativeCopy, Who: service},
		{From: []Status{Completed, AuthoritativeCopy}, Verb: "transfer", To: TransferCompleted, Who: service},
	},
	Order: [][]Status{
		{Draft},
		{Queued},
		{Sending},
		{Unknown, Failed},
		{Created},
		{Processing},
		{Sent},
		{Delivered, Correcting},
		{Signed},
		{Completed, Declined, Voided, Expired},
		{AuthoritativeCopy},
		{TransferCompleted},
		{Deleted},
	},
}

// Reasons of our own for which an envelope fails.
const (
	ReasonDisabled          = "account_disabled"
	ReasonTemplateGone      = "template_gone"
	ReasonTemplateChanged   = "template_changed"
	ReasonAttachmentChanged = "attachment_changed"
	ReasonGivenUp           = "given_up"
)
