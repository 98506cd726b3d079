package columns

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// The types of fields by which a collection calls those that no value of platform/field stands for.
const (
	longText      = "long_text"
	jsonType      = "json"
	userType      = "user"
	itemType      = "item"
	selectType    = "select"
	referenceType = "reference"
	uuidType      = "uuid"
)

// mostText and mostJSON are how large a text, in characters, and JSON, in bytes, can be that a body does not bound.
const (
	mostText = 100_000
	mostJSON = 256 << 10
)

// CollectionField is the field for collections; t is its type in the struct.
func (f *Field) CollectionField(t reflect.Type) collection.Field {
	typ, values := f.FieldType(t)
	elements := f.elements(t)

	return collection.Field{
		List: elements != nil, Elements: elements, Called: parted(f.called), Presets: parted(f.presets), Gather: f.gather,
		ID: f.Key, Key: f.Key, Label: f.Label, Type: typ.Name, About: f.about(typ),
		Required: f.Required, Unique: f.Unique || f.Number != "", Settable: f.Writable(), Sensitive: f.Guard != "", Folded: f.folded,
		User: f.User, Refers: collection.Name(f.Item), Title: f.title, Names: f.names(), Show: labelFunc(values),
		Cell: values.CSV, Append: rawjson.AppendCompact,
		Read: func(cell string) ([]byte, error) {
			if cell == "" {
				return field.ValidCell(cell, rawjson.Quote(cell))
			}

			return values.FromCSV(cell)
		},
		Check: func(raw []byte) ([]byte, error) {
			if raw[0] == 'n' {
				return raw, nil
			}
			parsed, err := values.Parse(raw)

			return parsed.JSON, err
		},
		Same: func(raw []byte) string {
			parsed, err := values.Parse(raw)
			if err != nil || parsed.Empty() {
				return ""
			}
			if f.folded {
				return database.FoldText(fmt.Sprint(parsed.Key))
			}

			return fmt.Sprint(parsed.Key)
		},
	}
}

// names returns how values name items, nil for a field whose values name none.
func (f *Field) names() func([]byte) (item.Ref, bool) {
	switch {
	case f.AnyItem:
		return func(raw []byte) (item.Ref, bool) {
			ref, err := field.ParseItem(raw)

			return ref, err == nil
		}
	case f.Item != "":
		return func(raw []byte) (item.Ref, bool) {
			id, err := field.ParseUUID(rawjson.Text(raw))

			return item.Ref{Type: f.Item, UUID: id}, err == nil
		}
	default:
		return nil
	}
}

// labelFunc returns how values are called by the labels of options, nil for those that have none.
func labelFunc(values field.Values) func([]byte) string {
	offering, ok := values.(field.Offering)
	if !ok {
		return nil
	}

	return func(raw []byte) string { return offering.Offers().Labels(values.CSV(raw)) }
}

// about says what the values are: in the words of the struct, if it has any.
func (f *Field) about(typ field.Type) string {
	if f.Schema().Description != "" {
		return f.Schema().Description
	}

	return typ.About
}

// FieldType is the field type of the values, with the options that the tags say.
func (f *Field) FieldType(t reflect.Type) (field.Type, field.Values) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if words := f.choices(); words != nil {
		return typeNamed(selectType), &field.SelectOptions{Options: words}
	}
	switch {
	case f.AnyItem:
		return plainType(typeNamed(itemType))
	case f.Item != "":
		return field.Type{Name: referenceType, About: "The UUID of " + WithArticle(Spaced(nounOf(f.Item))) + "."}, &idValues{noun: Spaced(nounOf(f.Item))}
	case f.User:
		return plainType(typeNamed(userType))
	case t == reflect.TypeFor[uuid.UUID]():
		return field.Type{Name: uuidType, About: "A UUID."}, &idValues{}
	}
	if typed, ok := reflect.TypeAssert[field.Typed](reflect.Zero(t)); ok {
		return plainType(typed.FieldType())
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		return plainType(field.DatetimeType())
	case f.Schema().Type == huma.TypeString:
		return f.textType()
	case f.Schema().Type == huma.TypeInteger:
		return field.IntegerType(), &field.IntegerOptions{Min: wholeBound(f.Schema().Minimum), Max: wholeBound(f.Schema().Maximum)}
	case f.Schema().Type == huma.TypeBoolean:
		return plainType(field.BooleanType())
	default:
		return typeNamed(jsonType), &field.JSONOptions{MaxBytes: mostJSON}
	}
}

// nounOf is what items of a type are called in their area.
func nounOf(item string) string {
	_, noun, _ := strings.Cut(item, ".")

	return noun
}

// textType is the type of a text: a long one does not fit into the index of a short one.
func (f *Field) textType() (field.Type, field.Values) {
	rules := field.TextRules{MaxLength: mostText, Trim: f.Writable() && !f.verbatim, Pattern: f.Schema().Pattern}
	if f.Schema().MinLength != nil {
		rules.MinLength = *f.Schema().MinLength
	}
	if f.Schema().MaxLength != nil {
		rules.MaxLength = *f.Schema().MaxLength
	}
	var typ field.Type
	var values field.Values
	if rules.MaxLength <= field.MaxIndexedText {
		typ, values = field.TextType(), &field.TextOptions{TextRules: rules}
	} else {
		typ = typeNamed(longText)
		values = typ.New()
		if long, ok := values.(*field.LongTextOptions); ok {
			long.TextRules = rules
		}
	}
	if values.Check() != nil { // the body has a pattern that fields do not take; it is for the body to refuse
		return field.TextType(), &field.TextOptions{TextRules: field.TextRules{MaxLength: rules.MaxLength, Trim: rules.Trim}}
	}

	return typ, values
}

// words are those of which a field has one, nil for others.
func (f *Field) words() (all []string) {
	for _, one := range f.Schema().Enum {
		if word, ok := one.(string); ok {
			all = append(all, word)
		}
	}

	return all
}

// choices are the words of a field that has one of some, nil for others.
func (f *Field) choices() field.Choices {
	var all field.Choices
	for _, word := range f.words() {
		all = append(all, field.Choice{ID: word, Label: Capitalize(Spaced(word))})
	}
	if all == nil || (&field.SelectOptions{Options: all}).Check() != nil {
		return nil
	}

	return all
}

func plainType(typ field.Type) (field.Type, field.Values) { return typ, typ.New() }

// typeNamed is a field type whose values mean the same wherever they stand.
func typeNamed(name string) field.Type {
	all := field.Types(mostText)

	return all[slices.IndexFunc(all, func(t field.Type) bool { return t.Name == name })]
}

// wholeBound is a bound of whole numbers.
func wholeBound(bound *float64) *int64 {
	if bound == nil {
		return nil
	}

	return new(int64(*bound))
}

// idValues are UUIDs: a cell is one as it is.
type idValues struct {
	// noun is what has it, "" for anything.
	noun string
}

// Check implements field.Values.
func (*idValues) Check() error { return nil }

// Parse implements field.Values.
func (v *idValues) Parse(raw []byte) (field.Value, error) {
	id, err := v.parse(rawjson.Text(raw))
	if err != nil {
		return field.Value{}, err
	}

	return field.Value{JSON: rawjson.Quote(id.String()), Key: id}, nil
}

func (v *idValues) parse(text string) (uuid.UUID, error) {
	id, err := field.ParseUUID(text)
	if err != nil && v.noun != "" {
		err = field.Error("must be the UUID of " + WithArticle(v.noun) + ".")
	}

	return id, err
}

// Comparable implements field.Values.
func (v *idValues) Comparable(text string) (any, error) { return v.parse(text) }

// Schema implements field.Values.
func (*idValues) Schema() map[string]any { return map[string]any{"type": "string", "format": "uuid"} }

// CSV implements field.Values.
func (*idValues) CSV(json []byte) string { return rawjson.Text(json) }

// FromCSV implements field.Values.
func (v *idValues) FromCSV(cell string) ([]byte, error) {
	id, err := v.parse(strings.TrimSpace(cell))
	if err != nil {
		return nil, err
	}

	return rawjson.Quote(id.String()), nil
}
