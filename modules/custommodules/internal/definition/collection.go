package definition

import (
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/custommodulesapi"
	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// InfoOf is a module as a collection.
func InfoOf(module uuid.UUID, name string) collection.Info {
	return collection.Info{Name: collection.Name(module.String()), Area: custommodulesapi.Area, Title: name}
}

// Collection describes the records of a definition.
func (d *Definition) Collection() collection.Description {
	shown := collection.Description{
		Info: InfoOf(d.Module, d.Name), Noun: "module", Under: "payload", NameKey: "module_uuid", Part: d.Module.String(),
		Fields: make([]collection.Field, len(d.Fields)), Hidden: make([]string, len(d.hidden)),
		FreeKey: d.freeKey, Schema: func() map[string]any { return d.PayloadSchema(ForCreate) },
	}
	for i, f := range d.Fields {
		shown.Fields[i] = f.ofCollection()
		shown.Fields[i].Title = f == d.titledBy()
	}
	for i, id := range d.hidden {
		shown.Hidden[i] = id.String()
	}

	return shown
}

// freeKey reports whether a field can be added under a key.
func (d *Definition) freeKey(key string) bool {
	taken := func(f *ModuleField) bool { return f.Key == key }

	return CheckKey(key, len(key)) == "" && !slices.ContainsFunc(d.Fields, taken)
}

// folds reports whether values that differ in case are the same to unique.
func (f *ModuleField) folds() bool {
	text, is := f.Values.(*field.TextOptions)

	return is && text.Fold && f.Unique && !f.Checking
}

func (f *ModuleField) ofCollection() collection.Field {
	_, isUser := f.Values.(field.UserNamer)

	return collection.Field{
		User: isUser, Refers: f.refersTo(), Names: f.names(), Show: f.labelFunc(),
		ID: f.ID.String(), Key: f.Key, Label: f.Label, Type: f.Typ.Name, About: f.Typ.About,
		Required: f.required, Unique: f.Unique && !f.Checking, Settable: !f.ReadOnly && !f.Computes(), Sensitive: f.Sensitive,
		Folded: f.folds(),
		Same: func(raw []byte) string {
			if parsed, err := f.Values.Parse(raw); err == nil && !parsed.Empty() {
				return f.UniqueKey(parsed.Key)
			}

			return ""
		},
		Cell: f.Values.CSV, Append: rawjson.AppendCompact, Read: f.fromCell,
		Check: func(raw []byte) ([]byte, error) {
			if raw[0] == 'n' {
				return raw, nil
			}
			parsed, err := f.Values.Parse(raw)

			return parsed.JSON, err
		},
	}
}

// titledBy returns the field that is the title of records, nil for none: the one that is said, or the first text.
func (d *Definition) titledBy() *ModuleField {
	if d.titleField != nil {
		return d.titleField
	}
	i := slices.IndexFunc(d.Fields, func(f *ModuleField) bool { return f.Typ.Index == field.TextIndex })
	if i < 0 {
		return nil
	}

	return d.Fields[i]
}

// refersTo names the collection that values of references are of.
func (f *ModuleField) refersTo() collection.Name {
	if r, is := f.Values.(*Reference); is {
		return CollectionOf(r.Module)
	}

	return ""
}

// names returns how values name items, nil if they name none.
func (f *ModuleField) names() func([]byte) (item.Ref, bool) {
	switch f.Values.(type) {
	case *Reference:
		return func(raw []byte) (item.Ref, bool) {
			id, ok := field.OnlyUUID(raw, "record_uuid")

			return item.Ref{Type: RecordItem, UUID: id}, ok
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

// labelFunc returns how values are called by the labels of options, nil for those that have none.
func (f *ModuleField) labelFunc() func([]byte) string {
	offering, ok := f.Values.(field.Offering)
	if !ok {
		return nil
	}

	return func(raw []byte) string { return offering.Offers().Labels(f.Values.CSV(raw)) }
}

// fromCell reads a cell that is a value: an empty one is an empty text, or an empty list.
func (f *ModuleField) fromCell(cell string) ([]byte, error) {
	switch _, many := f.Values.(*field.MultiSelectOptions); {
	case cell != "":
		return f.Values.FromCSV(cell)
	case many:
		return []byte("[]"), nil
	default:
		return field.ValidCell(cell, rawjson.Quote(cell))
	}
}
