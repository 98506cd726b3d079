package resource

import (
	"context"
	"reflect"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// What a Resource does with rows of its own type. Each method is a table's, and no more: there is a copy of it for every
// resource.

// newResource returns a resource of a service, with a table that is made of the one that was compiled, and of the rules that know the type
// of the rows.
func newResource[R any](rules Rules[R], compiled *table, e *Engine) *Resource[R] {
	if compiled == nil {
		return nil
	}
	t := new(*compiled)
	t.engine = e
	r := &Resource[R]{table: t}
	if rules.Check != nil {
		t.checkRow = func(ctx context.Context, row any) error { return rules.Check(ctx, typed[R](row)) }
	}
	if rules.Decide != nil {
		t.decide = func(ctx context.Context, c change) error { return rules.Decide(ctx, r, *changeOf[R](&c)) }
	}
	if rules.Revert != nil {
		t.revert = func(now, was any) error { return rules.Revert(*typed[R](now), typed[R](was)) }
	}
	if rules.Expiring != nil {
		t.expiring = func(row any, e Expiry) events.Event { return rules.Expiring(*typed[R](row), e) }
	}
	t.shapes = shapes{
		one: reflect.TypeFor[web.Resource[R]](), page: reflect.TypeFor[list.Output[R]](),
		answer: func(row any, version int64, location string) any {
			return web.NewResource(*typed[R](row), version, location)
		},
		answerPage: func(q list.Query, page list.Page[any]) any { return list.Answer(q, list.Convert(page, valueOf[R])) },
	}
	t.events = make(map[Verb]func(row any) events.Event, len(rules.Events))
	for verb, event := range rules.Events {
		t.events[verb] = func(row any) events.Event { return event(*typed[R](row)) }
	}

	return r
}

// typed is a row of a table by its type.
func typed[R any](row any) *R { return row.(*R) } //nolint:forcetypeassert // the table has no other rows

// valueOf is the row that a table has found, the zero value for none.
func valueOf[R any](row any) (value R) {
	if found, ok := row.(*R); ok {
		value = *found
	}

	return value
}

func valuesOf[R any](rows []any) []R {
	if rows == nil {
		return nil
	}
	values := make([]R, len(rows))
	for i, row := range rows {
		values[i] = *typed[R](row)
	}

	return values
}

func pointersTo[R any](rows []R) []any {
	all := make([]any, len(rows))
	for i := range rows {
		all[i] = &rows[i]
	}

	return all
}

// Find returns a row that is not deleted. Error: <area>.<noun>_not_found.
func (r *Resource[R]) Find(ctx context.Context, id uuid.UUID) (R, error) {
	row, err := r.table.find(ctx, id)

	return valueOf[R](row), err
}

// FindSome returns those of some rows that there are and that are not deleted, in no order.
func (r *Resource[R]) FindSome(ctx context.Context, ids []uuid.UUID) ([]R, error) {
	rows, err := r.table.findSome(ctx, ids)

	return valuesOf[R](rows), err
}

// Where returns the rows that are not deleted and meet a condition, SQL with a question mark for each argument, in no order:
// also those about items that the caller may not know of.
func (r *Resource[R]) Where(ctx context.Context, where string, args ...any) ([]R, error) {
	rows, err := r.table.all(r.table.engine.db.Conn(ctx).Where("deleted_at IS NULL").Where(where, args...))

	return valuesOf[R](rows), err
}

// Page returns a page of the rows that are not deleted, or of those that are, by a query that was parsed with Schema.
// Where, if it is not "", narrows it: SQL with a question mark for each argument.
func (r *Resource[R]) Page(ctx context.Context, q list.Query, deleted bool, where string, args ...any) (list.Page[R], error) {
	page, err := r.table.page(ctx, q, deleted, where, args...)

	return list.Convert(page, valueOf[R]), err
}

// Listed is the answer to a list: a page of the rows that are not deleted, or of those that are, as the caller may see
// them. Errors: list.Errors.
func (r *Resource[R]) Listed(ctx context.Context, in *list.Input, deleted bool) (*list.Output[R], error) {
	q, page, err := r.table.listed(ctx, in, deleted)
	if err != nil {
		return nil, err
	}

	return list.Answer(q, list.Convert(page, valueOf[R])), nil
}

// Show makes rows what who is calling may see, and embeds the references for whose names expand is true; nil is none.
// The rows are changed.
func (r *Resource[R]) Show(ctx context.Context, expand func(name string) bool, rows ...*R) error {
	all := make([]any, len(rows))
	for i, row := range rows {
		all[i] = row
	}

	return r.table.show(ctx, expand, all...)
}

// Answer shows a row that was written, or says why it was not.
func (r *Resource[R]) Answer(ctx context.Context, row R, err error) (*web.Resource[R], error) {
	answer, err := r.table.answer(ctx, &row, err)
	shown, _ := answer.(*web.Resource[R])

	return shown, err
}

// Create stores a new row, with its number, its audit entry and its event, and returns it as it is stored. What Row has
// of it is filled in. Errors: <area>.invalid_<noun> and those of the rules; <area>.<noun>_taken, which may come from the
// InTx around it.
func (r *Resource[R]) Create(ctx context.Context, row R) (R, error) {
	err := r.table.create(ctx, &row)

	return row, err
}

// CreateSome is Create of several rows, by a few statements for all. One that is refused refuses all.
func (r *Resource[R]) CreateSome(ctx context.Context, rows []R) ([]R, error) {
	return rows, r.table.create(ctx, pointersTo(rows)...)
}

// Change holds a row, lets do change it, and stores it as the next version, with its audit entry and its event. Where do
// changes nothing, nothing is stored. The verb is Update, or one that the area gives what it does; a verb of the life takes its
// step (Step), which Move does. Errors: <area>.<noun>_not_found, web.stale, and those of Create and of do.
func (r *Resource[R]) Change(
	ctx context.Context, id uuid.UUID, match web.IfMatch, verb Verb, do func(ctx context.Context, row *R) error,
) (R, error) {
	row, err := r.table.change(ctx, id, match, verb, func(ctx context.Context, row any) error { return do(ctx, typed[R](row)) })

	return valueOf[R](row), err
}

// ChangeSome is Change of those of some rows that are there, by a few statements for all. It returns them as they are then, in the order of their
// ids. One that is refused refuses all.
func (r *Resource[R]) ChangeSome(ctx context.Context, ids []uuid.UUID, verb Verb, do func(ctx context.Context, row *R) error) ([]R, error) {
	rows, err := r.table.changeSome(ctx, ids, verb, func(ctx context.Context, row any) error { return do(ctx, typed[R](row)) })

	return valuesOf[R](rows), err
}

// Restore brings back a row that is deleted. Errors are those of Change.
func (r *Resource[R]) Restore(ctx context.Context, id uuid.UUID, match web.IfMatch) (R, error) {
	row, err := r.table.restore(ctx, id, match)

	return valueOf[R](row), err
}

// Insert stores new rows as the area has decided about them, many by one statement, and fills in what Row has of them.
// Audit entries and events are the area's to leave.
func (r *Resource[R]) Insert(ctx context.Context, rows []R) error {
	return r.table.insert(ctx, pointersTo(rows))
}

// Remove removes rows for good with all that is kept of them, as the area has decided. Audit entries and events are the
// area's to leave.
func (r *Resource[R]) Remove(ctx context.Context, rows []R) error {
	return r.table.remove(ctx, pointersTo(rows))
}

// Decode reads the body of a create, or a merge patch over a row, as the given operations do. Errors: web.invalid,
// web.malformed_json, <area>.invalid_<noun>, and <area>.sensitive or web.scope_missing for fields that the caller may not write.
func (r *Resource[R]) Decode(ctx context.Context, raw []byte, row *R, create bool) error {
	return r.table.decode(ctx, raw, row, create)
}

// Expired is the first date of a row that is over by the calendar of the caller's company, among the fields with the word
// expires; nil for none.
func (r *Resource[R]) Expired(ctx context.Context, row R) (*Expiry, error) {
	return r.table.expired(ctx, &row)
}

// Move takes a step of the life of the row that the move names. Errors are those of Change, state.ErrNotAllowed,
// state.ErrNotYours, and those of guards.
func (r *Resource[R]) Move(ctx context.Context, move state.Move, match web.IfMatch) (R, error) {
	row, err := r.table.takeStep(ctx, move, match)

	return valueOf[R](row), err
}

// Step takes a step of the life of a row that is about to be stored, for those who decide about it: a change of other fields
// that moves the row on. The move's UUID and Part are filled in. Errors are those of Move.
func (r *Resource[R]) Step(ctx context.Context, row *R, move state.Move) error {
	return r.table.step(ctx, row, move)
}

// Count returns how many rows that are not deleted meet a condition, SQL with a question mark for each argument.
func (r *Resource[R]) Count(ctx context.Context, where string, args ...any) (int64, error) {
	return r.table.count(ctx, where, args...)
}

// CountBy is Count for each value of a column, as text.
func (r *Resource[R]) CountBy(ctx context.Context, column, where string, args ...any) (map[string]int64, error) {
	return r.table.countBy(ctx, column, where, args...)
}

// Hold keeps rows that are not deleted as they are until the transaction ends. Error: <area>.<noun>_not_found, if one of
// them is not there.
func (r *Resource[R]) Hold(ctx context.Context, ids ...uuid.UUID) error {
	return r.table.hold(ctx, ids...)
}

// MoveReferences is Engine.Move from one row to another one: of all references for a nil only, and else of those that an earlier move returned
// and that still name the first row.
func (r *Resource[R]) MoveReferences(ctx context.Context, from, to uuid.UUID, only []Moved) ([]Moved, error) {
	return r.table.engine.Move(ctx, Moving{Type: r.table.Item, From: from, To: to, Only: only})
}

// Delete deletes a row, which Restore brings back within the retention. What refers to it is cleared, or keeps it from
// being deleted: errors are those of Change, and <area>.<noun>_in_use.
func (r *Resource[R]) Delete(ctx context.Context, id uuid.UUID, match web.IfMatch) error {
	return r.table.delete(ctx, id, match)
}

// Schema is what a list of the rows can be asked for by who is calling. Its errors are those of the database.
func (r *Resource[R]) Schema(ctx context.Context) (list.Schema, error) { return r.table.schema(ctx) }

// MaySet refuses a caller who may not write a field, for operations of an area that write it by other ways than Decode. Errors:
// web.scope_missing, <area>.sensitive.
func (r *Resource[R]) MaySet(ctx context.Context, key string) error { return r.table.maySet(ctx, key) }

// Sees reports whether the caller sees the values of a field.
func (r *Resource[R]) Sees(ctx context.Context, key string) bool { return r.table.seesField(ctx, key) }

// Today is the day in the time zone of the caller's company.
func (r *Resource[R]) Today(ctx context.Context) (field.Date, error) { return r.table.today(ctx) }

// Invalid is what a row is refused with: errors of decisions add the fields (WithField).
func (r *Resource[R]) Invalid() *errs.Error { return r.table.invalid }

// NotFound is the failure for a row that is not there, that is deleted, or that is another company's.
func (r *Resource[R]) NotFound() *errs.Error { return r.table.notFound }

// WriteErrors are what Create fails with, for the operations of an area.
func (r *Resource[R]) WriteErrors() []*errs.Error { return r.table.writeErrors() }

// ItemType is the type of the items: "trucks.truck".
func (r *Resource[R]) ItemType() string { return r.table.Item }
