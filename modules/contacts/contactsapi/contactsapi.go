// Package contactsapi is the contract of the contacts area: how to find and reach contacts, its hooks and its events.
package contactsapi

import "context"

// Area is the id of the area, Item the type of its items.
const (
	Area = "contacts"
	Item = "contacts.contact"
)

// Contact is a contact as other areas see it.
type Contact struct {
	UUID string
	// MergedFrom is the UUID that was requested if that contact was merged into this one, else "".
	MergedFrom string
	// Kind is "person" or "company".
	Kind, Name string
	// Email and Phone, in E.164, are the primary ones, "" for none.
	Email, Phone string
	// Status is lead, active, inactive or do_not_contact.
	Status                string
	Blocked, CreditHold   bool
	NetDays               *int64
	CreditLimit, Currency string
}

// Purpose is the purpose of a message or call.
type Purpose string

// The purposes. Blocked contacts still get service messages.
const (
	Marketing Purpose = "marketing"
	Service   Purpose = "service"
)

// Reach has the address and the numbers that may be used to reach a contact, each "" if there is none or consent is missing.
type Reach struct {
	Email, SMS, Call string
	// Refused has the channels that must not be used at all, whoever knows an address or a number.
	Refused Channels
}

// Channels are ways to reach a contact.
type Channels struct{ Email, SMS, Call bool }

// NewContact is somebody who writes or calls. Only the name is required.
type NewContact struct {
	Name, Email, Phone string
	// Customer says that the contact orders transports.
	Customer bool
}

// Contacts finds contacts of the caller's company.
type Contacts interface {
	// Find returns the existing contacts among at most 200, by the requested UUIDs. For a merged contact it returns the one that
	// it was merged into.
	Find(ctx context.Context, uuids ...string) (map[string]Contact, error)
	// Ensure returns the contact that somebody is by an e-mail address or phone number, and true; or creates one. Errors: those of a contact
	// that is invalid.
	Ensure(ctx context.Context, c NewContact) (Contact, bool, error)
	// Known returns the UUIDs of the contacts that have an e-mail address or a phone number; either may be "". Errors: those of a contact that is
	// invalid.
	Known(ctx context.Context, email, phone string) ([]string, error)
	// Reach returns the best e-mail address and phone numbers for a purpose. Error: contacts.contact_not_found.
	Reach(ctx context.Context, uuid string, p Purpose) (Reach, error)
}

// Merging is the hook contacts.contact.merging: contacts are about to be merged into another one, in the transaction that moves
// all references. Areas need it only for references that the platform does not move (resource.Engine.Move).
type Merging struct {
	Into, From string
	// Undo reports that the merge is being undone: references that it moved from From to Into move back.
	Undo bool
}

// Erasing is the hook contacts.contact.erasing: the personal data of a contact are about to be erased. An area vetoes it while a
// law requires it to retain them, such as 49 CFR 371.3 for three years, or business with the contact is open.
type Erasing struct{ Contact string }

// Created reports a new contact.
type Created struct {
	Contact string `json:"contact_uuid"`
}

// EventName implements events.Event.
func (Created) EventName() string { return "contacts.contact.created" }

// Updated reports a changed contact.
type Updated struct {
	Contact string `json:"contact_uuid"`
}

// EventName implements events.Event.
func (Updated) EventName() string { return "contacts.contact.updated" }

// Merged reports that a contact was merged into another one, to which all references have moved.
type Merged struct {
	Contact string `json:"contact_uuid"`
	Into    string `json:"into_uuid"`
}

// EventName implements events.Event.
func (Merged) EventName() string { return "contacts.contact.merged" }

// EventItem implements events.Named.
func (e Merged) EventItem() (itemType, id string) { return Item, e.Into }

// Unmerged reports that a merge was undone.
type Unmerged struct {
	Contact string `json:"contact_uuid"`
	From    string `json:"from_uuid"`
}

// EventName implements events.Event.
func (Unmerged) EventName() string { return "contacts.contact.unmerged" }

// EventItem implements events.Named.
func (e Unmerged) EventItem() (itemType, id string) { return Item, e.Contact }

// Blocked reports a blocked contact.
type Blocked struct {
	Contact string `json:"contact_uuid"`
}

// EventName implements events.Event.
func (Blocked) EventName() string { return "contacts.contact.blocked" }

// EventItem implements events.Named.
func (e Blocked) EventItem() (itemType, id string) { return Item, e.Contact }

// Erased reports that the personal data of a contact were erased.
type Erased struct {
	Contact string `json:"contact_uuid"`
}

// EventName implements events.Event.
func (Erased) EventName() string { return "contacts.contact.erased" }

// EventItem implements events.Named.
func (e Erased) EventItem() (itemType, id string) { return Item, e.Contact }
