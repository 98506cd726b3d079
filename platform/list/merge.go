package list

import "slices"

// A list may be merged from several statements, each of which finds rows of its own. Whoever does so reads what the query
// asks for with Conditions, Place and Backward, and makes the page with Merged.

// Place returns the values of Query.Sort at which the page begins, as they are bound, and false for the first page. Rows
// at the place belong to what is read: Merged takes them off.
func (q Query) Place() (values []any, ok bool) {
	if q.at == nil {
		return nil, false
	}

	return slices.Clone(q.at.binds), true
}

// Backward reports whether the page is read from its end, against the order of Query.Sort.
func (q Query) Backward() bool { return q.backward }

// Values returns what the condition compares with, as it is bound: a bool for Null.
func (c Condition) Values() []any { return slices.Clone(c.values) }

// Merged makes the page of rows in the order of reading, up to two more than the page has, as NewPage does. Where reading
// ended before it found so many, though there may be more, end is the keys of the last row that was looked at; else nil.
func Merged[T any](q Query, rows []T, keys func(T) []any, end []any) (Page[T], error) {
	c, err := cutOut(q, len(rows), func(i int) []any { return keys(rows[i]) })
	if err != nil {
		return Page[T]{}, err
	}
	c.before = q.at != nil
	if end != nil && !c.beyond {
		c.beyond = true
		if c.stop, err = q.texts(end); err != nil {
			return Page[T]{}, err
		}
	}

	return pageOf(q, c, rows)
}
