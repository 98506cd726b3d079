package resource

import (
	"context"
	"maps"
	"reflect"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
)

// mentions are what the values of several rows refer to, each maybe several times.
type mentions struct {
	users []uuid.UUID
	// items are those of fields that name items of one type, any those of fields that name items of all types.
	items, any []item.Ref
}

// add enters what a field of a row refers to.
func (m *mentions) add(f *columns.Field, row reflect.Value) {
	switch named := f.Plain(row).(type) {
	case item.Ref:
		m.any = append(m.any, named)
	case uuid.UUID:
		if f.User {
			m.users = append(m.users, named)
		} else if f.Item != "" {
			m.items = append(m.items, item.Ref{Type: f.Item, UUID: named})
		}
	}
}

// mentioned is of mentions what is there: users, items that are kept from being deleted until the transaction ends, and the
// classes of others.
type mentioned struct {
	users map[uuid.UUID]identity.NamedUser
	// items are those that are there, with the ids that they have now: of a merged row, that of the one that it was merged into.
	items   map[item.Ref]uuid.UUID
	classes map[item.Ref]item.Class
}

type mentionedKey struct{}

// withMentions returns a context in which checkReferences knows of mentions that are there: a statement for the users, and one for
// the items of each type. It is for the transaction in ctx.
func (e *Engine) withMentions(ctx context.Context, all mentions) (context.Context, error) {
	known := mentioned{items: map[item.Ref]uuid.UUID{}, classes: map[item.Ref]item.Class{}}
	var err error
	if known.users, err = e.users.UserNames(ctx, uniqueIDs(all.users)); err != nil {
		return ctx, err
	}
	for typ, ids := range byType(all.items) {
		there, err := e.keepFromDeletion(ctx, typ, ids)
		if err != nil {
			return ctx, err
		}
		for id, now := range there {
			known.items[item.Ref{Type: typ, UUID: id}] = now
		}
	}
	for typ, ids := range byType(all.any) {
		if target, ok := e.resources[typ]; ok && target.merges() {
			there, err := e.keepFromDeletion(ctx, typ, ids)
			if err != nil {
				return ctx, err
			}
			for id, now := range there {
				known.items[item.Ref{Type: typ, UUID: id}] = now
			}
		}
		refs := make([]item.Ref, len(ids))
		for i, id := range ids {
			refs[i] = item.Ref{Type: typ, UUID: id}
		}
		classes, err := e.items.Classes(ctx, refs...)
		if err != nil && errs.KindOf(err) != errs.Invalid { // the rows say that the type is unknown
			return ctx, err
		}
		maps.Copy(known.classes, classes)
	}

	return context.WithValue(ctx, mentionedKey{}, known), nil
}

// mentionedIn is what know found, nothing without it.
func mentionedIn(ctx context.Context) mentioned {
	known, _ := ctx.Value(mentionedKey{}).(mentioned)

	return known
}

// forget has items asked for anew which are deleted.
func (m mentioned) forget(typ string, ids []uuid.UUID) {
	for _, id := range ids {
		delete(m.items, item.Ref{Type: typ, UUID: id})
		delete(m.classes, item.Ref{Type: typ, UUID: id})
	}
}

// forgetAll has all items of a type asked for anew.
func (m mentioned) forgetAll(typ string) {
	maps.DeleteFunc(m.items, func(ref item.Ref, _ uuid.UUID) bool { return ref.Type == typ })
	maps.DeleteFunc(m.classes, func(ref item.Ref, _ item.Class) bool { return ref.Type == typ })
}

// exists reports whether there is a user or an item, and keeps an item of a resource until the transaction ends. It returns the id that it has now: of an item
// that was merged into another one, that of the other one.
func (e *Engine) exists(ctx context.Context, f *columns.Field, id uuid.UUID) (now uuid.UUID, there bool, err error) {
	if f.User {
		if _, there := mentionedIn(ctx).users[id]; there {
			return id, true, nil
		}
		names, err := e.users.UserNames(ctx, []uuid.UUID{id})

		return id, len(names) > 0, err
	}

	return e.standing(ctx, item.Ref{Type: f.Item, UUID: id})
}

// standing is exists for an item.
func (e *Engine) standing(ctx context.Context, ref item.Ref) (now uuid.UUID, there bool, err error) {
	if now, there := mentionedIn(ctx).items[ref]; there {
		return now, true, nil
	}
	all, err := e.keepFromDeletion(ctx, ref.Type, []uuid.UUID{ref.UUID})
	now, there = all[ref.UUID]

	return now, there, err
}

// keepFromDeletion returns which items of a type there are, and keeps those of a resource from being deleted until the transaction
// ends, with the ids that they have now. Of a type of an area that is off, or that the company does not use, there are none.
func (e *Engine) keepFromDeletion(ctx context.Context, typ string, ids []uuid.UUID) (map[uuid.UUID]uuid.UUID, error) {
	if target, ok := e.resources[typ]; ok {
		uses, err := e.uses(ctx, target.info().Area)
		if err != nil || !uses {
			return nil, err
		}

		return target.lockPresent(ctx, ids)
	}
	there, refs := make(map[uuid.UUID]uuid.UUID, len(ids)), make([]item.Ref, len(ids))
	for i, id := range ids {
		there[id], refs[i] = id, item.Ref{Type: typ, UUID: id}
	}
	missing, err := e.items.Exists(ctx, refs...)
	if errs.KindOf(err) == errs.Invalid {
		return nil, nil //nolint:nilnil // there is none
	}
	for _, ref := range missing {
		delete(there, ref.UUID)
	}

	return there, err
}

// byType are the ids of items by their types, each once.
func byType(refs []item.Ref) map[string][]uuid.UUID {
	all := map[string][]uuid.UUID{}
	for _, ref := range refs {
		all[ref.Type] = append(all[ref.Type], ref.UUID)
	}
	for typ, ids := range all {
		all[typ] = uniqueIDs(ids)
	}

	return all
}

// uniqueIDs are ids without those that are there twice, in their order.
func uniqueIDs(ids []uuid.UUID) []uuid.UUID {
	ids = slices.Clone(ids)
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })

	return slices.Compact(ids)
}
