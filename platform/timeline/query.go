package timeline

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
)

// Query asks a source for entries. Narrow turns it into conditions.
type Query struct {
	// Item is what the entries are about; the zero Ref asks for those of the whole company.
	Item item.Ref
	// Barred are the areas whose items, and whatever else is theirs, the caller may not know of.
	Barred []string
	// Hidden are the parts of items (item.Registry.Hidden) that are kept from the caller. There are none where the query
	// asks for one item, which the caller may read.
	Hidden []string

	source    string
	kinds     []string
	actors    [][]any // one of each
	types     [][]any // of items; one of each
	times     []edge
	words     []string
	place     *place
	ascending bool
	most      int
}

// edge is a bound of the times of entries.
type edge struct {
	operator list.Operator
	at       time.Time
}

// place is where a page begins: at an entry, which belongs to what is read.
type place struct {
	at     time.Time
	source string
	id     uuid.UUID
}

// The fields of a timeline.
const (
	fieldAt     = "at"
	fieldKind   = "kind"
	fieldActor  = "actor_uuid"
	fieldType   = "item_type"
	fieldSource = "source"
	fieldID     = "uuid"
)

// Schema is what the timeline of an item may be asked for, with the keys of its entries for fields=.
func (r *Registry) Schema(keys []string) list.Schema {
	set := []list.Operator{list.Equal, list.In}

	return list.Schema{
		Fields: []list.Field{
			{
				Name: fieldAt, Expr: fieldAt, Kind: kind.Time, Filterable: true,
				Operators: []list.Operator{list.Less, list.LessOrEqual, list.Greater, list.GreaterOrEqual},
			},
			{Name: fieldSource, Expr: fieldSource, Kind: kind.Text},
			{Name: fieldKind, Expr: fieldKind, Kind: kind.Text, Filterable: true, Operators: append(set, list.NotIn), Encode: r.encodeKind},
			{Name: fieldActor, Expr: fieldActor, Kind: kind.UUID, Filterable: true, Operators: set},
		},
		ID:          list.Field{Name: fieldID, Expr: fieldID, Kind: kind.UUID},
		DefaultSort: []string{"-" + fieldAt, "-" + fieldSource},
		Keys:        keys, Searchable: true,
	}
}

// LogSchema is what the log of a company may be asked for.
func (r *Registry) LogSchema(keys []string) list.Schema {
	s := r.Schema(keys)
	s.Fields = append(s.Fields, list.Field{
		Name: fieldType, Expr: fieldType, Kind: kind.Text, Filterable: true, Operators: []list.Operator{list.Equal, list.In},
	})
	s.Searchable = false

	return s
}

// encodeKind refuses what no source has.
func (r *Registry) encodeKind(text string) (any, error) {
	if known := r.Kinds(); !slices.Contains(known, text) {
		return nil, errors.New("is no kind of entries; there are " + strings.Join(known, ", "))
	}

	return text, nil
}

// query understands the query of a list.
func (r *Registry) query(q list.Query, about item.Ref) (Query, error) {
	made := Query{Item: about, kinds: r.Kinds(), words: strings.Fields(q.Text()), ascending: q.Backward()}
	if sort := q.Sort(); len(sort) != 3 || sort[0].Field != fieldAt {
		return made, list.ErrInvalidQuery.WithField("sort", "A timeline is always sorted by time, newest first: leave out sort.")
	}
	if _, count := q.Uncounted(); count != "" {
		return made, list.ErrInvalidQuery.WithField("count", "A timeline cannot be counted: leave out count.")
	}
	for _, c := range q.Conditions() {
		if c.Group >= 0 {
			return made, list.ErrInvalidQuery.WithField("filter", "A timeline does not support filter[or]: use in for several values.")
		}
		made.addCondition(c)
	}
	if values, ok := q.Place(); ok {
		at, isTime := values[0].(time.Time)
		source, isText := values[1].(string)
		text, isID := values[2].(string)
		id, err := uuid.Parse(text)
		if !isTime || !isText || !isID || err != nil {
			return made, list.ErrCursorInvalid.WithField("cursor", list.ErrCursorInvalid.Message)
		}
		made.place = &place{at: at, source: source, id: id}
	}

	return made, nil
}

// addCondition adds a condition.
func (q *Query) addCondition(c list.Condition) {
	values := c.Values()
	switch c.Field {
	case fieldAt:
		if at, ok := values[0].(time.Time); ok {
			q.times = append(q.times, edge{c.Operator, at})
		}
	case fieldActor:
		q.actors = append(q.actors, values)
	case fieldType:
		q.types = append(q.types, values)
	case fieldKind:
		q.kinds = slices.DeleteFunc(q.kinds, func(kind string) bool {
			return slices.Contains(values, any(kind)) == (c.Operator == list.NotIn)
		})
	}
}

// forSource returns the query as a source is asked.
func (q Query) forSource(s source) Query {
	q.source = s.name
	q.kinds = slices.DeleteFunc(slices.Clone(s.kinds), func(kind string) bool { return !slices.Contains(q.kinds, kind) })

	return q
}

// startingAt returns the query for what comes at an entry and after it.
func (q Query) startingAt(e Entry) Query {
	q.place = &place{at: e.At, source: e.Source, id: e.ID}

	return q
}

// compare orders entries as the query reads them.
func (q Query) compare(a, b Entry) int {
	order := cmp.Or(a.At.Compare(b.At), compareText(a.Source, b.Source), bytes.Compare(a.ID[:], b.ID[:]))
	if q.ascending {
		return order
	}

	return -order
}

func compareText(a, b string) int { return strings.Compare(a, b) }

// edges returns the bounds of the times of a source's entries. That of the place is the last; where the source is the
// place's own, it has to be said of the ids as well.
func (q Query) edges() []edge {
	edges := slices.Clone(q.times)
	if q.place == nil || q.place.source == q.source {
		return edges
	}
	before := q.source < q.place.source
	switch {
	case q.ascending && before:
		return append(edges, edge{list.Greater, q.place.at})
	case q.ascending:
		return append(edges, edge{list.GreaterOrEqual, q.place.at})
	case before:
		return append(edges, edge{list.LessOrEqual, q.place.at})
	default:
		return append(edges, edge{list.Less, q.place.at})
	}
}
