package resource

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// batch is changes of rows that are written as if each were alone.
type batch[R any] struct {
	of      *Resource[R]
	fields  []collection.Field
	changes []collection.Change
	aims    []aim[R]

	outcomes []collection.Outcome
}

// aim is which row a change is about.
type aim[R any] struct {
	id uuid.UUID
	// there says that there is such a row, again that an earlier change of the batch may have made it.
	there, again bool
	// row is that which is written: made of the values, or changed by them.
	row R
	// err is why nothing can be written, wrong why no row can be made.
	err, wrong error
}

// Write implements collection.Collection. Rows are written together, and by themselves where that fails.
func (c rows[R]) Write(ctx context.Context, source string, changes []collection.Change) ([]collection.Outcome, error) {
	if err := c.MayWrite(ctx); err != nil {
		return nil, err
	}
	seen, err := c.of.collectedFor(ctx)
	if err != nil {
		return nil, err
	}
	b := &batch[R]{of: c.of, fields: seen.fields, changes: changes, outcomes: make([]collection.Outcome, len(changes))}
	if err := b.aim(ctx); err != nil {
		return nil, err
	}
	var good []int
	for i := range b.aims {
		if b.outcomes[i].Err = b.aims[i].err; b.aims[i].err == nil {
			good = append(good, i)
		}
	}
	err = eachAlone(history.WithSource(ctx, source), c.of.engine.db, good, func(ctx context.Context, i int) (err error) {
		b.outcomes[i].Written, err = b.write(ctx, i)

		return err
	}, func(ctx context.Context, i int, err error) {
		b.outcomes[i] = collection.Outcome{Err: b.explained(ctx, i, err)}
	})

	return b.outcomes, err
}

// explained says of a row that was refused who has its values: maybe a row of the same transaction.
func (b *batch[R]) explained(ctx context.Context, i int, err error) error {
	if !errors.Is(err, b.of.taken) {
		return err
	}
	row := b.aims[i].row
	for _, f := range b.of.plan.fields {
		f.normalise(valueOf(&row))
	}

	return b.of.whoHas(ctx, row, b.of.taken)
}

// eachAlone does what is numbered, each as if by itself: together in one savepoint as long as that works, then the ones
// before the first that fails, that one, and the ones behind it. refused is told what could not be done, and why.
func eachAlone(
	ctx context.Context, db *database.DB, all []int, do func(ctx context.Context, i int) error, refused func(ctx context.Context, i int, err error),
) error {
	for len(all) > 0 {
		failed := len(all) / 2 // where it is only known when all are sent
		err := db.Savepoint(ctx, func(ctx context.Context) error {
			for n, i := range all {
				if err := do(ctx, i); err != nil {
					failed = n

					return err
				}
			}

			return nil
		})
		if _, expected := errors.AsType[*errs.Error](err); err == nil || !expected || errs.KindOf(err) == errs.Unavailable {
			return err
		}
		if len(all) == 1 {
			refused(ctx, all[0], err)

			return nil
		}
		if err := eachAlone(ctx, db, all[:max(failed, 1)], do, refused); err != nil {
			return err
		}
		if failed > 0 && failed+1 < len(all) {
			if err := eachAlone(ctx, db, all[failed:failed+1], do, refused); err != nil {
				return err
			}
			failed++
		}
		all = all[max(failed, 1):]
	}

	return nil
}

// write writes a row.
func (b *batch[R]) write(ctx context.Context, i int) (collection.Written, error) {
	change, aim := b.changes[i], &b.aims[i]
	there := aim.there
	if aim.again {
		found, err := b.of.Some(ctx, []uuid.UUID{aim.id})
		if err != nil {
			return collection.Written{}, err
		}
		there = len(found) > 0
	}
	if !there && aim.wrong != nil {
		return collection.Written{}, aim.wrong
	}
	if !there {
		made, err := b.of.createAs(ctx, aim.id, aim.row)

		return collection.Written{Row: aim.id, After: metaOf(&made).Version}, err
	}
	w := collection.Written{Row: aim.id}
	after, err := b.of.Change(ctx, aim.id, exactly(change.Version), Update, func(ctx context.Context, row *R) error {
		w.Before = metaOf(row).Version
		patch, err := b.of.withoutFixed(*row, change.Values)
		if err == nil {
			err = b.alsoWrong(b.of.Decode(ctx, patch, row, false), patch)
		}
		aim.row = *row

		return err
	})
	if w.After = metaOf(&after).Version; w.After == w.Before {
		w.After = 0
	}

	return w, err
}

// withoutFixed takes out of a patch what says of fixed fields what they are already, as an exported row does.
func (r *rulesOf[R]) withoutFixed(row R, patch []byte) ([]byte, error) {
	if !slices.ContainsFunc(r.plan.fields, func(f *field) bool { return f.fixed }) {
		return patch, nil
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(patch, &given); err != nil {
		return nil, err
	}
	for _, f := range r.plan.fields {
		raw, has := given[f.key]
		if !f.fixed || !has {
			continue
		}
		var other R
		if json.Unmarshal(raw, f.of(valueOf(&other)).Addr().Interface()) != nil {
			continue
		}
		if f.normalise(valueOf(&other)); f.same(valueOf(&row), valueOf(&other)) {
			delete(given, f.key)
		}
	}

	return json.Marshal(given)
}

// aim finds the rows that changes are about: a statement for ids, and one for each field that names rows.
func (b *batch[R]) aim(ctx context.Context) error {
	b.aims = make([]aim[R], len(b.changes))
	if err := b.aimByID(ctx); err != nil {
		return err
	}
	for _, f := range b.of.plan.fields {
		if err := b.aimBy(ctx, f); err != nil {
			return err
		}
	}
	for i, change := range b.changes {
		a := &b.aims[i]
		if a.err != nil || (a.there && !a.again) {
			continue
		}
		if a.id == uuid.Nil {
			a.id = database.NewID()
		}
		if a.wrong = b.of.plan.preset(valueOf(&a.row)); a.wrong == nil {
			a.wrong = b.alsoWrong(b.of.Decode(ctx, withoutNull(change.Values), &a.row, true), change.Values)
		}
		if !a.again {
			a.err = a.wrong
		}
	}

	return nil
}

// alsoWrong adds to a refusal of values what else their types say of them: whoever mends a row hears of all of it at once.
func (b *batch[R]) alsoWrong(err error, object []byte) error {
	refusal, ok := errors.AsType[*errs.Error](err)
	if !ok || refusal.Kind != errs.Invalid {
		return err
	}
	for _, f := range b.fields {
		raw := rawjson.Member(object, f.Key)
		if _, said := refusal.Fields[f.Key]; said || raw == nil {
			continue
		}
		if _, err := f.Check(raw); err != nil {
			refusal = refusal.WithField(f.Key, "The "+spoken(f.Key)+" "+err.Error())
		}
	}

	return refusal
}

// withoutNull is an object without what is null: a new row has no value to take away.
func withoutNull(object []byte) []byte {
	kept := []byte{'{'}
	for name, value := range rawjson.Members(object) {
		if rawjson.OrNothing(value) == nil {
			continue
		}
		if len(kept) > 1 {
			kept = append(kept, ',')
		}
		kept = append(append(append(append(kept, '"'), name...), '"', ':'), value...)
	}

	return append(kept, '}')
}

// aimByID finds the rows of changes that have an id.
func (b *batch[R]) aimByID(ctx context.Context) error {
	var ids []uuid.UUID
	for _, change := range b.changes {
		if change.By == "" && change.Row != uuid.Nil {
			ids = append(ids, change.Row)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	tx, err := b.of.visible(ctx, b.of.engine.db.Dynamic(ctx))
	if err != nil {
		return err
	}
	found, err := database.All[R](tx.Where("id IN ?", ids))
	if err != nil {
		return err
	}
	deleted := make(map[uuid.UUID]bool, len(found))
	for _, row := range found {
		deleted[metaOf(&row).ID] = metaOf(&row).DeletedAt != nil
	}
	seen := map[uuid.UUID]bool{}
	for i, change := range b.changes {
		if change.By != "" || change.Row == uuid.Nil {
			continue
		}
		gone, there := deleted[change.Row]
		b.aims[i] = aim[R]{id: change.Row, there: there, again: seen[change.Row]}
		if seen[change.Row] = true; gone {
			b.aims[i].err = b.of.gone
		}
	}

	return nil
}

// aimBy finds the rows of changes that are named by the value of a field.
func (b *batch[R]) aimBy(ctx context.Context, f *field) error {
	last := len(f.columns) - 1
	keys, values := map[int]string{}, []any{}
	for i, change := range b.changes {
		if change.By != f.key {
			continue
		}
		var given R
		raw := rawjson.OrNothing(rawjson.Member(change.Values, f.key))
		if raw != nil && json.Unmarshal(raw, f.of(valueOf(&given)).Addr().Interface()) != nil {
			continue // Decode says so
		}
		if f.normalise(valueOf(&given)); f.empty(valueOf(&given)) {
			b.aims[i].err = b.of.invalid.WithField(f.key, "The "+spoken(f.key)+" is required: it says which row is meant.")

			continue
		}
		stored := f.stored(valueOf(&given))[last]
		keys[i], values = fmt.Sprint(stored), append(values, stored)
	}
	if len(keys) == 0 {
		return nil
	}
	tx, err := b.of.visible(ctx, b.of.engine.db.Dynamic(ctx))
	if err != nil {
		return err
	}
	found, err := database.All[R](tx.Where(f.columns[last]+" IN ? AND deleted_at IS NULL", values))
	if err != nil {
		return err
	}
	ids, seen := map[string]uuid.UUID{}, map[string]bool{}
	for _, row := range found {
		ids[fmt.Sprint(f.stored(valueOf(&row))[last])] = metaOf(&row).ID
	}
	for i := range b.changes {
		key, named := keys[i]
		if !named {
			continue
		}
		id, there := ids[key]
		if !there {
			id = database.NewID()
			ids[key] = id
		}
		b.aims[i] = aim[R]{id: id, there: there && !seen[key], again: seen[key]}
		seen[key] = true
	}

	return nil
}
