// Package esignapi is what other areas may know of the e-signature area: how to have a document signed, how far that
// is, and its events.
package esignapi

import (
	"context"
	"time"
)

// Area is the id of the area.
const Area = "esign"

// Item is the type of envelopes as items.
const Item = "esign.envelope"

// Envelope is a document to have signed.
type Envelope struct {
	// Mapping is the id of a mapping, which names the template and fills it from the item; or Attachments are the
	// ids of files.
	Mapping     string
	Attachments []string
	// Account is the id of an account; "" is the default, or that of the mapping's template.
	Account          string
	Subject, Message string
	Recipients       []Recipient
	// ItemType and ItemUUID name the item that it is about. Source is the screen, or the rule, that it comes from.
	ItemType, ItemUUID, Source string
	// ExpireAfter is in days; 0 is the account's default at the vendor.
	ExpireAfter int
}

// Recipient is somebody who gets the document.
type Recipient struct {
	// Role is the template's, "" without a template. Kind is "signer" if it is "".
	Role, Kind   string
	Name, Email  string
	RoutingOrder int
	// Embedded is for who signs at an address that we hand out, instead of by the vendor's e-mail.
	Embedded bool
	// Tabs are values by label, instead of the mapping's.
	Tabs map[string]string
}

// Status is how far an envelope is.
type Status struct {
	UUID string
	// State is draft, queued, sending, unknown, failed, created, sent, delivered, signed, completed, declined, voided,
	// expired …: docs/esign.md has all of them.
	State string
	// Reason is why it was declined, voided or failed.
	Reason string
	// Documents are the attachments of the completed envelope by their kind: "combined", "certificate".
	Documents map[string]string
	// Tabs are the signed values, those of sensitive fields only for who may see them; empty until they are known.
	Tabs    []SignedTab
	SentAt  time.Time
	EndedAt time.Time
}

// SignedTab is the value of a tab as a recipient signed it, in the vendor's writing.
type SignedTab struct {
	Recipient string `json:"recipient_uuid"`
	Role      string `json:"role,omitempty"`
	Label     string `json:"label"`
	Value     string `json:"value"`
	// Prefilled is what the tab was sent with: the recipient has changed it if Value differs.
	Prefilled string `json:"prefilled"`
}

// Envelopes are the caller's company's. All errors are errs of the esign area or of platform/item.
type Envelopes interface {
	// Send stores an envelope, which is sent after the caller's transaction, and returns its id.
	Send(ctx context.Context, e Envelope) (uuid string, err error)
	// Status returns how far those of the envelopes are that there are, by their ids; 200 at most.
	Status(ctx context.Context, uuids ...string) (map[string]Status, error)
	// OfItem returns the envelopes of an item, the youngest first, 200 at most.
	OfItem(ctx context.Context, itemType, itemUUID string) ([]Status, error)
	// Void ends an envelope that is on its way.
	Void(ctx context.Context, uuid, reason string) error
}
