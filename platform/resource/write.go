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

// create is Resource.CreateSome.
func (r *table) create(ctx context.Context, rows ...any) error {
	if len(rows) == 0 {
		return nil
	}

	return r.engine.db.InTx(ctx, func(ctx context.Context) error {
		ctx, err := r.withOwn(ctx)
		if err != nil {
			return err
		}
		all := make([]revision, len(rows))
		for i, row := range rows {
			if err := r.begin(ctx, database.NewID(), row); err != nil {
				return err
			}
			all[i] = revision{verb: Create, after: row, source: history.SourceOf(ctx)}
		}
		if _, _, err := r.decided(ctx, all); err != nil {
			return err
		}
		if err := r.number(ctx, rows...); err != nil {
			return err
		}

		return r.store(ctx, rows, r.duplicate(rows[0]))
	})
}

// begin makes of values a new row that is about to be decided about, and has no number yet.
func (r *table) begin(ctx context.Context, id uuid.UUID, row any) error {
	now, by := r.engine.clock.Now(), authorOf(ctx)
	*columns.MetaOf(row) = columns.Row{Custom: columns.MetaOf(row).Custom, ID: id, Version: 1, CreatedAt: now, CreatedBy: by, UpdatedAt: now, UpdatedBy: by}
	if r.life != nil {
		r.life.begin(row)
	}

	return r.prepare(ctx, change{Verb: Create, After: row})
}

// store stores new rows; failed turns the error of the statement into what callers are told.
func (r *table) store(ctx context.Context, rows []any, failed func(error) error) error {
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

// change is Resource.Change.
func (r *table) change(
	ctx context.Context, id uuid.UUID, match web.IfMatch, verb Verb, do func(ctx context.Context, row any) error,
) (row any, err error) {
	err = r.engine.db.InTx(ctx, func(ctx context.Context) error {
		ctx, err := r.withOwn(ctx)
		if err != nil {
			return err
		}
		before, err := r.lockRow(ctx, id, verb == Restore)
		if err != nil {
			return err
		}
		rows, err := r.changeAll(ctx, []any{before}, match, verb, do)
		if err == nil {
			row = rows[0]
		}

		return err
	})

	return row, err
}

// changeSome is Resource.ChangeSome.
func (r *table) changeSome(ctx context.Context, ids []uuid.UUID, verb Verb, do func(ctx context.Context, row any) error) (rows []any, err error) {
	err = r.engine.db.InTx(ctx, func(ctx context.Context) error {
		ctx, err := r.withOwn(ctx)
		if err != nil {
			return err
		}
		before, err := r.heldRows(ctx, ids)
		if err == nil && len(before) > 0 {
			rows, err = r.changeAll(ctx, before, web.IfMatch{}, verb, do)
		}

		return err
	})

	return rows, err
}

// changeAll changes rows that are held, in their transaction.
func (r *table) changeAll(
	ctx context.Context, before []any, match web.IfMatch, verb Verb, do func(ctx context.Context, row any) error,
) ([]any, error) {
	rows, all := make([]any, len(before)), make([]revision, len(before))
	for i := range before {
		rows[i] = r.plan.New()
		all[i] = revision{verb: verb, before: before[i], after: rows[i], source: history.SourceOf(ctx)}
		if err := r.revise(ctx, all[i], match, do); err != nil {
			return nil, err
		}
	}
	left, _, err := r.decided(ctx, all)
	if err != nil {
		return nil, err
	}

	return rows, r.storeChanged(ctx, left, r.duplicate(rows[0]))
}

// revise makes, of a row that is held, the one that is to take its place, as do changes it.
func (r *table) revise(ctx context.Context, made revision, match web.IfMatch, do func(ctx context.Context, row any) error) error {
	columns.ValueOf(made.after).Set(columns.ValueOf(made.before))
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
func (r *table) storeChanged(ctx context.Context, all []revision, failed func(error) error) error {
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
		of, err := r.recordWrite(history.WithSource(ctx, c.source), c.verb, c.before, c.after)
		if err != nil {
			return err
		}
		told = append(told, of...)
	}

	return r.engine.bus.Publish(ctx, told...)
}

// replace stores the columns of rows that are held.
func (r *table) replace(ctx context.Context, all []revision, failed func(error) error) error {
	company := principal.CompanyOf(ctx)
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

// delete is Resource.Delete.
func (r *table) delete(ctx context.Context, id uuid.UUID, match web.IfMatch) error {
	return r.engine.db.InTx(ctx, func(ctx context.Context) error {
		ctx, err := r.withOwn(ctx)
		if err != nil {
			return err
		}
		one := r.together()
		if _, err := one.remove(ctx, id, match, r.plan.New()); err != nil {
			return err
		}

		return one.flush(ctx)
	})
}

// restore is Resource.Restore.
func (r *table) restore(ctx context.Context, id uuid.UUID, match web.IfMatch) (any, error) {
	return r.change(ctx, id, match, Restore, func(_ context.Context, row any) error {
		columns.MetaOf(row).DeletedAt = nil

		return nil
	})
}

// number gives new rows their numbers, in their order. A row that the area has given one keeps it.
func (r *table) number(ctx context.Context, rows ...any) error {
	for _, f := range r.plan.Fields {
		if f.Number == "" {
			continue
		}
		unnumbered := slices.DeleteFunc(slices.Clone(rows), func(row any) bool { return f.Of(columns.ValueOf(row)).String() != "" })
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
func (r *table) duplicate(row any) func(error) error {
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
func (r *table) whoHas(ctx context.Context, row any, refusal *errs.Error) *errs.Error {
	for _, f := range r.plan.Fields {
		if !f.Unique || f.Empty(columns.ValueOf(row)) {
			continue
		}
		tx, err := r.visible(ctx, r.engine.db.Conn(ctx))
		if err != nil {
			continue
		}
		last, values := len(f.Columns)-1, f.Stored(columns.ValueOf(row))
		found, err := r.all(tx.Where(f.Columns[last]+" = ? AND id <> ? AND deleted_at IS NULL", values[last], columns.MetaOf(row).ID).Limit(1))
		if err != nil || len(found) == 0 {
			continue
		}
		refusal = refusal.WithMessage("There is one already: %s.", r.titleOf(found[0])).
			WithField(f.Key, naming.Subject(f.Key)+" is taken by "+r.titleOf(found[0])+".").WithDetail("uuid", columns.MetaOf(found[0]).ID)
	}

	return refusal
}

// recordWrite leaves the audit entry of what was done, and returns the events.
func (r *table) recordWrite(ctx context.Context, verb Verb, before any, after any) ([]events.Event, error) {
	changes := r.plan.Changes(before == nil, columns.ValueOf(r.orNone(before)), columns.ValueOf(after))
	addOwnChanges(changes, columns.MetaOf(after), r.plan.Personal())
	var told []events.Event
	if followed(r.Own) {
		told = append(told, r.writtenEvent(ctx, verb, changes, after))
	}
	if event := r.events[verb]; event != nil {
		told = append(told, event(after))
	}

	return told, r.record(ctx, verb, before != nil, changes, after)
}

// record leaves the audit entry of what was done. The step of a life has one of its own, which says all unless more than
// the state was changed.
func (r *table) record(ctx context.Context, verb Verb, existed bool, changes map[string]audit.Change, after any) error {
	if existed && r.life != nil && r.life.has(verb) {
		if delete(changes, r.stateKey); len(changes) == 0 {
			return nil
		}
		verb = Update
	}

	return r.engine.audit.Record(ctx, audit.Entry{
		Action: r.Item + "." + verb.past(), Item: audit.Item{Type: r.Item, UUID: columns.MetaOf(after).ID, Part: r.partOf(after)}, Changes: changes,
	})
}

// orNone is a row, or one without values for nil.
func (r *table) orNone(row any) any {
	if row == nil {
		return r.plan.New()
	}

	return row
}

// authorOf is the user who writes, nil for none.
func authorOf(ctx context.Context) *uuid.UUID {
	who, _ := principal.From(ctx)

	return web.Optional(who.User)
}

// titleOf is what people call a row.
func (r *table) titleOf(row any) string {
	if f := r.plan.Title(); f != nil && !f.Empty(columns.ValueOf(row)) {
		return fmt.Sprint(f.Plain(columns.ValueOf(row)))
	}

	return r.Title
}
