package resource

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
	"github.com/dispatchd/dispatchd/platform/resource/versions"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Versions implements history.Versioned.
func (c rows) Versions(ctx context.Context, row uuid.UUID, deleted bool, q list.Query) (list.Page[history.Version], error) {
	none := list.Page[history.Version]{}
	ctx, err := c.of.lookUpOwn(ctx)
	if err != nil {
		return none, err
	}
	now, err := c.of.findEither(ctx, row, deleted)
	if err != nil {
		return none, err
	}
	page, err := c.of.engine.versions.List(ctx, c.of.plan.Table, item.Ref{Type: c.of.Item, UUID: row}, Create.past(), q)
	if err != nil {
		return none, err
	}
	after, err := c.of.afterEach(ctx, now, page.Data)
	if err != nil {
		return none, err
	}
	shown := list.Convert(page, func(made versions.Row) history.Version {
		v := history.Version{}
		if err == nil {
			v, err = c.of.version(ctx, made, after[made.Version])
		}

		return v
	})

	return shown, err
}

// findEither returns a row that is deleted, or one that is not.
func (r *table) findEither(ctx context.Context, id uuid.UUID, deleted bool) (any, error) {
	if !deleted {
		return r.find(ctx, id)
	}
	tx, err := r.visible(ctx, r.engine.db.Conn(ctx))
	if err != nil {
		return nil, err
	}

	return r.one(tx, "id = ? AND deleted_at IS NOT NULL", id)
}

// version is what a change changed, as who is calling sees it; after is the row after it.
func (r *table) version(ctx context.Context, made versions.Row, after any) (v history.Version, err error) {
	v = history.Version{Stamp: made.Stamp, Changes: map[string]history.ValueChange{}}
	before := r.plan.New()
	after = r.plan.Clone(after)
	if made.Version > 1 {
		if before, err = columns.ReadImage(&r.plan, made.Document); err != nil {
			return v, fmt.Errorf("version %d of %s: %w", made.Version, r.Item, err)
		}
	}
	if err := r.conceal(ctx, before, after); err != nil {
		return v, err
	}
	for _, f := range r.plan.Changed(columns.ValueOf(before), columns.ValueOf(after)) {
		was, err := f.JSON(columns.ValueOf(before))
		if made.Version == 1 {
			was, err = nil, nil
		}
		if err != nil {
			return v, err
		}
		is, err := f.JSON(columns.ValueOf(after))
		if err != nil {
			return v, err
		}
		v.Add(f.Key, was, is)
	}

	return v, r.ownVersion(ctx, &v, before, after)
}

// conceal takes out of earlier versions of rows what who is calling does not see: sensitive fields, and items that are
// hidden.
func (r *table) conceal(ctx context.Context, rows ...any) error {
	for _, f := range r.plan.Fields {
		if !f.AnyItem {
			continue
		}
		hidden, err := r.engine.items.Hidden(ctx)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if about, ok := reflect.TypeAssert[columns.Item](f.Of(columns.ValueOf(row))); ok && slices.Contains(hidden, about.Part) {
				f.Of(columns.ValueOf(row)).SetZero()
			}
		}
	}

	return r.show(ctx, nil, rows...)
}

// At implements history.Versioned.
func (c rows) At(ctx context.Context, row uuid.UUID, version int64) (history.Snapshot, error) {
	was, err := c.of.versionAt(ctx, row, version)

	return c.of.snapshot(ctx, was, err)
}

// snapshot is a row as answers show it.
func (r *table) snapshot(ctx context.Context, row any, err error) (history.Snapshot, error) {
	if err == nil {
		err = r.conceal(ctx, row)
	}
	if err != nil {
		return history.Snapshot{}, err
	}
	version, path := r.versionAndPath(row)
	raw, err := json.Marshal(row)

	return history.Snapshot{Version: version, Path: path, JSON: raw}, err
}

// GoBack implements history.Versioned. Fields that callers may not change must be the same, or are not among those that
// are named.
func (c rows) GoBack(ctx context.Context, row uuid.UUID, to history.Revert, match web.IfMatch) (history.Snapshot, error) {
	if c.of.owns(Update) {
		return history.Snapshot{}, errOwnWrites
	}
	was, err := c.of.versionAt(ctx, row, to.Version)
	if err != nil {
		return history.Snapshot{}, err
	}
	now, err := c.of.change(ctx, row, match, Update, func(ctx context.Context, now any) error {
		return c.of.goBack(ctx, now, was, to.Fields)
	})

	return c.of.snapshot(ctx, now, err)
}

// goBack gives a row the values of an earlier version, by the merge patch that a caller would send.
func (r *table) goBack(ctx context.Context, now any, was any, keys []string) error {
	if r.revert != nil {
		if err := r.revert(now, was); err != nil {
			return err
		}
	}
	added, err := r.collectOwn(ctx, collected{})
	if err != nil {
		return err
	}
	refusal := r.invalid
	for i, key := range keys {
		settable := slices.ContainsFunc(added.fields, func(f collection.Field) bool { return f.Key == key && f.Settable })
		if f := r.plan.ByKey[key]; !settable && (f == nil || f.ReadOnly) {
			refusal = refusal.WithField("fields."+strconv.Itoa(i), naming.Subject(key)+" cannot be changed.")
		}
	}
	patch, sees, shown := map[string]json.RawMessage{}, r.sees(ctx), r.plan.Clone(was)
	r.plan.Mask(columns.ValueOf(shown), sees)
	for _, f := range r.plan.Changed(columns.ValueOf(now), columns.ValueOf(was)) {
		switch {
		case f.ReadOnly || len(keys) > 0 && !slices.Contains(keys, f.Key):
		case !f.SeenBy(sees):
			refusal = refusal.WithField(f.Key, "The "+columns.Spaced(f.Key)+" is another one by now, and takes the scope "+f.Scope+".")
		default:
			raw, err := f.JSON(columns.ValueOf(shown))
			if err != nil {
				return err
			}
			patch[f.Key] = raw // nil is null
		}
	}
	if len(refusal.Fields) > 0 {
		return refusal
	}
	own, err := r.ownPatch(ctx, now, was, keys)
	if err != nil {
		return err
	}
	if own != nil {
		patch[columns.OwnKey] = own
	}
	if len(patch) == 0 {
		return nil
	}
	body, err := json.Marshal(patch)
	if err != nil {
		return err
	}

	return r.decode(ctx, body, now, false)
}
