package list

import "gorm.io/gorm"

// Find reads the page of R's rows that the query asks for, with its cursors and, if asked for, its
// total. It keeps to the conditions that tx has already. The key function returns a row's value of
// the field of that name, for the sortable fields and the id; it may be a method expression.
//
// A page takes one statement; one more where it reaches into the rows without a value for the first
// sort key, where the row at its cursor is gone, and for a total. Errors of the database come as
// they are.
func Find[R any](tx *gorm.DB, q Query, key func(row R, field string) any) (Page[R], error) {
	tx = tx.Session(&gorm.Session{})
	rows, stop, err := read[R](tx, q, q.limit())
	if err != nil {
		return Page[R]{}, err
	}
	c, err := cutOut(q, rows, keysBy(q, key))
	if err != nil {
		return Page[R]{}, err
	}
	if stop != nil && !c.beyond {
		c.beyond, c.stop = true, stop
	}
	if q.at != nil && !c.before {
		if c.before, err = reaches(tx, q.complement(), key); err != nil {
			return Page[R]{}, err
		}
	}
	page, err := c.page(q)
	if err != nil {
		return page, err
	}

	return page, q.total(tx.Model(new(R)), &page.Meta)
}

// reaches reports whether the query, which has a cursor, finds any row: one, or another one than the
// row at the cursor. Where it does not look to the end, there may be some.
func reaches[R any](tx *gorm.DB, q Query, key func(R, string) any) (bool, error) {
	rows, stop, err := read[R](tx, q, 2)
	if err != nil || stop != nil {
		return stop != nil, err
	}
	c, err := cutOut(q, rows, keysBy(q, key))

	return len(c.rows) > 0, err
}

// fewRows is how many rows there is room for at first.
const fewRows = 2

// read reads the parts of the query up to the limit. It ends where a walk through the tail does, and says where
// that is.
func read[R any](tx *gorm.DB, q Query, limit int) (rows []R, stop []*string, err error) {
	for _, part := range q.Parts() {
		if part, err = part.bounded(); err != nil {
			return nil, nil, err
		}
		more := make([]R, 0, fewRows) // else GORM makes room for twenty
		if err := part.Apply(tx).Limit(limit - len(rows)).Find(&more).Error; err != nil {
			return nil, nil, err
		}
		rows = append(rows, more...)
		if len(rows) >= limit {
			break
		}
		if stop, err = part.stop(); err != nil || stop != nil {
			return rows, stop, err
		}
	}

	return rows, nil, nil
}

// complement returns the query for the rows that the query, which has a cursor, does not reach.
func (q Query) complement() Query {
	at := *q.at
	at.closed = !at.closed
	q.at, q.backward = &at, !q.backward

	return q
}

func keysBy[R any](q Query, key func(R, string) any) func(R) []any {
	return func(row R) []any {
		values := make([]any, len(q.order))
		for i, k := range q.order {
			values[i] = key(row, k.Name)
		}

		return values
	}
}
