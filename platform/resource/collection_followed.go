package resource

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
)

// WrittenEvent is the end of the name of the event that is published of every write of a row.
const WrittenEvent = ".written"

// written is published of every write of a row, for who follows the collection: "trucks.truck.written". It goes with the
// events of the area in one statement.
type written struct {
	item string

	UUID    uuid.UUID       `json:"uuid"`
	Version int64           `json:"version"`
	What    collection.What `json:"what"`
	// Changed are the keys of an update.
	Changed []string `json:"changed,omitempty"`
	// Part is that of the item that the row is about.
	Part string `json:"part,omitempty"`
	// Source is where it came from, if not from a request for the row: "import:<uuid>".
	Source string `json:"source,omitempty"`
}

// EventName implements events.Event. There is one type for the resources of all areas.
func (w written) EventName() string { return w.item + WrittenEvent }

// followed reports whether writes are told: not those of an area that does all of them by itself.
func followed(own []Verb) bool {
	return !slices.Contains(own, Create) || !slices.Contains(own, Update) || !slices.Contains(own, Delete)
}

// writtenEvent is the event of a write.
func (r *table) writtenEvent(ctx context.Context, verb Verb, changes map[string]audit.Change, after any) written {
	m := columns.MetaOf(after)
	w := written{item: r.Item, UUID: m.ID, Version: m.Version, Part: r.partOf(after), Source: history.SourceOf(ctx)}
	switch verb { // whatever else is done to a row changes it
	case Create:
		w.What = collection.Created
	case Delete:
		w.What = collection.Deleted
	case Restore:
		w.What = collection.Restored
	default:
		w.What, w.Changed = collection.Updated, slices.Sorted(maps.Keys(changes))
	}

	return w
}

// Events implements collection.Followed.
func (c rows) Events() []string {
	if !followed(c.of.Own) {
		return nil
	}

	return []string{written{item: c.of.Item}.EventName()}
}

// ReadEvent implements collection.Followed.
func (c rows) ReadEvent(event string, payload []byte) (collection.EventContent, error) {
	var w written
	if err := json.Unmarshal(payload, &w); err != nil {
		return collection.EventContent{}, fmt.Errorf("%s: %w", event, err)
	}

	return collection.EventContent{
		Collection: collection.Name(c.of.Item), What: w.What, Row: w.UUID, Version: w.Version, Changed: w.Changed, Part: w.Part,
	}, nil
}

// Now implements collection.Followed.
func (c rows) Now(ctx context.Context, _ collection.Name) (collection.Present, error) {
	own, err := c.of.ownFields(ctx)

	return present{of: c.of, own: own}, err
}

// Rows implements collection.Followed.
func (c rows) Rows(ctx context.Context, _ collection.Name, ids []uuid.UUID) (map[uuid.UUID]collection.Shown, error) {
	found, err := c.of.findSome(ctx, ids)
	if err != nil {
		return nil, err
	}
	seen, err := c.of.collectOwn(ctx, collected{})
	if err != nil {
		return nil, err
	}
	documents, _, err := c.of.documentsOf(ctx, seen, found)
	all := make(map[uuid.UUID]collection.Shown, len(found))
	for i, row := range found {
		one := shown{plan: &c.of.plan, row: row, own: seen.own}
		if documents != nil {
			one.document = documents[i]
		}
		all[columns.MetaOf(row).ID] = one
	}

	return all, err
}

// present is a resource, which is always there.
type present struct {
	of  *table
	own Own
}

// Readable implements collection.Present: scopes say it all.
func (present) Readable(context.Context) bool { return true }

// Sees implements collection.Present.
func (p present) Sees(ctx context.Context) collection.Sight {
	s := sight{plan: &p.of.plan, sees: p.of.sees(ctx)}
	if p.own != nil {
		s.ownSensitive = p.own.SeesSensitive(ctx)
		fields, _ := p.own.Fields(ctx)
		for _, f := range fields {
			s.own += ownPrefix + f.Key + " "
		}
	}

	return s
}

// MayKnowOf implements collection.Present.
func (p present) MayKnowOf(ctx context.Context, t collection.EventContent) (bool, error) {
	if t.Part == "" {
		return true, nil
	}
	hidden, err := p.of.engine.items.Hides(ctx, t.Part)

	return !hidden, err
}

// sight is what a caller sees of a resource.
type sight struct {
	plan *columns.Plan
	sees columns.Sight
	// own are the keys of the fields that the company has added, with a space behind each.
	own          string
	ownSensitive bool
}

// Shows implements collection.Sight. A key without a field may have been that of a sensitive one.
func (s sight) Shows(key string) bool {
	if strings.HasPrefix(key, ownPrefix) {
		return strings.Contains(" "+s.own, " "+key+" ")
	}
	f := s.plan.ByKey[key]

	return s.plan.Whole(s.sees) || (f != nil && f.SeenBy(s.sees))
}

// shown is a row as it is now.
type shown struct {
	plan     *columns.Plan
	row      any
	own      Own
	document []byte
}

// As implements collection.Shown.
func (s shown) As(as collection.Sight) (json.RawMessage, error) {
	seen, ok := as.(sight)
	if !ok {
		return nil, errors.New("the viewer belongs to another resource")
	}
	row := s.plan.Clone(s.row)
	s.plan.Mask(columns.ValueOf(row), seen.sees)
	if s.own != nil {
		columns.MetaOf(row).Custom = s.own.Shown(s.document, seen.ownSensitive)
	}

	return json.Marshal(row)
}
