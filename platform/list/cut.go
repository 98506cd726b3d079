package list

import (
	"fmt"
	"slices"
)

// cut is what of the rows that were read is the page, and what the others say. All is in the order
// of reading, which for the page before a cursor is backward.
type cut[T any] struct {
	rows        []T
	first, last []*string // the keys of the outermost rows, nil for an empty page
	before      bool      // rows lie before the page
	beyond      bool      // rows lie after it, or may do
	stop        []*string // where reading ended without a look at what lies after it, nil if it did not
}

func cutOut[T any](q Query, rows []T, keys func(T) []any) (cut[T], error) {
	c := cut[T]{rows: []T{}}
	if len(rows) > 0 && q.at != nil && !q.at.closed {
		texts, err := q.texts(keys(rows[0]))
		if err != nil {
			return c, err
		}
		if slices.EqualFunc(texts, q.at.texts, sameText) {
			c.before, rows = true, rows[1:]
		}
	}
	if len(rows) > q.perPage {
		c.beyond, rows = true, rows[:q.perPage]
	}
	if len(rows) == 0 {
		return c, nil
	}
	c.rows = slices.Clone(rows)
	var err error
	if c.first, err = q.texts(keys(rows[0])); err != nil {
		return c, err
	}
	c.last, err = q.texts(keys(rows[len(rows)-1]))

	return c, err
}

func sameText(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}

	return *a == *b
}

// texts turns the keys of a row into those of a cursor, and makes sure that the cursor will be
// understood when it comes back.
func (q Query) texts(keys []any) ([]*string, error) {
	if len(keys) != len(q.order) {
		return nil, fmt.Errorf("list: a row has %d keys, its order %d", len(keys), len(q.order))
	}
	texts := make([]*string, len(keys))
	for i, k := range q.order {
		text, err := k.decode(keys[i])
		if err == nil && text != nil {
			_, err = k.encode(*text)
		}
		if err != nil {
			return nil, fmt.Errorf("list: sort key %s: %w", k.Name, err)
		}
		if text == nil && !k.Nullable {
			return nil, fmt.Errorf("list: sort key %s: a row has no value, which the field rules out", k.Name)
		}
		texts[i] = text
	}

	return texts, nil
}

// end is the place behind which the next page begins.
func (c cut[T]) end() []*string {
	if c.stop != nil {
		return c.stop
	}

	return c.last
}

// page makes the cursors. On an empty page the way back starts where the page itself did, and takes
// in exactly the rows that the page would not have.
func (c cut[T]) page(q Query) (Page[T], error) {
	page := Page[T]{Data: c.rows, Meta: Meta{PerPage: q.perPage}}
	behind, ahead := &page.Meta.PrevCursor, &page.Meta.NextCursor
	if q.backward {
		behind, ahead = ahead, behind
		slices.Reverse(page.Data)
	}
	var err error
	switch {
	case !c.before:
	case c.first == nil:
		*behind, err = q.cursor(q.at.texts, !q.backward, !q.at.closed)
	default:
		*behind, err = q.cursor(c.first, !q.backward, false)
	}
	if err == nil && c.beyond {
		*ahead, err = q.cursor(c.end(), q.backward, false)
	}

	return page, err
}
