package store

import (
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/platform/item"
)

// Reference is an item that a load names at a place.
type Reference struct {
	item.Ref

	At, Problem string
}

// ReferencesOf are the items that the parts of a load name.
func ReferencesOf(l *Load) (all []Reference) {
	if l == nil {
		return nil
	}
	add := func(typ string, id uuid.UUID, at, problem string) {
		if id != uuid.Nil {
			all = append(all, Reference{item.Ref{Type: typ, UUID: id}, at, problem})
		}
	}
	for i, one := range l.Stops.V {
		add(contactsapi.Item, one.Venue.Contact, "stops."+strconv.Itoa(i)+".venue.contact_uuid", "There is no such contact.")
	}
	for i, v := range l.Vehicles.V {
		for n, photo := range v.Photos {
			add(attachmentsapi.Item, photo, "vehicles."+strconv.Itoa(i)+".photo_uuids."+strconv.Itoa(n), "There is no such file.")
		}
	}
	for i, c := range l.Charges.V {
		add("catalog.service", c.Service, "charges."+strconv.Itoa(i)+".service_uuid", "There is no such service.")
	}

	return all
}
