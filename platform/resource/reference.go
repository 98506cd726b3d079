package resource

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
	"github.com/dispatchd/dispatchd/platform/web"
)

// checkReferences refuses a row that comes to name a user or an item that there is not. A reference to an item that was merged becomes one to the item that it
// was merged into.
func (r *table) checkReferences(ctx context.Context, c change) error {
	refusal, before, after := r.invalid, columns.ValueOf(r.orNone(c.Before)), columns.ValueOf(c.After)
	for _, f := range r.plan.Fields {
		if f.AnyItem && !f.Empty(after) && !f.ReadOnly && c.Verb != Restore && !f.Same(before, after) {
			var err error
			named := f.Of(after).Addr().Interface().(*columns.Item) //nolint:forcetypeassert // readType
			if refusal, err = r.engine.classify(ctx, f.Key, named, follows(c.Verb), refusal); err != nil {
				return err
			}
		}
		id, named := f.Plain(after).(uuid.UUID)
		if !named || f.ReadOnly || (f.Item == "" && !f.User) || (c.Verb != Restore && f.Same(before, after)) {
			continue
		}
		now, there, err := r.engine.exists(ctx, f, id)
		switch {
		case err != nil:
			return err
		case there && now != id && follows(c.Verb):
			if f.Item == r.Item && now == columns.MetaOf(c.After).ID {
				refusal = refusal.WithField(f.Key, fmt.Sprintf("The %s was merged into the %s itself.", columns.Spaced(f.Key), r.engine.titleOfType(f.Item)))

				continue
			}
			f.Refer(after, now)
		case !there && c.Verb == Restore && f.OnDelete == columns.Clear:
			f.Of(after).SetZero()
		case !there && f.User:
			refusal = refusal.WithField(f.Key, naming.Subject(f.Key)+" does not belong to any user of the company.")
		case !there:
			refusal = refusal.WithField(f.Key, fmt.Sprintf("%s does not belong to any %s.", naming.Subject(f.Key), r.engine.titleOfType(f.Item)))
		}
	}
	if len(refusal.Fields) > 0 {
		return refusal
	}

	return nil
}

// follows reports whether a change follows merges. Those that move references say themselves where to.
func follows(verb Verb) bool { return !slices.Contains([]Verb{Move, "merge", "unmerge"}, verb) }

// expand embeds in rows the items that they refer to: a statement or two for each type of items.
func (r *table) expand(ctx context.Context, asked func(name string) bool, rows []any) error {
	if err := columns.EmbedDetails(ctx, &r.plan, r.engine.details, r.sees(ctx), asked, rows); err != nil {
		return err
	}
	if err := r.embedLinks(ctx, asked, rows); err != nil {
		return err
	}
	for _, f := range r.plan.References() {
		if asked == nil || !asked(f.ExpandName()) {
			continue
		}
		var refs []item.Ref
		for _, row := range rows {
			if ref, named := f.Ref(columns.ValueOf(row)); named {
				refs = append(refs, ref)
			}
		}
		embedded, err := r.engine.expanded(ctx, refs)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if ref, named := f.Ref(columns.ValueOf(row)); named {
				columns.EmbedItem(row, f.ExpandName(), embedded[ref])
			}
		}
	}

	return nil
}

// expanded are items as expand= embeds them.
func (e *Engine) expanded(ctx context.Context, refs []item.Ref) (map[item.Ref]columns.Expanded, error) {
	titles, err := e.items.Titles(ctx, refs)
	if err != nil {
		return nil, err
	}
	all, byType := make(map[item.Ref]columns.Expanded, len(refs)), map[string][]item.Ref{}
	for _, t := range titles {
		if _, twice := all[t.Ref]; twice {
			continue
		}
		all[t.Ref] = columns.Expanded{Type: t.Type, UUID: t.UUID, Exists: t.Exists, Title: t.Title}
		byType[t.Type] = append(byType[t.Type], t.Ref)
	}
	for _, some := range byType {
		values, err := e.items.Values(ctx, some)
		if kind := errs.KindOf(err); err != nil && (kind == errs.Forbidden || kind == errs.Invalid) {
			continue // the caller may not read them, or they have no fields
		}
		if err != nil {
			return nil, err
		}
		for i, ref := range some {
			shown := all[ref]
			shown.Values = values[i]
			maps.DeleteFunc(shown.Values, func(key string, _ json.RawMessage) bool { return strings.HasPrefix(key, ownPrefix) })
			all[ref] = shown
		}
	}

	return all, nil
}

// mostCleared bounds how many references one deletion clears.
const mostCleared = 500

// release clears what refers to items that are to be deleted, or refuses that; see releasing.
func (e *Engine) release(ctx context.Context, typ string, ids []uuid.UUID, inUse *errs.Error) (touched bool, err error) {
	mentionedIn(ctx).forget(typ, ids)
	for _, from := range e.referrers[typ] {
		changed, err := from(ctx, ids, inUse)
		if err != nil {
			return touched, err
		}
		touched = touched || changed
	}

	return touched, nil
}

// releaseBy is releasing for the rows of a resource that refer to the items by a field.
func (r *table) releaseBy(f *columns.Field) releasing {
	release := r.clearReferring
	if f.OnDelete == columns.Remove {
		release = r.removeReferring
	}

	return func(ctx context.Context, ids []uuid.UUID, inUse *errs.Error) (touched bool, err error) {
		return release(ctx, f, ids, inUse)
	}
}

// clearReferring takes references to items out of rows, or refuses to.
func (r *table) clearReferring(ctx context.Context, f *columns.Field, ids []uuid.UUID, inUse *errs.Error) (touched bool, err error) {
	rows, err := r.all(database.WithID(r.engine.db.Conn(ctx), f.Column, ids).
		Where("deleted_at IS NULL").Order("id").Limit(mostCleared + 1))
	if err != nil || len(rows) == 0 {
		return false, err
	}
	if len(rows) > mostCleared {
		return false, r.usedBy(rows, ids, inUse)
	}
	place := make(map[uuid.UUID]int, len(ids))
	for i, id := range ids {
		place[id] = i
	}
	left := rows[:0]
	for _, row := range rows {
		id, _ := f.Plain(columns.ValueOf(row)).(uuid.UUID)
		switch at, goes := place[columns.MetaOf(row).ID]; {
		case !goes:
			left = append(left, row)
		case at > place[id]:
			return false, inUse // it would be changed before it is deleted
		}
	}
	switch {
	case len(left) == 0:
		return false, nil
	case f.OnDelete == columns.Restrict:
		return false, r.usedBy(left, ids, inUse)
	default:
		return true, r.clear(ctx, f, left)
	}
}

// usedBy says that an item is in use by rows. Of several items, each has to be asked about by itself.
func (r *table) usedBy(rows []any, ids []uuid.UUID, inUse *errs.Error) error {
	if len(ids) > 1 {
		return inUse
	}

	return inUse.WithMessage("It is in use by %s, such as %s. Change what refers to it first.", r.counted(len(rows)), r.titleOf(rows[0])).
		WithDetail("type", r.Item).WithDetail("uuid", columns.MetaOf(rows[0]).ID)
}

// clear takes a reference out of rows.
func (r *table) clear(ctx context.Context, f *columns.Field, rows []any) error {
	all, ids := r.together(), make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = columns.MetaOf(row).ID
	}
	if err := all.lockRows(ctx, ids); err != nil {
		return err
	}
	for i, was := range rows {
		from := fmt.Sprintf("cascade:%s", f.Plain(columns.ValueOf(was)))
		if _, err := all.change(history.WithSource(ctx, from), ids[i], web.IfMatch{}, Update, func(_ context.Context, row any) error {
			f.Of(columns.ValueOf(row)).SetZero()

			return nil
		}, r.plan.New()); err != nil {
			return err
		}
	}

	return all.flush(ctx)
}

// removeReferring removes rows for good that refer to items by a field.
func (r *table) removeReferring(ctx context.Context, f *columns.Field, ids []uuid.UUID, inUse *errs.Error) (bool, error) {
	if f.Item == r.Item && len(ids) > 1 {
		return false, inUse // one may be removed with another one
	}

	return true, r.removeAmong(ctx, f.Column, ids)
}

// removeAmong removes the rows for good that have one of some ids in a column, with all that is kept of them.
func (r *table) removeAmong(ctx context.Context, column string, ids []uuid.UUID) error {
	where, value := r.engine.db.Dialect().AmongIDs(column, ids)
	company, rows := principal.CompanyOf(ctx), r.plan.Table+" WHERE company_id = ? AND "+where
	if err := r.engine.index.RemoveAll(ctx, r.Item, "SELECT id FROM "+rows, company, value); err != nil {
		return err
	}
	versions := "DELETE FROM resource_versions WHERE company_id = ? AND item_type = ? AND item_id IN (SELECT id FROM " + rows + ")"
	if err := r.engine.db.Pipeline(ctx, whyOwn, versions, []any{company, r.Item, company, value}, nil); err != nil {
		return err
	}
	mentionedIn(ctx).forgetAll(r.Item)

	return r.engine.db.Pipeline(ctx, whyOwn, "DELETE FROM "+rows, []any{company, value}, nil)
}

// counted is a number of rows as people read it.
func (r *table) counted(n int) string {
	switch {
	case n == 1:
		return naming.A(columns.Spaced(r.noun))
	case n > mostCleared:
		return "more than " + strconv.Itoa(mostCleared) + " " + columns.Spaced(r.Plural)
	default:
		return strconv.Itoa(n) + " " + columns.Spaced(r.Plural)
	}
}
