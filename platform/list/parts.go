package list

import "slices"

// part is a stretch of the order that an index serves in one go.
type part int

const (
	whole  part = iota
	valued      // the rows with a value for the first key
	tail        // the rows without one
)

// Parts cuts the query where the rows without a value for the first sort key begin, and returns the
// parts that the page may reach into, in the order in which to read them. One after the other they
// give the rows of the query, each in the order of an index on (…, key, id), or, the tail, on
// (…, id). Find reads them; an area does so itself where it refuses a part.
func (q Query) Parts() []Query {
	if !q.order[0].Nullable || q.part != whole {
		return []Query{q}
	}
	inTail := q.at != nil && q.at.texts[0] == nil
	first, second := valued, tail
	if q.backward {
		first, second = tail, valued
	}
	if q.at != nil && inTail != (first == tail) {
		return []Query{q.in(second)}
	}
	parts := []Query{q.in(first), q.in(second)}
	parts[1].at = nil
	if !q.reachesTail() {
		parts = slices.DeleteFunc(parts, Query.InTail)
	}

	return parts
}

// reachesTail reports whether rows without a value for the first sort key may pass the filters.
func (q Query) reachesTail() bool {
	return !slices.ContainsFunc(q.filters, func(c Condition) bool {
		return c.Group == noGroup && c.Field == q.order[0].Name && !c.MatchesNull()
	})
}

// InTail reports whether the query is the part of the rows that have no value for the first sort
// key: no index on the key holds them.
func (q Query) InTail() bool { return q.part == tail }

func (q Query) in(p part) Query {
	q.part = p

	return q
}

// segment returns the condition for the rows of the part.
func (d dialect) segment(q Query) []statement {
	switch q.part {
	case valued:
		return []statement{d.null(q.order[0].Field, false)}
	case tail:
		return []statement{d.null(q.order[0].Field, true)}
	case whole:
	}

	return nil
}
