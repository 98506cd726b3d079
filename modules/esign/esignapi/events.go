package esignapi

// Envelope events carry the item that the envelope is about, and nobody's name.

// About is what all events say of an envelope.
type About struct {
	Envelope string `json:"envelope_uuid"`
	ItemType string `json:"item_type,omitempty"`
	Item     string `json:"item_uuid,omitempty"`
	// Source is the screen, or the rule, that it comes from.
	Source string `json:"source,omitempty"`
}

// EventItem implements events.Named: what happens to an envelope is told in the timeline of its item.
func (a About) EventItem() (itemType, id string) { return a.ItemType, a.Item }

// EnvelopeSent says that the vendor has sent an envelope to its first recipients.
type EnvelopeSent struct{ About }

// EventName implements events.Event.
func (EnvelopeSent) EventName() string { return "esign.envelope.sent" }

// EnvelopeDelivered says that all recipients have looked at an envelope.
type EnvelopeDelivered struct{ About }

// EventName implements events.Event.
func (EnvelopeDelivered) EventName() string { return "esign.envelope.delivered" }

// EnvelopeCompleted says that all recipients have done what was asked of them.
type EnvelopeCompleted struct{ About }

// EventName implements events.Event.
func (EnvelopeCompleted) EventName() string { return "esign.envelope.completed" }

// EnvelopeDeclined says that a recipient does not sign.
type EnvelopeDeclined struct {
	About

	Reason string `json:"reason,omitempty"`
}

// EventName implements events.Event.
func (EnvelopeDeclined) EventName() string { return "esign.envelope.declined" }

// EnvelopeVoided says that the sender has taken an envelope back.
type EnvelopeVoided struct {
	About

	Reason string `json:"reason,omitempty"`
}

// EventName implements events.Event.
func (EnvelopeVoided) EventName() string { return "esign.envelope.voided" }

// EnvelopeExpired says that an envelope was not signed in time.
type EnvelopeExpired struct{ About }

// EventName implements events.Event.
func (EnvelopeExpired) EventName() string { return "esign.envelope.expired" }

// EnvelopeDeleted says that an envelope was deleted at the vendor before it came to an end.
type EnvelopeDeleted struct{ About }

// EventName implements events.Event.
func (EnvelopeDeleted) EventName() string { return "esign.envelope.deleted" }

// EnvelopeFailed says that an envelope could not be handed to the vendor.
type EnvelopeFailed struct {
	About

	// Reason is why: "invalid", "auth" …; Code is the vendor's own, or "".
	Reason string `json:"reason"`
	Code   string `json:"code,omitempty"`
}

// EventName implements events.Event.
func (EnvelopeFailed) EventName() string { return "esign.envelope.failed" }

// DocumentsStored says that the signed documents of a completed envelope are attachments now, and what was signed in them.
// It comes again where the values could be read only later.
type DocumentsStored struct {
	About

	// Attachments are their ids by kind: "combined", "certificate".
	Attachments map[string]string `json:"attachments"`
	// Tabs are the signed values, without those of sensitive fields.
	Tabs []SignedTab `json:"signed_tabs"`
}

// EventName implements events.Event.
func (DocumentsStored) EventName() string { return "esign.envelope.documents_stored" }

// RecipientChanged says that a recipient has come to a new state.
type RecipientChanged struct {
	About

	Recipient string `json:"recipient_uuid"`
	// State is sent, delivered, signed, completed, declined or autoresponded.
	State string `json:"state"`
}

// EventName implements events.Event.
func (RecipientChanged) EventName() string { return "esign.recipient.changed" }
