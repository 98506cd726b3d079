package list

import (
	"fmt"
	"slices"
)

// cut is what of the rows that were read is the page, and what the others say. All is in the order
// of reading, which for the page before a cursor is backward.
type cut struct {
	from, to    int       // of the rows
	first, last []*string // the keys of the outermost rows, nil for an empty page
	before      bool      // rows lie before the page
	beyond      bool      // rows lie after it, or may do
	stop        []*string // where reading ended without a look at what lies after it, nil if it did not
}

// cutOut decides which of n rows are the page. Keys returns those of a row.
func cutOut(q Query, n int, keys func(i int) []any) (cut, error) {
	c := cut{to: n}
	if n > 0 && q.at != nil && !q.at.closed {
		texts, err := q.texts(keys(0))
		if err != nil {
			return c, err
		}
		if slices.EqualFunc(texts, q.at.texts, sameText) {
			c.before, c.from = true, 1
		}
	}
	if c.to-c.from > q.perPage {
		c.beyond, c.to = true, c.from+q.perPage
	}
	if c.from == c.to {
		return c, nil
	}
	var err error
	if c.first, err = q.texts(keys(c.from)); err != nil {
		return c, err
	}
	c.last, err = q.texts(keys(c.to - 1))

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
func (c cut) end() []*string {
	if c.stop != nil {
		return c.stop
	}

	return c.last
}

// meta makes the cursors. On an empty page the way back starts where the page itself did, and takes
// in exactly the rows that the page would not have.
func (c cut) meta(q Query) (Meta, error) {
	meta := Meta{PerPage: q.perPage}
	behind, ahead := &meta.PrevCursor, &meta.NextCursor
	if q.backward {
		behind, ahead = ahead, behind
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

	return meta, err
}

// pageOf is the page that was cut out of rows.
func pageOf[T any](q Query, c cut, rows []T) (Page[T], error) {
	page := Page[T]{Data: slices.Clone(rows[c.from:c.to])}
	if page.Data == nil {
		page.Data = []T{}
	}
	if q.backward {
		slices.Reverse(page.Data)
	}
	var err error
	page.Meta, err = c.meta(q)

	return page, err
}
