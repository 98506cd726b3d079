// Package historyapi is what other areas may know of the history area: its id and its events.
package historyapi

// Area is the id of the area.
const Area = "history"

// EntryCreated says that somebody has written an entry into the history of an item.
type EntryCreated struct {
	Entry    string `json:"entry_uuid"`
	ItemType string `json:"item_type"`
	Item     string `json:"item_uuid"`
	// Kind is "phone_call", "email", "meeting", "visit" or "other".
	Kind string `json:"kind"`
}

// EventName implements events.Event.
func (EntryCreated) EventName() string { return "history.entry.created" }
