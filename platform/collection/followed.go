package collection

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"
)

// Followed is a Collection, or a Source, whose changes can be followed as they happen.
type Followed interface {
	// Events are the names of the events that tell of rows, and of what decides who sees which.
	Events() []string
	// ReadEvent says what an event tells.
	ReadEvent(event string, payload []byte) (EventContent, error)
	// Now returns a collection as it is in the database now, nil if it is gone.
	Now(ctx context.Context, name Name) (Present, error)
	// Rows returns those of some rows that are there.
	Rows(ctx context.Context, name Name, ids []uuid.UUID) (map[uuid.UUID]Shown, error)
}

// EventContent is what an event tells of a collection.
type EventContent struct {
	Collection Name
	What       What
	// Row and Version are of one row, Changed the keys of an update.
	Row     uuid.UUID
	Version int64
	Changed []string
	// Part is what item.Class calls so of what the row is about, "" for a row that whoever reads the collection may know of.
	Part string
}

// What says what happened.
type What string

// What happens to one row, to all of them, and to what is around them: who may read them, and what is seen of them.
const (
	Created  What = "created"
	Updated  What = "updated"
	Deleted  What = "deleted"
	Restored What = "restored"
	AllRows  What = "all"
	Around   What = "around"
)

// Present is a collection at one revision.
type Present interface {
	// Readable reports whether the caller may read it, as far as scopes do not say.
	Readable(ctx context.Context) bool
	// Sees returns how much the caller sees of it. Those who see as much see the same.
	Sees(ctx context.Context) Sight
	// MayKnowOf reports whether the caller may know of a row that something is told of.
	MayKnowOf(ctx context.Context, t EventContent) (bool, error)
}

// Sight is how much of a collection somebody sees; it can be compared.
type Sight interface {
	// Shows reports whether the key of a field is that of one whose values are seen.
	Shows(key string) bool
}

// Shown is a row as it is now.
type Shown interface {
	// As is the row as answers show it.
	As(s Sight) (json.RawMessage, error)
}

// Followed returns the enabled collections and sources whose changes can be followed, in no order.
func (r *Registry) Followed() []Followed {
	var all []Followed
	add := func(keeper any) {
		if f, ok := keeper.(Followed); ok {
			all = append(all, f)
		}
	}
	for _, t := range r.typed {
		add(t.keeps)
	}
	add(r.family)

	return all
}
