package ownfields

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// ownFields are the fields that companies add to resources.
type ownFields struct{ service *Service }

// OwnFields returns the own fields of all resources.
func (s *Service) OwnFields() resource.OwnFields { return ownFields{s} }

// Of implements resource.OwnFields.
func (o ownFields) Of(ctx context.Context, itemType string) (resource.Own, error) {
	return o.at(ctx, itemType, o.service.definitions.Current)
}

// Hold implements resource.OwnFields.
func (o ownFields) Hold(ctx context.Context, itemType string) (resource.Own, error) {
	return o.at(ctx, itemType, func(ctx context.Context, module uuid.UUID) (*definition.Definition, error) {
		if err := o.service.repo.Hold(ctx, module); err != nil {
			return nil, err
		}

		return o.service.definitions.Current(ctx, module)
	})
}

// at returns the fields of the items of a type by a definition of their module, nil for none.
func (o ownFields) at(
	ctx context.Context, itemType string, get func(context.Context, uuid.UUID) (*definition.Definition, error),
) (resource.Own, error) {
	module, has, err := o.service.own.moduleOf(ctx, itemType, o.service.clock.Now())
	if err != nil || !has {
		return nil, err
	}
	d, err := get(ctx, module)
	if errors.Is(err, definition.ErrModuleNotFound) || (err == nil && len(d.Fields) == 0) {
		return nil, nil //nolint:nilnil // there is none
	}
	if err != nil {
		return nil, err
	}

	return ownSet{service: o.service, d: d}, nil
}

// Purge implements resource.OwnFields.
func (o ownFields) Purge(ctx context.Context, _ string, rows []database.Place) error {
	keys := make([]store.RecordKey, len(rows))
	for i, row := range rows {
		keys[i] = store.RecordKey(row)
	}

	return o.service.repo.DropRecords(ctx, keys)
}

// ownSet are the own fields of the items of a type, at one revision.
type ownSet struct {
	service *Service

	d *definition.Definition
	// ahead are the records of rows that were read together, until one is written; nil of a row that has none.
	ahead map[uuid.UUID]*definition.RecordRow
}

// Prefetch implements resource.Own.
func (o ownSet) Prefetch(ctx context.Context, rows []uuid.UUID) (resource.Own, error) {
	found, err := o.service.repo.HeldAll(ctx, o.d.Module, rows)
	o.ahead = make(map[uuid.UUID]*definition.RecordRow, len(rows))
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
	shown := o.d.SeenBy(ctx).Collection()

	return shown.Fields, shown.Hidden
}

// Items implements resource.Own.
func (o ownSet) Items() []item.Field {
	var all []item.Field
	for _, f := range o.d.Fields {
		if !f.IsInternal() {
			all = append(all, item.Field{Key: f.Key, Label: f.Label, Kind: f.Typ.ItemKind(), Sensitive: f.Sensitive})
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
	found, err := o.service.repo.Documents(ctx, o.d.Module, unread)
	for _, row := range found {
		all[row.ID] = row.Data
	}

	return all, err
}

// Shown implements resource.Own.
func (o ownSet) Shown(document []byte, sensitive bool) []byte {
	d := o.d
	switch {
	case !sensitive && d.Open != nil:
		d = d.Open
	case d.Public != nil:
		d = d.Public
	}

	return d.AppendPayload(nil, orEmpty(document))
}

// SeesSensitive implements resource.Own.
func (ownSet) SeesSensitive(ctx context.Context) bool { return definition.SeesSensitive(ctx) }

// Sorted implements resource.Own.
func (o ownSet) Sorted(document []byte, key string) any {
	if f := o.d.Field(key); f != nil {
		if text, ok := f.Comparand(document); ok {
			return text
		}
	}

	return nil
}

// Changes implements resource.Own.
func (o ownSet) Changes(ctx context.Context, before, after []byte) []resource.OwnChange {
	seen := o.d.SeenBy(ctx)
	was, _ := seen.Modern(orEmpty(before))
	is, _ := seen.Modern(orEmpty(after))
	var all []resource.OwnChange
	for _, c := range seen.Diff(was, is) {
		all = append(all, resource.OwnChange{
			Key: c.Field.Key, Before: json.RawMessage(c.Before), After: json.RawMessage(c.After), Settable: !c.Field.ReadOnly && !c.Field.Computes(),
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
	seen := o.d.SeenBy(ctx)
	for _, f := range seen.Fields {
		if f.Typ.Filter != "" {
			all = append(all, seen.BesideItems(f, table))
		}
		for _, facet := range f.Facets() {
			all = append(all, seen.BesideItems(facet, table))
		}
	}

	return all
}
