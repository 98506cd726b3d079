// Package live tells those who listen what becomes of the rows of collections, as it happens.
//
// A process reads the log of events once a company, however many listen and to whichever collections (see
// events.Tail). What is the same for several of them, such as the text of an event or the row in it, is made once.
package live

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/web/sse"
)

// ErrUnknownEvent says that a Last-Event-ID is not one of a stream of changes.
var ErrUnknownEvent = errs.New(errs.Invalid, "collection.unknown_event", "The Last-Event-ID must be the id of an event.")

// ErrNotTold says that nothing is told of the rows of a collection.
var ErrNotTold = errs.New(errs.Conflict, "collection.changes_not_told", "This collection has no change feed. Poll it instead.")

// Change is what became of a row.
type Change struct {
	Collection collection.Name
	Row        uuid.UUID
	// Version is that which the change made.
	Version int64
	// Changed are the keys of an update that the listener sees.
	Changed []string
	At      time.Time
	// Shown is the row as it is by now if the listener asked for it, null if it is gone.
	Shown json.RawMessage
}

// Place is what is sent of where the stream stands.
type Place struct {
	At time.Time `json:"at"`
}

// Reset is what is sent to who missed too much.
type Reset struct {
	Reason string `json:"reason" enum:"too_old,too_many,field_change" doc:"too_old: the event is no longer kept. too_many: too many events were missed. field_change: a field change has rewritten the records."`
}

// Face is how an area tells of changes: B is what it sends of one, G what it sends when there will be no more.
type Face[B, G any] struct {
	area string
	show func(Change) B
	over G

	changes changes[B]
	ready   sse.Kind[Place]
	reset   sse.Kind[Reset]
	gone    sse.Kind[G]
}

// NewFace returns the face of an area.
func NewFace[B, G any](area string, show func(Change) B, over G) *Face[B, G] {
	return &Face[B, G]{
		area: area, show: show, over: over, changes: newChanges[B](),
		ready: sse.NewKind[Place]("ready", "Every change is sent from here on. Load the records now, then apply the events that follow, and you miss nothing."),
		reset: sse.NewKind[Reset]("reset", "The missed changes cannot be sent one by one: reload the records. Changes from here on are sent."),
		gone:  sse.NewKind[G]("gone", "The stream has ended for good: do not reconnect."),
	}
}

// Docs are the kinds of events for web.Operation.
func (f *Face[B, G]) Docs() []sse.Doc {
	return append(append([]sse.Doc{f.ready}, f.changes.docs()...), f.reset, f.gone)
}

// changes are the kinds of events that tell of changes.
type changes[B any] struct{ created, updated, deleted, restored sse.Kind[B] }

func newChanges[B any]() changes[B] {
	return changes[B]{
		created:  sse.NewKind[B]("created", "A record was created."),
		updated:  sse.NewKind[B]("updated", "A record was updated."),
		deleted:  sse.NewKind[B]("deleted", "A record was deleted; it can be restored."),
		restored: sse.NewKind[B]("restored", "A deleted record was restored."),
	}
}

func (c changes[B]) docs() []sse.Doc {
	return []sse.Doc{c.created, c.updated, c.deleted, c.restored}
}

// of is the kind of event that tells of a change.
func (c changes[B]) of(what collection.What) sse.Kind[B] {
	switch what {
	case collection.Created:
		return c.created
	case collection.Deleted:
		return c.deleted
	case collection.Restored:
		return c.restored
	case collection.Updated, collection.AllRows, collection.Around:
	}

	return c.updated
}

// Hub is the listeners of a process.
type Hub struct {
	collections *collection.Registry
	bus         *events.Bus

	begin sync.Once
	tail  *events.Tail[*change]
	// followed is who knows what an event tells, by its name.
	followed map[string]collection.Followed
}

// NewHub returns a hub without listeners.
func NewHub(bus *events.Bus, r *collection.Registry) *Hub { return &Hub{collections: r, bus: bus} }

// log returns the log of the events that tell of rows. The registry is full when somebody listens.
func (h *Hub) log() *events.Tail[*change] {
	h.begin.Do(func() {
		h.followed = map[string]collection.Followed{}
		var names []string
		for _, f := range h.collections.Followed() {
			for _, name := range f.Events() {
				h.followed[name] = f
				names = append(names, name)
			}
		}
		h.tail = events.NewTail(h.bus, names, h.read)
	})

	return h.tail
}

// read makes changes of events.
func (h *Hub) read(ctx context.Context, found []events.Logged) ([]*change, error) {
	b := &batch{current: map[collection.Name]collection.Present{}, rows: map[collection.Name]map[uuid.UUID]collection.Shown{}}
	made := make([]*change, len(found))
	for i, e := range found {
		by := h.followed[e.Name]
		told, err := by.ReadEvent(e.Name, e.Payload)
		if err != nil {
			return nil, fmt.Errorf("event %s: %w", e.ID, err)
		}
		c := &change{batch: b, by: by, id: e.ID, at: e.At, told: told, texts: map[variant]sse.Event{}}
		if err := b.loadChange(ctx, c); err != nil {
			return nil, err
		}
		made[i] = c
	}
	b.changes = made

	return made, nil
}
