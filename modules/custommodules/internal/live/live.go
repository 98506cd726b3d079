// Package live tells those who listen what becomes of a module's records, as it happens.
//
// A process reads the log of events once a company, however many listen (see events.Tail). What is
// the same for several of them, such as the text of an event or the record in it, is made once.
package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/custommodulesapi"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Modules are the modules of the company at work.
type Modules interface {
	// Current returns a module as it is in the database now, nil if it is gone.
	Current(ctx context.Context, module uuid.UUID) (Module, error)
	// Records returns those of some records of a module that are there.
	Records(ctx context.Context, module uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]Record, error)
}

// Module is a module at one revision.
type Module interface {
	// Readable reports whether the caller may read it and its records.
	Readable(ctx context.Context) bool
	// Sees returns how much the caller sees of it. Those who see as much see the same.
	Sees(ctx context.Context) View
}

// View is how much of a module somebody sees; it can be compared.
type View interface {
	// Shows reports whether the key of a field is that of one whose values are seen.
	Shows(key string) bool
}

// Record is a record as it is now.
type Record interface {
	// As is the record as answers show it.
	As(v View) (json.RawMessage, error)
}

// Change is what is sent of a change.
type Change struct {
	ModuleUUID string          `json:"module_uuid" format:"uuid"`
	RecordUUID string          `json:"record_uuid" format:"uuid"`
	Version    int64           `json:"version" doc:"The version of the record that the change made."`
	Changed    []string        `json:"changed,omitempty" doc:"Of an update: the keys of the fields that have changed, but for sensitive ones that you do not see."`
	At         time.Time       `json:"at"`
	Record     json.RawMessage `json:"record,omitempty" doc:"With include=record: the record as it is by now, null if it is gone."`
}

// Place is what is sent of where the stream stands.
type Place struct {
	At time.Time `json:"at"`
}

// Reset is what is sent to who missed too much.
type Reset struct {
	Reason string `json:"reason" enum:"too_old,too_many,field_change" doc:"too_old: the event is no longer kept. too_many: there is more than is sent again. field_change: a change of a field has gone through the records."`
}

// Gone is what is sent when there will be no more.
type Gone struct {
	Reason string `json:"reason" enum:"module_not_found" doc:"The module is deleted, or you may not read it any more."`
}

// kinds are the kinds of events.
type kinds struct {
	created, updated, deleted, restored web.EventKind[Change]
	ready                               web.EventKind[Place]
	reset                               web.EventKind[Reset]
	gone                                web.EventKind[Gone]
}

func newKinds() kinds {
	return kinds{
		created:  web.NewEventKind[Change]("created", "A record is there."),
		updated:  web.NewEventKind[Change]("updated", "A record has another version."),
		deleted:  web.NewEventKind[Change]("deleted", "A record is gone until it is restored."),
		restored: web.NewEventKind[Change]("restored", "A record that was deleted is there again."),
		ready:    web.NewEventKind[Place]("ready", "From here on every change is told. Who loads the records now and then applies what comes has missed nothing."),
		reset:    web.NewEventKind[Reset]("reset", "What has happened cannot be told change by change: load the records anew. What comes from here on is told."),
		gone:     web.NewEventKind[Gone]("gone", "There will be no more: do not come back."),
	}
}

// Docs are the kinds of events for web.Operation.
func Docs() []web.EventDoc {
	k := newKinds()

	return []web.EventDoc{k.ready, k.created, k.updated, k.deleted, k.restored, k.reset, k.gone}
}

// names are the events that are followed. Those of modules say that who may read may have changed.
func names() []string {
	return []string{
		custommodulesapi.RecordCreated{}.EventName(), custommodulesapi.RecordUpdated{}.EventName(),
		custommodulesapi.RecordDeleted{}.EventName(), custommodulesapi.RecordRestored{}.EventName(),
		custommodulesapi.RecordsChanged{}.EventName(),
		custommodulesapi.ModuleUpdated{}.EventName(), custommodulesapi.ModuleDeleted{}.EventName(),
		custommodulesapi.ModuleRestored{}.EventName(),
	}
}

// Hub is the listeners of a process.
type Hub struct {
	modules Modules
	tail    *events.Tail[*change]
	kinds   kinds
}

// NewHub returns a hub without listeners.
func NewHub(bus *events.Bus, m Modules) *Hub {
	h := &Hub{modules: m, kinds: newKinds()}
	h.tail = events.NewTail(bus, names(), h.read)

	return h
}

// Place reads the id of the last event that a client saw, uuid.Nil for "". Its error is
// events.ErrNoEvent.
func (h *Hub) Place(after string) (uuid.UUID, error) {
	if after == "" {
		return uuid.Nil, nil
	}
	id, err := uuid.Parse(after)
	if err != nil || errors.Is(h.tail.Check(id), events.ErrNoEvent) {
		return uuid.Nil, events.ErrNoEvent
	}

	return id, nil
}

// read makes changes of events.
func (h *Hub) read(ctx context.Context, found []events.Logged) ([]*change, error) {
	b := &batch{modules: h.modules, current: map[uuid.UUID]Module{}, records: map[uuid.UUID]map[uuid.UUID]Record{}}
	made := make([]*change, len(found))
	for i, e := range found {
		c := &change{batch: b, id: e.ID, name: e.Name, at: e.At, texts: map[variant]web.Event{}}
		if err := json.Unmarshal(e.Payload, &c.about); err != nil {
			return nil, fmt.Errorf("event %s: %w", e.ID, err)
		}
		c.module, c.record = parsed(c.about.Module), parsed(c.about.Record.Record)
		if err := b.look(ctx, c.module); err != nil {
			return nil, err
		}
		made[i] = c
	}
	b.changes = made

	return made, nil
}

// parsed is an id of an event, uuid.Nil if it has none.
func parsed(text string) uuid.UUID {
	id, err := uuid.Parse(text)
	if err != nil {
		return uuid.Nil
	}

	return id
}
