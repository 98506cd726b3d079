package resource

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/bulk"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
)

// batch is items that are done as if each were alone, by few statements: the rows that they are about are read and held
// together, and new ones are inserted together where no hook of the area looks at them before they are stored.
type batch[R any] struct {
	of     *Resource[R]
	fields []collection.Field
	items  []bulk.Item
	aims   []aim[R]

	outcomes []collection.Outcome

	// held are rows as they are until an item changes them, fresh new ones that have yet to be inserted.
	held  map[uuid.UUID]R
	fresh []R
}

// batch does items in the transaction in ctx. They are done together, and by themselves where that fails.
func (r *Resource[R]) batch(ctx context.Context, items []bulk.Item) (*batch[R], error) {
	ctx, err := r.withOwn(ctx)
	if err != nil {
		return nil, err
	}
	seen, err := r.collectedFor(ctx)
	if err != nil {
		return nil, err
	}
	b := &batch[R]{of: r, fields: seen.fields, items: items, outcomes: make([]collection.Outcome, len(items))}
	if err := b.aim(ctx); err != nil {
		return nil, err
	}
	var good []int
	for i := range b.aims {
		if b.outcomes[i].Err = b.aims[i].err; b.aims[i].err == nil {
			good = append(good, i)
		}
	}

	return b, eachAlone(ctx, r.engine.db, good, b.together, func(ctx context.Context, i int, err error) {
		b.outcomes[i] = collection.Outcome{Err: b.explained(ctx, i, err)}
	})
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
// before the first that fails, that one, and the ones behind it. do says which of them has failed, by its place among them.
// refused is told what could not be done, and why.
func eachAlone(
	ctx context.Context, db *database.DB, all []int, do func(ctx context.Context, some []int) (failed int, err error),
	refused func(ctx context.Context, i int, err error),
) error {
	for len(all) > 0 {
		failed := len(all) / 2 // where it is only known when all are sent
		err := db.Savepoint(ctx, func(ctx context.Context) error {
			at, err := do(ctx, all)
			if err != nil {
				failed = at
			}

			return err
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

// together does some items.
func (b *batch[R]) together(ctx context.Context, some []int) (failed int, err error) {
	b.fresh = nil
	if err := b.hold(ctx, some); err != nil {
		return 0, err
	}
	for n, i := range some {
		if err := b.write(ctx, i); err != nil {
			return n, err
		}
	}

	return len(some) / 2, b.insert(ctx)
}

// hold reads the rows that items are about, and keeps others from them.
func (b *batch[R]) hold(ctx context.Context, some []int) error {
	b.held = nil
	var ids []uuid.UUID
	for _, i := range some {
		if b.aims[i].there {
			ids = append(ids, b.aims[i].id)
		}
	}
	if len(ids) < 2 {
		return nil // a change holds its row itself
	}
	found, err := b.of.heldRows(ctx, ids)
	if err != nil || len(b.of.before) > 0 { // the hooks of one row may change another
		return err
	}
	b.held = make(map[uuid.UUID]R, len(found))
	for _, row := range found {
		b.held[metaOf(&row).ID] = row
	}

	return nil
}

// write does an item, but for the insertion of a new row that goes with others.
func (b *batch[R]) write(ctx context.Context, i int) error {
	item, aim, w := b.items[i], &b.aims[i], &b.outcomes[i].Written
	b.outcomes[i] = collection.Outcome{}
	if aim.again != nil {
		if err := b.insert(ctx); err != nil {
			return err
		}
		if err := aim.again(ctx); err != nil {
			return err
		}
	}
	if !aim.there {
		if aim.wrong != nil {
			return aim.wrong
		}
		w.Row, w.After = aim.id, 1

		return b.create(ctx, aim)
	}
	if err := b.insert(ctx); err != nil {
		return err
	}
	w.Row = aim.id
	after, err := b.change(ctx, i, &w.Before)
	if err != nil {
		return err
	}
	if aim.row, w.After = after, metaOf(&after).Version; w.After == w.Before {
		w.After = 0
	}
	if item.Do == bulk.Delete {
		b.held = nil // what referred to it was cleared
	}

	return nil
}

// create makes a row of the values of an item.
func (b *batch[R]) create(ctx context.Context, aim *aim[R]) error {
	aim.row = aim.made
	b.of.plan.detach(valueOf(&aim.row))
	if len(b.of.before) > 0 {
		row, err := b.of.createAs(ctx, aim.id, aim.row)
		aim.row = row

		return err
	}
	if b.of.mayNameOwn(aim.row) { // maybe one that has yet to be inserted
		if err := b.insert(ctx); err != nil {
			return err
		}
	}
	if err := b.of.begin(ctx, aim.id, &aim.row); err != nil {
		return err
	}
	b.fresh = append(b.fresh, aim.row)

	return nil
}

// mayNameOwn reports whether a row refers to what may be a row of the same resource.
func (r *rulesOf[R]) mayNameOwn(row R) bool {
	return slices.ContainsFunc(r.plan.references(), func(f *field) bool {
		return (f.item == r.Item || f.anyItem) && !f.empty(valueOf(&row))
	})
}

// insert stores the new rows that have yet to be.
func (b *batch[R]) insert(ctx context.Context) error {
	rows := b.fresh
	b.fresh = nil
	if len(rows) == 0 {
		return nil
	}

	return b.of.store(ctx, rows, func(err error) error {
		if errors.Is(err, database.ErrDuplicate) {
			return b.of.taken
		}

		return err
	})
}

// change does an item with a row that is there, and says which version it had.
func (b *batch[R]) change(ctx context.Context, i int, before *int64) (R, error) {
	item, id := b.items[i], b.aims[i].id
	verb, do := Delete, b.of.markDeleted
	if item.Do != bulk.Delete {
		verb, do = Update, func(ctx context.Context, row *R) error {
			patch, err := b.of.withoutFixed(*row, item.Payload)
			if err == nil {
				err = b.alsoWrong(b.of.Decode(ctx, patch, row, false), patch)
			}
			b.aims[i].row = *row

			return err
		}
	}
	noting := func(ctx context.Context, row *R) error {
		*before = metaOf(row).Version

		return do(ctx, row)
	}
	row, held := b.held[id]
	if !held {
		return b.of.Change(ctx, id, exactly(item.Version), verb, noting)
	}
	delete(b.held, id)

	return b.of.changeHeld(ctx, row, exactly(item.Version), verb, noting)
}
