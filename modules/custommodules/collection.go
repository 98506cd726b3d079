package custommodules

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/custommodulesapi"
	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// moduleCollections are the modules of a company as collections.
type moduleCollections struct{ service *service }

func (s *service) collections() collection.Source { return moduleCollections{s} }

// List implements collection.Source.
func (m moduleCollections) List(ctx context.Context) ([]collection.Info, error) {
	rows, err := m.service.repo.allModules(ctx)
	if err != nil {
		return nil, err
	}
	var all []collection.Info
	for _, row := range rows {
		if row.Permissions.allow(ctx, mayRead) {
			all = append(all, infoOf(row.ID, row.Name))
		}
	}
	slices.SortStableFunc(all, func(a, b collection.Info) int { return strings.Compare(naming.Fold(a.Title), naming.Fold(b.Title)) })

	return all, nil
}

func infoOf(module uuid.UUID, name string) collection.Info {
	return collection.Info{Name: collection.Name(module.String()), Area: custommodulesapi.Area, Title: name}
}

// Open implements collection.Source.
func (m moduleCollections) Open(id uuid.UUID) collection.Collection {
	return recordCollection{service: m.service, module: id}
}

// recordCollection is the records of a module as a collection.
type recordCollection struct {
	service *service
	module  uuid.UUID
}

// Describe implements collection.Collection.
func (c recordCollection) Describe(ctx context.Context) (collection.Description, error) {
	var shown collection.Description
	err := c.service.definitions.use(ctx, c.module, func(ctx context.Context, d *definition) error {
		revision, err := c.service.repo.revision(ctx, c.module)
		if err == nil && revision != d.revision {
			err = errMovedOn
		}
		shown = d.collection()

		return err
	})

	return shown, err
}

// MayWrite implements collection.Collection.
func (c recordCollection) MayWrite(ctx context.Context) error {
	return c.service.definitions.follow(ctx, c.module, mayWrite, func(_ context.Context, d *definition) error {
		if d.archived {
			return errModuleArchived
		}

		return nil
	})
}

// Page implements collection.Collection.
func (c recordCollection) Page(ctx context.Context, view uuid.UUID, in *list.Input) (collection.Page, error) {
	found, err := c.service.findRecords(ctx, c.module, view, in)
	if err != nil {
		return collection.Page{}, err
	}
	page := collection.Page{Description: found.definition.collection(), Keys: found.query.Fields()}
	if found.Meta.NextCursor != nil {
		page.Next = *found.Meta.NextCursor
	}
	page.Rows = make([]collection.Row, len(found.Data))
	for i, row := range found.Data {
		page.Rows[i] = collection.Row{
			UUID: row.ID, Version: row.Version, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
			CreatedBy: row.CreatedBy, UpdatedBy: row.UpdatedBy,
			Values: found.definition.values(row.Data),
		}
	}

	return page, nil
}

// collection describes the records of a definition.
func (d *definition) collection() collection.Description {
	shown := collection.Description{
		Info: infoOf(d.module, d.name), Noun: "module", Under: "payload", NameKey: "module_uuid", Part: d.module.String(),
		Fields: make([]collection.Field, len(d.fields)), Hidden: make([]string, len(d.hidden)),
		FreeKey: d.freeKey, Schema: func() map[string]any { return d.payloadSchema(forCreate) },
	}
	for i, f := range d.fields {
		shown.Fields[i] = f.ofCollection()
		shown.Fields[i].Title = f == d.titledBy()
	}
	for i, id := range d.hidden {
		shown.Hidden[i] = id.String()
	}

	return shown
}

// freeKey reports whether a field can be added under a key.
func (d *definition) freeKey(key string) bool {
	taken := func(f *moduleField) bool { return f.key == key }

	return checkKey(key, len(key)) == "" && !slices.ContainsFunc(d.fields, taken)
}

// Holders implements collection.Finder.
func (c recordCollection) Holders(ctx context.Context, field string, same []string) (map[string]uuid.UUID, error) {
	id, err := uuid.Parse(field)
	if err != nil {
		return nil, err
	}
	values := make([]claimedValue, len(same))
	for i, one := range same {
		values[i] = claimedValue{id, one}
	}
	found, err := c.service.repo.holders(ctx, c.module, values)
	records := make(map[string]uuid.UUID, len(found))
	for of, record := range found {
		records[of.value] = record
	}

	return records, err
}

// folds reports whether values that differ in case are the same to unique.
func (f *moduleField) folds() bool {
	text, is := f.values.(*field.TextOptions)

	return is && text.Fold && f.unique && !f.checking
}

func (f *moduleField) ofCollection() collection.Field {
	_, isUser := f.values.(field.UserNamer)

	return collection.Field{
		User: isUser, Refers: f.refersTo(), Names: f.names(), Show: f.show(),
		ID: f.id.String(), Key: f.key, Label: f.label, Type: f.typ.Name, About: f.typ.About,
		Required: f.required, Unique: f.unique && !f.checking, Settable: !f.readOnly && !f.computes(), Sensitive: f.sensitive,
		Folded: f.folds(),
		Same: func(raw []byte) string {
			if parsed, err := f.values.Parse(raw); err == nil && !parsed.Empty() {
				return f.claimed(parsed.Key)
			}

			return ""
		},
		Cell: f.values.CSV, Append: rawjson.AppendCompact, Read: f.fromCell,
		Check: func(raw []byte) ([]byte, error) {
			if raw[0] == 'n' {
				return raw, nil
			}
			parsed, err := f.values.Parse(raw)

			return parsed.JSON, err
		},
	}
}

// titledBy returns the field that is the title of records, nil for none: the one that is said, or the first text.
func (d *definition) titledBy() *moduleField {
	if d.titleField != nil {
		return d.titleField
	}
	i := slices.IndexFunc(d.fields, func(f *moduleField) bool { return f.typ.Index == field.TextIndex })
	if i < 0 {
		return nil
	}

	return d.fields[i]
}

// refersTo names the collection that values of references are of.
func (f *moduleField) refersTo() collection.Name {
	if r, is := f.values.(*reference); is {
		return collectionOf(r.Module)
	}

	return ""
}

// names returns how values name items, nil if they name none.
func (f *moduleField) names() func([]byte) (item.Ref, bool) {
	switch f.values.(type) {
	case *reference:
		return func(raw []byte) (item.Ref, bool) {
			id, ok := field.OnlyUUID(raw, "record_uuid")

			return item.Ref{Type: recordItem, UUID: id}, ok
		}
	case *field.ItemOptions:
		return func(raw []byte) (item.Ref, bool) {
			ref, err := field.ParseItem(raw)

			return ref, err == nil
		}
	default:
		return nil
	}
}

// show returns how values are called by the labels of options, nil for those that have none.
func (f *moduleField) show() func([]byte) string {
	offering, ok := f.values.(field.Offering)
	if !ok {
		return nil
	}

	return func(raw []byte) string { return offering.Offers().Shown(f.values.CSV(raw)) }
}

// fromCell reads a cell that is a value: an empty one is an empty text, or an empty list.
func (f *moduleField) fromCell(cell string) ([]byte, error) {
	switch _, many := f.values.(*field.MultiSelectOptions); {
	case cell != "":
		return f.values.FromCSV(cell)
	case many:
		return []byte("[]"), nil
	default:
		return field.ValidCell(cell, rawjson.Quote(cell))
	}
}
