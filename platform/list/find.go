package list

import (
	"reflect"
	"slices"

	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/memory"
)

// Find reads the page of R's rows that the query asks for, with its cursors and, if asked for, its
// total. It keeps to the conditions that tx has already. The key function returns a row's value of
// the field of that name, for the sortable fields and the id; it may be a method expression.
//
// A page takes one statement; one more where it reaches into the rows without a value for the first
// sort key, where the row at its cursor is gone, and for a total. Errors of the database come as
// they are.
//
// A page ends early, and its cursor goes on from there, when its rows have more than MaxPageBytes; room for them is
// taken from the memory of the request.
func Find[R any](tx *gorm.DB, q Query, key func(row R, field string) any) (Page[R], error) {
	return FindWith(tx, q, key, nil)
}

// FindWith is Find for rows that are shown with more that has to be read. Along reads it, and returns how many of the
// rows, of which the first is not always of the page, may be shown with it: at least two.
func FindWith[R any](tx *gorm.DB, q Query, key func(row R, field string) any, along func(rows []R) (int, error)) (Page[R], error) {
	value := func(row any) R { return *row.(*R) } //nolint:forcetypeassert // they are of the given type
	var alongAny func(rows []any) (int, error)
	if along != nil {
		alongAny = func(rows []any) (int, error) { return along(Convert(Page[any]{Data: rows}, value).Data) }
	}
	page, err := FindRows(tx, q, reflect.TypeFor[R](), func(row any, field string) any { return key(value(row), field) }, alongAny)

	return Convert(page, value), err
}

// FindRows is FindWith for rows of a type that is known when the service runs, a struct: they come as pointers. Along is nil
// for nothing.
func FindRows(
	tx *gorm.DB, q Query, of reflect.Type, key func(row any, field string) any, along func(rows []any) (int, error),
) (Page[any], error) {
	tx = tx.Session(&gorm.Session{})
	bound := &database.Bound{Bytes: q.pageBytes(), Rows: fewRows}
	rows, stop, err := readParts(bound.Of(tx).Session(&gorm.Session{}), q, of, q.limit(), bound)
	if err != nil {
		return Page[any]{}, err
	}
	wasCut := bound.Cut
	if along != nil {
		shown, err := along(rows)
		if err != nil {
			return Page[any]{}, err
		}
		wasCut = wasCut || shown < len(rows)
		rows = rows[:shown]
	}
	c, err := cutOut(q, len(rows), keysBy(q, rows, key))
	if err != nil {
		return Page[any]{}, err
	}
	switch {
	case wasCut:
		c.beyond = true
	case stop != nil && !c.beyond:
		c.beyond, c.stop = true, stop
	}
	if q.at != nil && !c.before {
		if c.before, err = hasRows(tx, q.complement(), of, key); err != nil {
			return Page[any]{}, err
		}
	}
	page, err := pageOf(q, c, rows)
	if err != nil {
		return page, err
	}

	return page, q.total(tx.Model(reflect.New(of).Interface()), &page.Meta)
}

// hasRows reports whether the query, which has a cursor, finds any row: one, or another one than the
// row at the cursor. Where it does not look to the end, there may be some.
func hasRows(tx *gorm.DB, q Query, of reflect.Type, key func(any, string) any) (bool, error) {
	rows, stop, err := readParts(tx, q, of, fewRows, &database.Bound{})
	if err != nil || stop != nil {
		return stop != nil, err
	}
	c, err := cutOut(q, len(rows), keysBy(q, rows, key))

	return c.to > c.from, err
}

// fewRows is how many rows there is room for at first.
const fewRows = 2

// readParts reads the parts of the query up to the limit, and takes room for them. It ends where tx is bound, or where a walk
// through the tail does, and says where that is.
func readParts(tx *gorm.DB, q Query, of reflect.Type, limit int, bound *database.Bound) (rows []any, stop []*string, err error) {
	defer func() {
		if weight := shownWeight * bound.Read; err == nil && weight > memory.Small {
			err = memory.Reserve(tx.Statement.Context, weight)
		}
	}()

	for _, part := range q.Parts() {
		if part, err = part.bounded(); err != nil {
			return nil, nil, err
		}
		more := reflect.New(reflect.SliceOf(of))
		more.Elem().Set(reflect.MakeSlice(more.Type().Elem(), 0, fewRows)) // else GORM makes room for twenty
		if err := part.Apply(tx).Limit(limit - len(rows)).Find(more.Interface()).Error; err != nil {
			return nil, nil, err
		}
		rows = slices.Grow(rows, more.Elem().Len())
		for i := range more.Elem().Len() {
			rows = append(rows, more.Elem().Index(i).Addr().Interface())
		}
		if len(rows) >= limit || bound.Cut {
			break
		}
		if stop, err = part.walkEnd(); err != nil || stop != nil {
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

func keysBy(q Query, rows []any, key func(any, string) any) func(i int) []any {
	return func(i int) []any {
		values := make([]any, len(q.order))
		for n, k := range q.order {
			values[n] = key(rows[i], k.Name)
		}

		return values
	}
}
