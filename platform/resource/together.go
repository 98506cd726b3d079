package resource

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
	"github.com/dispatchd/dispatchd/platform/web"
)

// together creates, changes and deletes rows in a transaction by few statements, however many they are. What it is given
// waits until flush, where hooks decide about all of it: new rows are stored first, then those that were changed, then those
// that were deleted. What could be in none of the orders in which rows wait and are given fails, so whoever has an error does
// less together, and at last each row by itself.
//
// Where a hook of the area may look at other rows (Before), nothing waits.
type together struct {
	of *table
	// held are rows as they are, until they are changed here.
	held map[uuid.UUID]any
	// own has the values of held rows in the fields that the company has added, nil if it has not.
	own     Own
	waiting []revision
	// waits are the ids of rows that are new, or are to be deleted.
	waits map[uuid.UUID]bool
	// place is which row is given; with an error of flush, it is that of the row that the error is about, if one is known.
	place int
}

func (r *table) together() *together {
	return &together{of: r, waits: map[uuid.UUID]bool{}}
}

// lockRows reads rows that are to be changed, and keeps others from them until the transaction ends.
func (t *together) lockRows(ctx context.Context, ids []uuid.UUID) error {
	if t.held, t.own = nil, nil; len(ids) < 2 {
		return nil // a change holds its row itself
	}
	found, err := t.of.heldRows(ctx, ids)
	if err != nil || len(t.of.before) > 0 {
		return err
	}
	t.held = make(map[uuid.UUID]any, len(found))
	for _, row := range found {
		t.held[columns.MetaOf(row).ID] = row
	}
	if own := t.of.ownIn(ctx); own != nil {
		t.own, err = own.Prefetch(ctx, ids)
	}

	return err
}

// create makes of the values in row a new one, which has its number when it is stored.
func (t *together) create(ctx context.Context, id uuid.UUID, row any) error {
	if err := t.flushReferenced(ctx, row); err != nil {
		return err
	}
	if err := t.of.begin(ctx, id, row); err != nil {
		return err
	}

	return t.wait(ctx, revision{verb: Create, after: row})
}

// change lets do change a row, and puts into row what becomes of it. It returns the version that the row had; when all is
// stored, that is the version still of one that stayed unchanged.
func (t *together) change(
	ctx context.Context, id uuid.UUID, match web.IfMatch, verb Verb, do func(ctx context.Context, row any) error, row any,
) (before int64, err error) {
	was, held := t.held[id]
	if !held {
		if err := t.flush(ctx); err != nil {
			return 0, err
		}
		if was, err = t.of.lockRow(ctx, id, false); err != nil {
			return 0, err
		}
	}
	before = columns.MetaOf(was).Version
	made := revision{verb: verb, before: was, after: row}
	if delete(t.held, id); held {
		made.own = t.own
		ctx = made.withOwn(ctx, t.of.Item)
	}
	if err := t.of.revise(ctx, made, match, func(ctx context.Context, row any) error {
		if err := do(ctx, row); err != nil {
			return err
		}

		return t.flushReferenced(ctx, row)
	}); err != nil {
		return before, err
	}

	return before, t.wait(ctx, made)
}

// remove deletes a row. It returns the version that the row had.
func (t *together) remove(ctx context.Context, id uuid.UUID, match web.IfMatch, row any) (before int64, err error) {
	return t.change(ctx, id, match, Delete, func(_ context.Context, row any) error {
		columns.MetaOf(row).DeletedAt = new(t.of.engine.clock.Now())

		return nil
	}, row)
}

// flushReferenced stores what waits, if a row that is about to be stored refers to some of it.
func (t *together) flushReferenced(ctx context.Context, row any) error {
	if len(t.waits) > 0 && slices.ContainsFunc(t.of.plan.References(), func(f *columns.Field) bool {
		switch named := f.Plain(columns.ValueOf(row)).(type) {
		case uuid.UUID:
			return t.waits[named]
		case item.Ref:
			return t.waits[named.UUID]
		default:
			return false
		}
	}) {
		return t.flush(ctx)
	}

	return nil
}

// wait has a change wait for others.
func (t *together) wait(ctx context.Context, made revision) error {
	made.source, made.place = history.SourceOf(ctx), t.place
	t.waiting = append(t.waiting, made)
	if made.verb == Create || made.verb == Delete {
		t.waits[columns.MetaOf(made.after).ID] = true
	}
	if len(t.of.before) > 0 {
		return t.flush(ctx)
	}

	return nil
}

// flush stores what waits.
func (t *together) flush(ctx context.Context) error {
	waiting := t.waiting
	t.waiting, t.waits = nil, map[uuid.UUID]bool{}
	left, failed, err := t.of.decided(ctx, waiting)
	if err != nil {
		if failed >= 0 {
			t.place = failed
		}

		return err
	}
	var fresh []any
	var changed, deleted []revision
	for _, made := range left {
		switch made.verb {
		case Create:
			fresh = append(fresh, made.after)
		case Delete:
			deleted = append(deleted, made)
		default:
			changed = append(changed, made)
		}
	}
	if err := t.insert(ctx, fresh); err != nil {
		return err
	}
	if err := t.of.storeChanged(ctx, changed, t.duplicateError); err != nil {
		return err
	}

	return t.removeAll(ctx, deleted)
}

// removeAll stores rows that were deleted, and takes them out of what refers to them.
func (t *together) removeAll(ctx context.Context, deleted []revision) error {
	if len(deleted) == 0 {
		return nil
	}
	ids := make([]uuid.UUID, len(deleted))
	for i, d := range deleted {
		ids[i] = columns.MetaOf(d.after).ID
	}
	touched, err := t.of.engine.release(ctx, t.of.Item, ids, t.of.inUse)
	if err != nil {
		return err
	}
	if touched { // maybe rows that are held
		t.held = nil
	}

	return t.of.storeChanged(ctx, deleted, t.duplicateError)
}

// insert stores new rows with their numbers.
func (t *together) insert(ctx context.Context, fresh []any) error {
	if len(fresh) == 0 {
		return nil
	}
	if err := t.of.number(ctx, fresh...); err != nil {
		return err
	}

	return t.of.store(ctx, fresh, t.duplicateError)
}

// duplicateError is what callers are told of rows of which one has what another one has.
func (t *together) duplicateError(err error) error {
	if errors.Is(err, database.ErrDuplicate) {
		return t.of.taken
	}

	return err
}
