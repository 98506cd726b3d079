package resource

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Revert implements collection.Collection. What became of the rows since is read for all of them at once.
func (c rows[R]) Revert(ctx context.Context, source string, written []collection.Written) ([]error, error) {
	if err := c.MayWrite(ctx); err != nil {
		return nil, err
	}
	ids, all := make([]uuid.UUID, len(written)), make([]int, len(written))
	for i, w := range written {
		ids[i], all[i] = w.Row, i
	}
	since, err := c.of.since(ctx, source, ids)
	if err != nil {
		return nil, err
	}
	was, err := c.of.asFound(ctx, written)
	if err != nil {
		return nil, err
	}
	if ctx, err = c.of.withOwn(ctx); err != nil {
		return nil, err
	}
	results := make([]error, len(written))
	err = eachAlone(history.WithSource(ctx, source), c.of.engine.db, all, func(ctx context.Context, some []int) (int, error) {
		for n, i := range some {
			if w := written[i]; since[w.Row] > w.After {
				return n, c.of.changedSince
			}
			err := c.of.takeBack(ctx, written[i], was)
			if errors.Is(err, c.of.notFound) {
				err = c.of.goneSince
			}
			if err != nil {
				return n, err
			}
		}

		return 0, nil
	}, func(_ context.Context, i int, err error) { results[i] = err })

	return results, err
}

// takeBack deletes a row that was made, or gives another one the values that a write found.
func (r *Resource[R]) takeBack(ctx context.Context, w collection.Written, before map[rowVersion]R) error {
	switch {
	case w.Before == 0 && r.owns(Delete):
		return errOwnWrites
	case w.Before == 0:
		return r.Delete(ctx, w.Row, web.IfMatch{})
	}
	was, kept := before[rowVersion{w.Row, w.Before}]
	if !kept {
		return history.ErrVersionNotFound
	}
	_, err := r.Change(ctx, w.Row, web.IfMatch{}, Update, func(ctx context.Context, row *R) error {
		own, err := r.ownPatch(ctx, row, &was, nil)
		if err != nil {
			return err
		}
		metaOf(row).Custom = rawjson.Object(own)
		for _, f := range r.plan.fields {
			if f.writable() {
				f.of(valueOf(row)).Set(f.of(valueOf(&was)))
			}
		}

		return nil
	})

	return err
}

// since returns of some rows the latest version that came otherwise than from a source.
func (r *Resource[R]) since(ctx context.Context, source string, ids []uuid.UUID) (map[uuid.UUID]int64, error) {
	var latest []struct {
		ItemID  uuid.UUID
		Version int64
	}
	err := r.engine.db.Dynamic(ctx).Model(&versionRow{}).Select("item_id, max(version) AS version").
		Where("item_type = ? AND item_id IN ? AND source <> ?", r.Item, ids, source).Group("item_id").Find(&latest).Error
	all := make(map[uuid.UUID]int64, len(latest))
	for _, row := range latest {
		all[row.ItemID] = row.Version
	}

	return all, database.Translate(err)
}

// rowVersion is a row at a version.
type rowVersion struct {
	id      uuid.UUID
	version int64
}

// asFound returns the rows that writes changed, as they were before.
func (r *Resource[R]) asFound(ctx context.Context, written []collection.Written) (map[rowVersion]R, error) {
	asked := map[rowVersion]bool{}
	var ids []uuid.UUID
	var next []int64
	for _, w := range written {
		if w.Before > 0 {
			asked[rowVersion{w.Row, w.Before}], ids, next = true, append(ids, w.Row), append(next, w.Before+1)
		}
	}
	if ids == nil {
		return nil, nil //nolint:nilnil // there is none
	}
	rows, err := database.All[versionRow](r.engine.db.Dynamic(ctx).Where("item_type = ? AND item_id IN ? AND version IN ?", r.Item, ids, next))
	if err != nil {
		return nil, err
	}
	all := make(map[rowVersion]R, len(asked))
	for _, row := range rows {
		at := rowVersion{row.ItemID, row.Version - 1}
		if !asked[at] {
			continue
		}
		if all[at], err = rowIn[R](&r.plan, row.Document); err != nil {
			return nil, fmt.Errorf("version %d of %s %s: %w", at.version, r.Item, at.id, err)
		}
	}

	return all, nil
}
