// Package documentsapi is the contract of the documents area: its id, the types of its items, its events and its hooks.
package documentsapi

// Area is the id of the area; the others are the types of its items.
const (
	Area     = "documents"
	Template = "documents.template"
	Document = "documents.document"
	Packet   = "documents.packet"
)

// About names the document that an event is about, and the item that the document is about.
type About struct {
	Document string `json:"document_uuid"`
	// Kind is that of the paper: "agreement".
	Kind     string `json:"kind"`
	Revision int64  `json:"revision"`
	ItemType string `json:"item_type"`
	Item     string `json:"item_uuid"`
}

// EventItem implements events.Named.
func (a About) EventItem() (itemType, id string) { return a.ItemType, a.Item }

// Ready is published once a document is printed.
type Ready struct{ About }

// EventName implements events.Event.
func (Ready) EventName() string { return "documents.document.ready" }

// Failed is published once a document could not be printed.
type Failed struct {
	About

	// Code is that of the error, such as documents.unprintable; "" for a fault of the service.
	Code string `json:"code,omitempty"`
}

// EventName implements events.Event.
func (Failed) EventName() string { return "documents.document.failed" }

// Sent is published whenever a link to a document is given.
type Sent struct {
	About

	// Channels are those that sent it, none for a link that the company passes on itself.
	Channels []string `json:"channels"`
}

// EventName implements events.Event.
func (Sent) EventName() string { return "documents.document.sent" }

// Viewed is published once somebody has opened a document by a link.
type Viewed struct{ About }

// EventName implements events.Event.
func (Viewed) EventName() string { return "documents.document.viewed" }

// Signed is published once all have signed the envelope that a document was sent in.
type Signed struct {
	About

	Envelope string `json:"envelope_uuid"`
}

// EventName implements events.Event.
func (Signed) EventName() string { return "documents.document.signed" }

// Voided is published once a document is no longer valid.
type Voided struct{ About }

// EventName implements events.Event.
func (Voided) EventName() string { return "documents.document.voided" }

// ChoosingTemplate is the hook documents.template.choosing: a paper is about to be printed. Areas may set another published template of the kind.
type ChoosingTemplate struct {
	Kind, Locale string
	// Template is the uuid of the default of the kind and the locale, "" for none: then the paper is printed as its area has it.
	Template string
}

// Sending is the hook documents.document.sending: a link to a document is about to be given. Areas may veto it.
type Sending struct {
	About

	// Channels are those that it is to be sent by, none for a link that the company passes on itself.
	Channels []string
}
