package resource

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
	"github.com/dispatchd/dispatchd/platform/web"
)

// whyOwn is the reason for statements by hand.
const whyOwn = "a row of a resource by all its columns; the company is bound"

// Create stores a new row, with its number, its audit entry and its event, and returns it as it is stored. What Row has
// of it is filled in. Errors: <area>.invalid_<noun> and those of the rules; <area>.<noun>_taken, which may come from the
// InTx around it.
func (r *Resource[R]) Create(ctx context.Context, row R) (R, error) {
	rows, err := r.CreateSome(ctx, []R{row})

	return rows[0], err
}

// CreateSome is Create of several rows, by a few statements for all. One that is refused refuses all.
func (r *Resource[R]) CreateSome(ctx context.Context, rows []R) ([]R, error) {
	if len(rows) == 0 {
		return rows, nil
	}

	return rows, r.engine.db.InTx(ctx, func(ctx context.Context) error {
		ctx, err := r.withOwn(ctx)
		if err != nil {
			return err
		}
		all, made := make([]revision[R], len(rows)), make([]*R, len(rows))
		for i := range rows {
			if err := r.begin(ctx, database.NewID(), &rows[i]); err != nil {
				return err
			}
			made[i], all[i] = &rows[i], revision[R]{verb: Create, after: &rows[i], source: history.SourceOf(ctx)}
		}
		if _, _, err := r.decided(ctx, all); err != nil {
			return err
		}
		if err := r.number(ctx, made...); err != nil {
			return err
		}

		return r.store(ctx, rows, r.duplicate(rows[0]))
	})
}

// begin makes of values a new row that is about to be decided about, and has no number yet.
func (r *Resource[R]) begin(ctx context.Context, id uuid.UUID, row *R) error {
	now, by := r.engine.clock.Now(), authorOf(ctx)
	*columns.MetaOf(row) = columns.Row{Custom: columns.MetaOf(row).Custom, ID: id, Version: 1, CreatedAt: now, CreatedBy: by, UpdatedAt: now, UpdatedBy: by}
	if r.Life != nil {
		r.Life.begin(row)
	}

	return r.prepare(ctx, Change[R]{Verb: Create, After: row})
}

// store stores new rows; failed turns the error of the statement into what callers are told.
func (r *Resource[R]) store(ctx context.Context, rows []R, failed func(error) error) error {
	if err := r.insertRows(ctx, rows, failed); err != nil {
		return err
	}
	var told []events.Event
	for _, row := range rows {
		of, err := r.recordWrite(ctx, Create, nil, row)
		if err != nil {
			return err
		}
		told = append(told, of...)
	}

	return r.engine.bus.Publish(ctx, told...)
}

// Change holds a row, lets do change it, and stores it as the next version, with its audit entry and its event. Where do
// changes nothing, nothing is stored. The verb is Update, or one that the area gives what it does. Errors:
// <area>.<noun>_not_found, web.stale, and those of Create and of do.
func (r *Resource[R]) Change(
	ctx context.Context, id uuid.UUID, match web.IfMatch, verb Verb, do func(ctx context.Context, row *R) error,
) (row R, err error) {
	err = r.engine.db.InTx(ctx, func(ctx context.Context) error {
		ctx, err := r.withOwn(ctx)
		if err != nil {
			return err
		}
		before, err := r.lockRow(ctx, id, verb == Restore)
		if err == nil {
			var rows []R
			rows, err = changeAll(ctx, r, []R{before}, match, verb, do)
			row = rows[0]
		}

		return err
	})

	return row, err
}

// ChangeSome is Change of those of some rows that are there, by a few statements for all. It returns them as they are then, in the order of their
// ids. One that is refused refuses all.
func (r *Resource[R]) ChangeSome(ctx context.Context, ids []uuid.UUID, verb Verb, do func(ctx context.Context, row *R) error) (rows []R, err error) {
	err = r.engine.db.InTx(ctx, func(ctx context.Context) error {
		ctx, err := r.withOwn(ctx)
		if err != nil {
			return err
		}
		before, err := r.heldRows(ctx, ids)
		if err == nil && len(before) > 0 {
			rows, err = changeAll(ctx, r, before, web.IfMatch{}, verb, do)
		}

		return err
	})

	return rows, err
}

// changeAll changes rows that are held, in their transaction.
func changeAll[R any](
	ctx context.Context, r *Resource[R], before []R, match web.IfMatch, verb Verb, do func(ctx context.Context, row *R) error,
) ([]R, error) {
	rows, all := make([]R, len(before)), make([]revision[R], len(before))
	for i := range before {
		all[i] = revision[R]{verb: verb, before: before[i], after: &rows[i], source: history.SourceOf(ctx)}
		if err := r.revise(ctx, all[i], match, do); err != nil {
			return rows, err
		}
	}
	left, _, err := r.decided(ctx, all)
	if err != nil {
		return rows, err
	}

	return rows, r.storeChanged(ctx, left, r.duplicate(rows[0]))
}

// revise makes, of a row that is held, the one that is to take its place, as do changes it.
func (r *Resource[R]) revise(ctx context.Context, made revision[R], match web.IfMatch, do func(ctx context.Context, row *R) error) error {
	*made.after = made.before
	r.plan.Detach(columns.ValueOf(made.after))
	if err := match.Check(columns.MetaOf(made.after).Version); err != nil {
		return err
	}
	if err := do(ctx, made.after); err != nil {
		return err
	}

	return r.prepare(ctx, *made.change())
}

// storeChanged stores rows that were changed, with all that is kept of a change; failed turns the error of the statement into
// what callers are told.
func (r *Resource[R]) storeChanged(ctx context.Context, all []revision[R], failed func(error) error) error {
	if len(all) == 0 {
		return nil
	}
	if err := r.replace(ctx, all, failed); err != nil {
		return err
	}
	for _, c := range all {
		if err := r.storeOwn(ctx, c.after); err != nil {
			return err
		}
	}
	if err := r.enter(ctx, all); err != nil {
		return err
	}
	if err := r.keepVersions(ctx, all); err != nil {
		return err
	}
	var told []events.Event
	for _, c := range all {
		of, err := r.recordWrite(history.WithSource(ctx, c.source), c.verb, &c.before, *c.after)
		if err != nil {
			return err
		}
		told = append(told, of...)
	}

	return r.engine.bus.Publish(ctx, told...)
}

// replace stores the columns of rows that are held.
func (r *Resource[R]) replace(ctx context.Context, all []revision[R], failed func(error) error) error {
	company := companyOf(ctx)
	if len(all) == 1 {
		row := all[0].after
		args := append(r.plan.Values(columns.ValueOf(row)), company, columns.MetaOf(row).ID)

		return r.engine.db.Pipeline(ctx, whyOwn, r.plan.Forms().Update, args, failed)
	}
	values := make([][]any, len(all))
	for i, c := range all {
		values[i] = append([]any{company}, r.plan.Values(columns.ValueOf(c.after))...)
	}

	return r.engine.db.PipelineRows(ctx, whyOwn, r.plan.Forms().UpdateRows, values, failed)
}

// Delete deletes a row, which Restore brings back within the retention. What refers to it is cleared, or keeps it from
// being deleted: errors are those of Change, and <area>.<noun>_in_use.
func (r *Resource[R]) Delete(ctx context.Context, id uuid.UUID, match web.IfMatch) error {
	return r.engine.db.InTx(ctx, func(ctx context.Context) error {
		ctx, err := r.withOwn(ctx)
		if err != nil {
			return err
		}
		one := r.together()
		if _, err := one.remove(ctx, id, match, new(R)); err != nil {
			return err
		}

		return one.flush(ctx)
	})
}

// Restore brings back a row that is deleted. Errors are those of Change.
func (r *Resource[R]) Restore(ctx context.Context, id uuid.UUID, match web.IfMatch) (R, error) {
	return r.Change(ctx, id, match, Restore, func(_ context.Context, row *R) error {
		columns.MetaOf(row).DeletedAt = nil

		return nil
	})
}

// number gives new rows their numbers, in their order. A row that the area has given one keeps it.
func (r *Resource[R]) number(ctx context.Context, rows ...*R) error {
	for _, f := range r.plan.Fields {
		if f.Number == "" {
			continue
		}
		unnumbered := slices.DeleteFunc(slices.Clone(rows), func(row *R) bool { return f.Of(columns.ValueOf(row)).String() != "" })
		if len(unnumbered) == 0 {
			continue
		}
		numbers, err := r.engine.numbers.NextOf(ctx, r.Item, len(unnumbered))
		if err != nil {
			return err
		}
		for i, row := range unnumbered {
			f.Of(columns.ValueOf(row)).SetString(numbers[i])
		}
	}

	return nil
}

// duplicate names, of a row that was refused, who has its values.
func (r *Resource[R]) duplicate(row R) func(error) error {
	return func(err error) error {
		if !errors.Is(err, database.ErrDuplicate) {
			return err
		}

		return r.taken.WithExplanation(func(ctx context.Context, e *errs.Error) *errs.Error {
			return r.whoHas(database.WithoutTx(ctx), row, e)
		})
	}
}

// whoHas adds to a refusal which rows have the values of row that are unique.
func (r *Resource[R]) whoHas(ctx context.Context, row R, refusal *errs.Error) *errs.Error {
	for _, f := range r.plan.Fields {
		if !f.Unique || f.Empty(columns.ValueOf(&row)) {
			continue
		}
		tx, err := r.visible(ctx, r.engine.db.Conn(ctx))
		if err != nil {
			continue
		}
		last, values := len(f.Columns)-1, f.Stored(columns.ValueOf(&row))
		found, err := database.IfAny[R](tx, f.Columns[last]+" = ? AND id <> ? AND deleted_at IS NULL", values[last], columns.MetaOf(&row).ID)
		if err != nil || found == nil {
			continue
		}
		holder := columns.MetaOf(found).ID
		refusal = refusal.WithMessage("There is one already: %s.", r.titleOf(*found)).
			WithField(f.Key, naming.Subject(f.Key)+" is taken by "+r.titleOf(*found)+".").WithDetail("uuid", holder)
	}

	return refusal
}

// recordWrite leaves the audit entry of what was done, and returns the events.
func (r *Resource[R]) recordWrite(ctx context.Context, verb Verb, before *R, after R) ([]events.Event, error) {
	changes := r.plan.Changes(before == nil, columns.ValueOf(orZero(before)), columns.ValueOf(&after))
	addOwnChanges(changes, columns.MetaOf(&after), r.plan.Personal())
	var told []events.Event
	if r.followed() {
		told = append(told, r.writtenEvent(ctx, verb, changes, after))
	}
	if event := r.Events[verb]; event != nil {
		told = append(told, event(after))
	}

	return told, r.record(ctx, verb, before != nil, changes, after)
}

// record leaves the audit entry of what was done. The step of a life has one of its own, which says all unless more than
// the state was changed.
func (r *Resource[R]) record(ctx context.Context, verb Verb, existed bool, changes map[string]audit.Change, after R) error {
	if existed && r.Life != nil && r.Life.has(verb) {
		if delete(changes, r.stateKey); len(changes) == 0 {
			return nil
		}
		verb = Update
	}

	return r.engine.audit.Record(ctx, audit.Entry{
		Action: r.Item + "." + verb.past(), Item: audit.Item{Type: r.Item, UUID: columns.MetaOf(&after).ID, Part: r.partOf(after)}, Changes: changes,
	})
}

func orZero[R any](row *R) *R {
	if row == nil {
		return new(R)
	}

	return row
}

// authorOf is the user who writes, nil for none.
func authorOf(ctx context.Context) *uuid.UUID {
	who, _ := principal.From(ctx)

	return web.Optional(who.User)
}

func companyOf(ctx context.Context) uuid.UUID {
	who, _ := principal.From(ctx)

	return who.Company
}

// titleOf is what people call a row.
func (r *rulesOf[R]) titleOf(row R) string {
	if f := r.plan.Title(); f != nil && !f.Empty(columns.ValueOf(&row)) {
		return fmt.Sprint(f.Plain(columns.ValueOf(&row)))
	}

	return r.Title
}
