package custommodules

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// ownFields are the fields that companies add to resources.
type ownFields struct{ *service }

func (s *service) ownFields() resource.OwnFields { return ownFields{s} }

// Of implements resource.OwnFields.
func (o ownFields) Of(ctx context.Context, itemType string) (resource.Own, error) {
	return o.at(ctx, itemType, o.definitions.present)
}

// Hold implements resource.OwnFields.
func (o ownFields) Hold(ctx context.Context, itemType string) (resource.Own, error) {
	return o.at(ctx, itemType, func(ctx context.Context, module uuid.UUID) (*definition, error) {
		if err := o.repo.hold(ctx, module); err != nil {
			return nil, err
		}

		return o.definitions.present(ctx, module)
	})
}

// at returns the fields of the items of a type by a definition of their module, nil for none.
func (o ownFields) at(
	ctx context.Context, itemType string, get func(context.Context, uuid.UUID) (*definition, error),
) (resource.Own, error) {
	module, has, err := o.own.of(ctx, itemType, o.clock.Now())
	if err != nil || !has {
		return nil, err
	}
	d, err := get(ctx, module)
	if errors.Is(err, errModuleNotFound) || (err == nil && len(d.fields) == 0) {
		return nil, nil //nolint:nilnil // there is none
	}
	if err != nil {
		return nil, err
	}

	return ownSet{service: o.service, d: d}, nil
}

// Purge implements resource.OwnFields.
func (o ownFields) Purge(ctx context.Context, _ string, rows []database.Place) error {
	keys := make([]recordKey, len(rows))
	for i, row := range rows {
		keys[i] = recordKey(row)
	}

	return o.repo.dropRecords(ctx, keys)
}

// ownSet are the own fields of the items of a type, at one revision.
type ownSet struct {
	*service

	d *definition
	// ahead are the records of rows that were read together, until one is written; nil of a row that has none.
	ahead map[uuid.UUID]*recordRow
}

// Ahead implements resource.Own.
func (o ownSet) Ahead(ctx context.Context, rows []uuid.UUID) (resource.Own, error) {
	found, err := o.repo.heldAll(ctx, o.d.module, rows)
	o.ahead = make(map[uuid.UUID]*recordRow, len(rows))
	for _, id := range rows {
		o.ahead[id] = nil
	}
	for i := range found {
		o.ahead[found[i].ID] = &found[i]
	}

	return o, err
}

// Fields implements resource.Own.
func (o ownSet) Fields(ctx context.Context) ([]collection.Field, []string) {
	shown := o.d.seenBy(ctx).collection()

	return shown.Fields, shown.Hidden
}

// Items implements resource.Own.
func (o ownSet) Items() []item.Field {
	var all []item.Field
	for _, f := range o.d.fields {
		if !f.unseen() {
			all = append(all, item.Field{Key: f.key, Label: f.label, Kind: f.typ.ItemKind(), Sensitive: f.sensitive})
		}
	}

	return all
}

// Documents implements resource.Own.
func (o ownSet) Documents(ctx context.Context, rows []uuid.UUID) (map[uuid.UUID][]byte, error) {
	all, unread := make(map[uuid.UUID][]byte, len(rows)), []uuid.UUID(nil)
	for _, id := range rows {
		if row, read := o.ahead[id]; !read {
			unread = append(unread, id)
		} else if row != nil {
			all[id] = row.Data
		}
	}
	if unread == nil {
		return all, nil
	}
	found, err := o.repo.documents(ctx, o.d.module, unread)
	for _, row := range found {
		all[row.ID] = row.Data
	}

	return all, err
}

// Shown implements resource.Own.
func (o ownSet) Shown(document []byte, sensitive bool) []byte {
	d := o.d
	switch {
	case !sensitive && d.open != nil:
		d = d.open
	case d.public != nil:
		d = d.public
	}

	return d.appendPayload(nil, orEmpty(document))
}

// SeesSensitive implements resource.Own.
func (ownSet) SeesSensitive(ctx context.Context) bool { return seesSensitive(ctx) }

// Sorted implements resource.Own.
func (o ownSet) Sorted(document []byte, key string) any {
	if f := o.d.field(key); f != nil {
		if text, ok := f.comparand(document); ok {
			return text
		}
	}

	return nil
}

// Changes implements resource.Own.
func (o ownSet) Changes(ctx context.Context, before, after []byte) []resource.OwnChange {
	seen := o.d.seenBy(ctx)
	was, _ := seen.modern(orEmpty(before))
	is, _ := seen.modern(orEmpty(after))
	var all []resource.OwnChange
	for _, c := range seen.diff(was, is) {
		all = append(all, resource.OwnChange{
			Key: c.field.key, Before: json.RawMessage(c.before), After: json.RawMessage(c.after), Settable: !c.field.readOnly && !c.field.computes(),
		})
	}

	return all
}

// orEmpty is a document, an empty one for none.
func orEmpty(document []byte) []byte {
	if document == nil {
		return []byte("{}")
	}

	return document
}

// Listed implements resource.Own.
func (o ownSet) Listed(ctx context.Context, table string) []list.Field {
	var all []list.Field
	seen := o.d.seenBy(ctx)
	for _, f := range seen.fields {
		if f.typ.Filter != "" {
			all = append(all, seen.besideItems(f, table))
		}
		for _, facet := range f.facets() {
			all = append(all, seen.besideItems(facet, table))
		}
	}

	return all
}
