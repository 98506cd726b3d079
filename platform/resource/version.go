package resource

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
	"github.com/dispatchd/dispatchd/platform/resource/versions"
)

// keepVersions stores rows as they were before a change, in the message that stores the change.
func (r *table) keepVersions(ctx context.Context, all []revision) error {
	kept := make([]versions.Row, len(all))
	for i, c := range all {
		document, err := r.plan.Image(columns.ValueOf(c.before), columns.WriteOf(columns.MetaOf(c.after)))
		if err != nil {
			return fmt.Errorf("version %d of %s %s: %w", columns.MetaOf(c.before).Version, r.Item, columns.MetaOf(c.before).ID, err)
		}
		m := columns.MetaOf(c.after)
		kept[i] = versions.Row{
			ItemType: r.Item, ItemID: m.ID, Document: document,
			Stamp: history.StampOf(history.WithSource(ctx, c.source), m.Version, c.verb.past(), m.UpdatedAt),
		}
	}

	return r.engine.versions.Keep(ctx, kept)
}

// versionAt returns a row that is not deleted as it was at a version. Fields that the row did not have then, or whose
// values are none by now, are empty. Errors: <area>.<noun>_not_found, history.ErrVersionNotFound.
func (r *table) versionAt(ctx context.Context, id uuid.UUID, version int64) (any, error) {
	row, err := r.find(ctx, id)
	if err != nil || columns.MetaOf(row).Version == version {
		return row, err
	}

	return r.earlier(ctx, row, version)
}

// earlier returns a row as it was at a version before the present one.
func (r *table) earlier(ctx context.Context, now any, version int64) (was any, err error) {
	made, err := r.engine.versions.Find(ctx, item.Ref{Type: r.Item, UUID: columns.MetaOf(now).ID}, version+1)
	if err != nil {
		return was, err
	}
	if made == nil {
		return was, history.ErrVersionNotFound.WithDetail("current_version", columns.MetaOf(now).Version)
	}

	return columns.ReadImage(&r.plan, made.Document)
}

// afterEach returns the row as it was after each of some changes, by version.
func (r *table) afterEach(ctx context.Context, now any, changes []versions.Row) (map[int64]any, error) {
	next := make([]int64, len(changes))
	for i, c := range changes {
		next[i] = c.Version + 1
	}
	rows, err := r.engine.versions.Of(ctx, item.Ref{Type: r.Item, UUID: columns.MetaOf(now).ID}, next)
	if err != nil {
		return nil, err
	}
	after := map[int64]any{columns.MetaOf(now).Version: now}
	for _, row := range rows {
		if after[row.Version-1], err = columns.ReadImage(&r.plan, row.Document); err != nil {
			return nil, fmt.Errorf("version %d of %s %s: %w", row.Version-1, r.Item, row.ItemID, err)
		}
	}

	return after, nil
}

// Forget removes the earlier versions of a row, whose values nobody may have any more. It joins the caller's transaction.
func (e *Engine) Forget(ctx context.Context, row item.Ref) error { return e.versions.Forget(ctx, row) }
