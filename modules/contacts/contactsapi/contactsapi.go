// Package contactsapi is what other areas may know of the contacts area: its id, its items, how to find and reach a contact,
// its hooks and its events.
package contactsapi

import "context"

// Area is the id of the area, Item the type of its items.
const (
	Area = "contacts"
	Item = "contacts.contact"
)

// Contact is what other areas see of a contact.
type Contact struct {
	UUID string
	// MergedFrom is the uuid that was asked for, where that contact was merged into this one; "" else.
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

// Purpose is what somebody is written to for.
type Purpose string

// The purposes. Who blocks marketing still gets service messages.
const (
	Marketing Purpose = "marketing"
	Service   Purpose = "service"
)

// Reach is by what a contact may be reached: "" where it cannot, or may not.
type Reach struct{ Email, SMS, Call string }

// Contacts finds contacts of the caller's company.
type Contacts interface {
	// Find returns those of some contacts that there are, by the uuids that were asked for; 200 at most. One that was merged
	// into another one is that one.
	Find(ctx context.Context, uuids ...string) (map[string]Contact, error)
	// Reach returns the best e-mail address and phone numbers for a purpose. Error: contacts.contact_not_found.
	Reach(ctx context.Context, uuid string, p Purpose) (Reach, error)
}

// Merging is the hook contacts.contact.merging: contacts are about to be merged into another one, in the transaction that moves
// all references. An area takes part whose rows name contacts by what is neither a field of a resource nor a resource.Pointer.
type Merging struct {
	Into, From string
	// Undo is true where From gets back what it had: rows that were moved from it to Into.
	Undo bool
}

// Erasing is the hook contacts.contact.erasing: what is personal of a contact is about to be erased for good. An area refuses
// where law has it keep that, or where business with the contact is open.
type Erasing struct{ Contact string }

// Created says that there is a new contact.
type Created struct {
	Contact string `json:"contact_uuid"`
}

// EventName implements events.Event.
func (Created) EventName() string { return "contacts.contact.created" }

// Updated says that a contact was changed.
type Updated struct {
	Contact string `json:"contact_uuid"`
}

// EventName implements events.Event.
func (Updated) EventName() string { return "contacts.contact.updated" }

// Merged says that a contact was merged into another one, which all references to it name now.
type Merged struct {
	Contact string `json:"contact_uuid"`
	Into    string `json:"into_uuid"`
}

// EventName implements events.Event.
func (Merged) EventName() string { return "contacts.contact.merged" }

// EventItem implements events.Named.
func (e Merged) EventItem() (itemType, id string) { return Item, e.Into }

// Unmerged says that a contact that was merged into another one is itself again.
type Unmerged struct {
	Contact string `json:"contact_uuid"`
	From    string `json:"from_uuid"`
}

// EventName implements events.Event.
func (Unmerged) EventName() string { return "contacts.contact.unmerged" }

// EventItem implements events.Named.
func (e Unmerged) EventItem() (itemType, id string) { return Item, e.Contact }

// Blocked says that a contact was blocked.
type Blocked struct {
	Contact string `json:"contact_uuid"`
}

// EventName implements events.Event.
func (Blocked) EventName() string { return "contacts.contact.blocked" }

// EventItem implements events.Named.
func (e Blocked) EventItem() (itemType, id string) { return Item, e.Contact }

// Erased says that what is personal of a contact was erased.
type Erased struct {
	Contact string `json:"contact_uuid"`
}

// EventName implements events.Event.
func (Erased) EventName() string { return "contacts.contact.erased" }

// EventItem implements events.Named.
func (e Erased) EventItem() (itemType, id string) { return Item, e.Contact }
