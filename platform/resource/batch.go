package resource

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/bulk"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
)

// batch is items that are done as if each were alone, by few statements.
type batch struct {
	of     *table
	fields []collection.Field
	items  []bulk.Item
	aims   []target

	outcomes []collection.Outcome

	// rows are those that are being written.
	rows *together
}

// batch does items in the transaction in ctx. They are done together, and by themselves where that fails.
func (r *table) batch(ctx context.Context, items []bulk.Item) (*batch, error) {
	ctx, err := r.withOwn(ctx)
	if err != nil {
		return nil, err
	}
	seen, err := r.collectedFor(ctx)
	if err != nil {
		return nil, err
	}
	b := &batch{of: r, fields: seen.fields, items: items, outcomes: make([]collection.Outcome, len(items))}
	if err := b.findTargets(ctx); err != nil {
		return nil, err
	}
	var good []int
	for i := range b.aims {
		if b.outcomes[i].Err = b.aims[i].err; b.aims[i].err == nil {
			good = append(good, i)
		}
	}

	ctx, err = b.known(ctx)
	if err != nil {
		return nil, err
	}
	for range mostLost {
		err := eachAlone(ctx, r.engine.db, good, b.doTogether, func(ctx context.Context, i int, err error) {
			b.outcomes[i] = collection.Outcome{Err: b.explained(ctx, i, err)}
		})
		if err != nil {
			return nil, err
		}
		if good, err = b.lostUpserts(ctx); err != nil || len(good) == 0 {
			return b, err
		}
	}

	return b, nil
}

// mostLost is how often an upsert is tried whose row somebody else makes, or deletes, at the same time.
const mostLost = 3

// explained says of a row that was refused who has its values: maybe a row of the same transaction.
func (b *batch) explained(ctx context.Context, i int, err error) error {
	if !errors.Is(err, b.of.taken) {
		return err
	}
	row := b.of.plan.Clone(b.aims[i].row)
	for _, f := range b.of.plan.Fields {
		f.Normalise(columns.ValueOf(row))
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

// doTogether does some items.
func (b *batch) doTogether(ctx context.Context, some []int) (failed int, err error) {
	var ids []uuid.UUID
	for _, i := range some {
		if b.aims[i].there {
			ids = append(ids, b.aims[i].id)
		}
	}
	b.rows = b.of.together()
	if err := b.rows.lockRows(ctx, ids); err != nil {
		return 0, err
	}
	for n, i := range some {
		b.rows.place = n
		if err := b.write(ctx, i); err != nil {
			return b.rows.place, err
		}
	}
	b.rows.place = len(some) / 2 // where nobody knows better
	if err := b.rows.flush(ctx); err != nil {
		return b.rows.place, err
	}
	for _, i := range some {
		w := &b.outcomes[i].Written
		if w.After = columns.MetaOf(b.aims[i].row).Version; w.After == w.Before {
			w.After = 0
		}
	}

	return 0, nil
}

// write does an item, but for what waits to be stored with others.
func (b *batch) write(ctx context.Context, i int) (err error) {
	aim, w := &b.aims[i], &b.outcomes[i].Written
	b.outcomes[i] = collection.Outcome{}
	if aim.again != nil {
		if err := b.rows.flush(ctx); err != nil {
			return err
		}
		if err := aim.again(ctx); err != nil {
			return err
		}
	}
	if w.Row = aim.id; !aim.there {
		if aim.wrong != nil {
			return aim.wrong
		}
		aim.row = b.of.plan.Clone(aim.made)
		b.of.plan.Detach(columns.ValueOf(aim.row))

		return b.rows.create(ctx, aim.id, aim.row)
	}
	w.Before, err = b.change(ctx, i)

	return err
}

// change does an item with a row that is there, and returns which version it had.
func (b *batch) change(ctx context.Context, i int) (before int64, err error) {
	item, aim := b.items[i], &b.aims[i]
	if item.Do == bulk.Delete {
		return b.rows.remove(ctx, aim.id, ifMatchVersion(item.Version), aim.row)
	}

	return b.rows.change(ctx, aim.id, ifMatchVersion(item.Version), Update, func(ctx context.Context, row any) error {
		patch, err := b.of.withoutFixed(row, item.Payload)
		if err != nil {
			return err
		}

		return b.alsoWrong(b.of.decode(ctx, patch, row, false), patch)
	}, aim.row)
}

// known finds what the values of items refer to.
func (b *batch) known(ctx context.Context) (context.Context, error) {
	var all mentions
	for _, item := range b.items {
		for _, f := range b.of.plan.Fields {
			raw := rawjson.OrNothing(rawjson.Member(item.Payload, f.Key))
			if !f.Mentions() || raw == nil {
				continue
			}
			given := b.of.plan.New()
			if json.Unmarshal(raw, f.Of(columns.ValueOf(given)).Addr().Interface()) == nil { // Decode says so
				all.add(f, columns.ValueOf(given))
			}
		}
	}

	return b.of.engine.withMentions(ctx, all)
}

// lostUpserts are the upserts that found no row and were refused for one that is there by now: they are to change it.
func (b *batch) lostUpserts(ctx context.Context) ([]int, error) {
	var again []int
	for i, item := range b.items {
		a := &b.aims[i]
		if item.Do != bulk.Upsert || a.there || !errors.Is(b.outcomes[i].Err, b.of.taken) {
			continue
		}
		f := b.of.plan.ByKey[item.By]
		value := f.Stored(columns.ValueOf(a.row))[len(f.Columns)-1]
		now, err := b.of.holders(ctx, f, []any{value})
		if err != nil {
			return nil, err
		}
		if id, there := now[fmt.Sprint(value)]; there {
			a.id, a.there, a.again = id, true, nil
			again = append(again, i)
		}
	}

	return again, nil
}
