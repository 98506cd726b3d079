package live

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web/sse"
)

// batch is changes that were found together: what they need of the database is read once.
type batch struct {
	changes []*change
	// current are the collections as they were when the changes were found, nil where one was gone.
	current map[collection.Name]collection.Present

	mu   sync.Mutex
	rows map[collection.Name]map[uuid.UUID]collection.Shown
}

func (b *batch) loadChange(ctx context.Context, c *change) error {
	name := c.told.Collection
	if _, known := b.current[name]; known {
		return nil
	}
	present, err := c.by.Now(ctx, name)
	if err == nil {
		b.current[name] = present
	}

	return err
}

// rowOf returns the row of a change as it is now, nil if it is gone.
func (b *batch) rowOf(ctx context.Context, c *change) (collection.Shown, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	name := c.told.Collection
	all, known := b.rows[name]
	if !known {
		var ids []uuid.UUID
		for _, other := range b.changes {
			if id := other.told.Row; other.told.Collection == name && id != uuid.Nil && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		caller, _ := principal.From(ctx)
		var err error
		all, err = c.by.Rows(principal.AsCompany(ctx, caller.Company), name, ids)
		if err != nil {
			return nil, err
		}
		b.rows[name] = all
	}

	return all[c.told.Row], nil
}

// change is an event of a row or a collection, with the texts that are sent of it.
type change struct {
	batch *batch
	by    collection.Followed
	id    uuid.UUID
	at    time.Time
	told  collection.EventContent

	mu    sync.Mutex
	texts map[variant]sse.Event
}

// variant is what texts of one event differ by.
type variant struct {
	area  string
	sight collection.Sight
	row   bool
}

// event is what a listener is sent of a change. It is made once for all who see as much.
func (f *Face[B, G]) event(ctx context.Context, c *change, of collection.Present, withRow bool) (sse.Event, error) {
	v := variant{f.area, of.Sees(ctx), withRow}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, made := c.texts[v]; made {
		return e, nil
	}
	data, err := c.as(ctx, v)
	if err != nil {
		return sse.Event{}, fmt.Errorf("event %s: %w", c.id, err)
	}
	e, err := f.changes.of(c.told.What).New(c.id.String(), f.show(data))
	if err == nil {
		c.texts[v] = e
	}

	return e, err
}

func (c *change) as(ctx context.Context, v variant) (Change, error) {
	data := Change{Collection: c.told.Collection, Row: c.told.Row, Version: c.told.Version, At: c.at}
	for _, key := range c.told.Changed {
		if v.sight.Shows(key) {
			data.Changed = append(data.Changed, key)
		}
	}
	if !v.row {
		return data, nil
	}
	data.Shown = json.RawMessage("null")
	r, err := c.batch.rowOf(ctx, c)
	if err == nil && r != nil {
		data.Shown, err = r.As(v.sight)
	}

	return data, err
}
