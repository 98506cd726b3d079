package live

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/custommodulesapi"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// batch is changes that were found together: what they need of the database is read once.
type batch struct {
	modules Modules
	changes []*change
	// current are the modules as they were when the changes were found, nil where one was gone.
	current map[uuid.UUID]Module

	mu      sync.Mutex
	records map[uuid.UUID]map[uuid.UUID]Record // by module
}

func (b *batch) look(ctx context.Context, module uuid.UUID) error {
	if _, known := b.current[module]; known {
		return nil
	}
	m, err := b.modules.Current(ctx, module)
	if err == nil {
		b.current[module] = m
	}

	return err
}

// recordOf returns the record of a change as it is now, nil if it is gone.
func (b *batch) recordOf(ctx context.Context, c *change) (Record, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	all, known := b.records[c.module]
	if !known {
		var ids []uuid.UUID
		for _, other := range b.changes {
			if other.module == c.module && other.record != uuid.Nil && !slices.Contains(ids, other.record) {
				ids = append(ids, other.record)
			}
		}
		caller, _ := principal.From(ctx)
		var err error
		all, err = b.modules.Records(principal.With(ctx, principal.ForCompany(caller.Company)), c.module, ids)
		if err != nil {
			return nil, err
		}
		b.records[c.module] = all
	}

	return all[c.record], nil
}

// change is an event of a record or a module, with the texts that are sent of it.
type change struct {
	batch          *batch
	id             uuid.UUID
	name           string
	module, record uuid.UUID
	at             time.Time
	about          custommodulesapi.RecordUpdated // the others have less

	mu    sync.Mutex
	texts map[variant]web.Event
}

// variant is what texts of one event differ by.
type variant struct {
	view   View
	record bool
}

// isRecords reports whether the event is about a record.
func (c *change) isRecords() bool { return c.record != uuid.Nil }

// event returns what is sent of a change to a caller.
func (h *Hub) event(ctx context.Context, c *change, of Module, withRecord bool) (web.Event, error) {
	v := variant{of.Sees(ctx), withRecord}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, made := c.texts[v]; made {
		return e, nil
	}
	data, err := c.as(ctx, v)
	if err != nil {
		return web.Event{}, fmt.Errorf("event %s: %w", c.id, err)
	}
	e, err := h.kindOf(c.name).New(c.id.String(), data)
	if err == nil {
		c.texts[v] = e
	}

	return e, err
}

func (h *Hub) kindOf(name string) web.EventKind[Change] {
	switch name {
	case custommodulesapi.RecordCreated{}.EventName():
		return h.kinds.created
	case custommodulesapi.RecordDeleted{}.EventName():
		return h.kinds.deleted
	case custommodulesapi.RecordRestored{}.EventName():
		return h.kinds.restored
	default:
		return h.kinds.updated
	}
}

func (c *change) as(ctx context.Context, v variant) (Change, error) {
	data := Change{
		ModuleUUID: c.about.Module, RecordUUID: c.about.Record.Record, Version: c.about.Version, At: c.at,
	}
	for _, key := range c.about.Changed {
		if v.view.Shows(key) {
			data.Changed = append(data.Changed, key)
		}
	}
	if !v.record {
		return data, nil
	}
	data.Record = json.RawMessage("null")
	r, err := c.batch.recordOf(ctx, c)
	if err == nil && r != nil {
		data.Record, err = r.As(v.view)
	}

	return data, err
}
