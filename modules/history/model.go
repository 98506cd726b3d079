package history

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/timeline"
)

// kinds are the kinds of entries that people write.
var kinds = []string{"phone_call", "email", "meeting", "visit", "other"}

// entry is a row of history_entries. Texts are "" where nothing was said.
type entry struct {
	database.Tenant
	ID           uuid.UUID
	ItemType     string
	ItemID       uuid.UUID
	ItemPart     string // of the item's Class
	Kind         string
	Direction    string // inbound, outbound or ""
	Outcome      string
	ContactName  string
	Body         string
	HappenedAt   time.Time
	CreatedBy    *uuid.UUID // the person, nil for a service
	CreatedToken *uuid.UUID // the token of a service
	Version      int64
	CreatedAt    time.Time
	UpdatedAt    time.Time
	DeletedAt    *time.Time
}

// TableName implements GORM's naming.
func (entry) TableName() string { return "history_entries" }

// item is what the entry is about.
func (row entry) item() item.Ref { return item.Ref{Type: row.ItemType, UUID: row.ItemID} }

// title says in a line what happened.
func (row entry) title() string {
	title := spacedName(row.Kind)
	switch {
	case row.ContactName == "":
	case row.Direction == "inbound":
		title += " from " + row.ContactName
	case row.Direction == "outbound":
		title += " to " + row.ContactName
	default:
		title += " with " + row.ContactName
	}
	if row.Outcome != "" {
		title += ": " + row.Outcome
	}

	return title
}

// actor is who wrote the entry.
func (row entry) actor() timeline.Actor {
	if row.CreatedToken != nil {
		return timeline.Actor{Kind: string(principal.Service), Token: *row.CreatedToken}
	}

	return timeline.ByUser(row.CreatedBy)
}

// by reports whether the caller has written the entry.
func (row entry) by(caller principal.Principal) bool {
	if row.CreatedBy != nil {
		return *row.CreatedBy == caller.User
	}

	return row.CreatedToken != nil && *row.CreatedToken == caller.Token
}

// texts are what changes of an entry can be about, by key.
func (row entry) texts() map[string]string {
	return map[string]string{
		"kind": row.Kind, "direction": row.Direction, "outcome": row.Outcome, "contact_name": row.ContactName, "body": row.Body,
		"happened_at": row.HappenedAt.Format(time.RFC3339Nano),
	}
}

func knownKind(kind string) bool { return slices.Contains(kinds, kind) }
