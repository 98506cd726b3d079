package custommodules

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"
	"gorm.io/gorm"

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
		if f.arrival == nil {
			all = append(all, item.Field{Key: f.key, Label: f.label, Kind: f.typ.ItemKind(), Sensitive: f.sensitive})
		}
	}

	return all
}

// Documents implements resource.Own.
func (o ownSet) Documents(ctx context.Context, rows []uuid.UUID) (map[uuid.UUID][]byte, error) {
	found, err := o.repo.documents(ctx, o.d.module, rows)
	all := make(map[uuid.UUID][]byte, len(found))
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

// besideItems is a field as lists of the items filter and sort by it. Its values are in a table of their own, from which
// nothing but the id of the item and the value is joined: its other columns have the names of theirs.
func (d *definition) besideItems(f *moduleField, table string) list.Field {
	alias := "own" + f.number + "_" + f.typ.Inside
	from, of, where := "custom_modules_records", "id", "module_id = ? AND deleted_at IS NULL"
	id := d.module
	value := f.expression(d.dialect)
	if f.beside() != nil {
		from, of, where, id = "custom_modules_index", "record_id", "field_id = ?", f.id
		value = kindColumn(f.slot.kind())
	}
	made := f.listField(d.dialect)
	made.Expr = alias + ".own_value"
	made.SumParts = f.sumParts(d.dialect, made.Expr)
	made.Beside = &list.Beside{ID: alias + ".own_id", Join: func(tx *gorm.DB, how string) *gorm.DB {
		company := companyOf(tx.Statement.Context)

		return database.Unchecked(tx, whyIndex).
			Joins(how+" (SELECT "+of+" AS own_id, "+value+" AS own_value FROM "+from+" WHERE company_id = ? AND "+where+") AS "+alias+
				" ON "+alias+".own_id = "+table+".id", company, id).
			Where(table+".company_id = ?", company)
	}}

	return made
}

// documents returns what is kept of those of some records of a module that there are, deleted or not.
func (r *repository) documents(ctx context.Context, module uuid.UUID, ids []uuid.UUID) ([]recordRow, error) {
	var rows []recordRow
	err := r.db.Dynamic(ctx).Select("id", "data").Where("module_id = ? AND id IN ?", module, ids).Find(&rows).Error

	return rows, database.Translate(err)
}
