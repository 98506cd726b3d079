package resource

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
	"github.com/dispatchd/dispatchd/platform/web"
)

// undo is writes of rows that are taken back.
type undo struct {
	of      *table
	written []collection.Written
	results []error
	// own says that the company has added fields, whose values only versions have.
	own bool

	// now are the rows as they are, since the latest versions that others made of them, was rows at some versions.
	now   map[uuid.UUID]any
	since map[uuid.UUID]int64
	was   map[rowVersion]any
}

// rowVersion is a row at a version.
type rowVersion struct {
	id      uuid.UUID
	version int64
}

// Revert implements collection.Collection. Rows are taken back together, as they were written.
func (c rows) Revert(ctx context.Context, source string, written []collection.Written) ([]error, error) {
	if err := c.MayWrite(ctx); err != nil {
		return nil, err
	}
	ctx, err := c.of.withOwn(history.WithSource(ctx, source))
	if err != nil {
		return nil, err
	}
	u := &undo{of: c.of, written: written, results: make([]error, len(written)), own: c.of.ownIn(ctx) != nil}
	if err := u.read(ctx); err != nil {
		return nil, err
	}
	var good []int
	for i, w := range written {
		if u.results[i] = u.checkUndo(w); u.results[i] == nil {
			good = append(good, i)
		}
	}
	if ctx, err = u.known(ctx); err != nil {
		return nil, err
	}

	return u.results, eachAlone(ctx, c.of.engine.db, good, u.doTogether, func(_ context.Context, i int, err error) { u.results[i] = err })
}

// read reads what became of the rows, and keeps others from them until the transaction ends.
func (u *undo) read(ctx context.Context) (err error) {
	ids := make([]uuid.UUID, len(u.written))
	for i, w := range u.written {
		ids[i] = w.Row
	}
	rows, err := u.of.heldRows(ctx, ids)
	if err != nil {
		return err
	}
	u.now = make(map[uuid.UUID]any, len(rows))
	for _, row := range rows {
		u.now[columns.MetaOf(row).ID] = row
	}
	if u.since, err = u.of.engine.versions.LatestSince(ctx, history.SourceOf(ctx), u.of.Item, ids); err != nil {
		return err
	}
	asked := map[rowVersion]bool{}
	for _, w := range u.written {
		asked[rowVersion{w.Row, w.Before}] = w.Before > 0
		if u.since[w.Row] > w.After {
			asked[rowVersion{w.Row, w.After}] = true
		}
	}
	maps.DeleteFunc(asked, func(_ rowVersion, is bool) bool { return !is })
	u.was, err = u.of.earlierOf(ctx, asked)

	return err
}

// checkUndo says why a row stays unchanged, nil if it does not. One that others have changed, and changed back, does not.
func (u *undo) checkUndo(w collection.Written) error {
	now, there := u.now[w.Row]
	if !there {
		return u.of.goneSince
	}
	if u.since[w.Row] <= w.After {
		return nil
	}
	if made, known := u.was[rowVersion{w.Row, w.After}]; known && !u.own && len(u.of.plan.Changed(columns.ValueOf(made), columns.ValueOf(now))) == 0 {
		return nil
	}

	return u.of.changedSince
}

// known finds what the values refer to that come back.
func (u *undo) known(ctx context.Context) (context.Context, error) {
	var all mentions
	for _, row := range u.was {
		for _, f := range u.of.plan.Fields {
			if f.Mentions() {
				all.add(f, columns.ValueOf(row))
			}
		}
	}

	return u.of.engine.withMentions(ctx, all)
}

// doTogether takes some writes back.
func (u *undo) doTogether(ctx context.Context, some []int) (failed int, err error) {
	ids := make([]uuid.UUID, len(some))
	for n, i := range some {
		ids[n] = u.written[i].Row
	}
	rows := u.of.together()
	if err := rows.lockRows(ctx, ids); err != nil {
		return 0, err
	}
	for n, i := range some {
		rows.place = n
		err := u.takeBack(ctx, rows, u.written[i])
		if errors.Is(err, u.of.notFound) {
			err = u.of.goneSince
		}
		if err != nil {
			return rows.place, err
		}
	}
	rows.place = len(some) / 2 // where nobody knows better
	err = rows.flush(ctx)

	return rows.place, err
}

// takeBack deletes a row that was made, or gives another one the values that a write found.
func (u *undo) takeBack(ctx context.Context, rows *together, w collection.Written) error {
	switch {
	case w.Before == 0 && u.of.owns(Delete):
		return errOwnWrites
	case w.Before == 0:
		_, err := rows.remove(ctx, w.Row, web.IfMatch{}, u.of.plan.New())

		return err
	}
	was, known := u.was[rowVersion{w.Row, w.Before}]
	if !known {
		return history.ErrVersionNotFound
	}
	_, err := rows.change(ctx, w.Row, web.IfMatch{}, Update, func(ctx context.Context, row any) error {
		own, err := u.of.ownPatch(ctx, row, was, nil)
		if err != nil {
			return err
		}
		columns.MetaOf(row).Custom = rawjson.Object(own)
		for _, f := range u.of.plan.Fields {
			if f.Writable() {
				f.Of(columns.ValueOf(row)).Set(f.Of(columns.ValueOf(was)))
			}
		}

		return nil
	}, u.of.plan.New())

	return err
}

// earlierOf returns rows at versions before the present ones, as far as they are kept.
func (r *table) earlierOf(ctx context.Context, asked map[rowVersion]bool) (map[rowVersion]any, error) {
	if len(asked) == 0 {
		return nil, nil //nolint:nilnil // there is none
	}
	var ids []uuid.UUID
	var next []int64
	for at := range asked {
		ids, next = append(ids, at.id), append(next, at.version+1)
	}
	rows, err := r.engine.versions.Among(ctx, r.Item, ids, next)
	if err != nil {
		return nil, err
	}
	all := make(map[rowVersion]any, len(asked))
	for _, row := range rows {
		at := rowVersion{row.ItemID, row.Version - 1}
		if !asked[at] {
			continue
		}
		if all[at], err = columns.ReadImage(&r.plan, row.Document); err != nil {
			return nil, fmt.Errorf("version %d of %s %s: %w", at.version, r.Item, at.id, err)
		}
	}

	return all, nil
}
