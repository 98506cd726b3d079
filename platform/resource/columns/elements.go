package columns

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/kind"
)

// parted are the parts of a tag with one for each element, nil for none.
func parted(tag string) []string {
	if tag == "" {
		return nil
	}

	return strings.Split(tag, ";")
}

// elements are the fields of the objects in a list, nil for a field that is none.
func (f *Field) elements(t reflect.Type) []collection.Field {
	if f.Kind != kind.Object || !f.list || t.Kind() != reflect.Struct {
		return nil
	}
	content, ok := t.FieldByName("V")
	if !ok || content.Type.Kind() != reflect.Slice || content.Type.Elem().Kind() != reflect.Struct {
		return nil
	}

	return elementsOf(content.Type.Elem(), "", nil)
}

// addressParts are the parts of an address, which are text until they are put together.
var addressParts = []string{"line1", "line2", "city", "state", "postal_code", "country"}

// elementsOf are the fields of an object whose values are single ones, by their paths: address.city, contacts.0.name.
func elementsOf(t reflect.Type, under string, outer []reflect.Type) (all []collection.Field) {
	const deepest = 4
	if slices.Contains(outer, t) || len(outer) == deepest {
		return nil
	}
	outer = append(slices.Clip(outer), t)
	for from := range t.Fields() {
		key, _, _ := strings.Cut(from.Tag.Get("json"), ",")
		if !from.IsExported() || from.Anonymous || key == "" || key == "-" || slices.Contains(strings.Split(from.Tag.Get("field"), ","), "readonly") {
			continue
		}
		of := from.Type
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		path := under + key
		switch {
		case of == reflect.TypeFor[time.Time](), of == reflect.TypeFor[uuid.UUID](), of == reflect.TypeFor[field.GeoPoint]():
		case of == reflect.TypeFor[field.Address]():
			all = append(all, single(from, path)...)
			for _, part := range addressParts {
				all = append(all, textField(path+"."+part))
			}
		case of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.Struct:
			all = append(all, elementsOf(of.Elem(), path+".0.", outer)...)
		case of.Kind() == reflect.Slice:
			if typed, ok := reflect.TypeAssert[field.Typed](reflect.Zero(of.Elem())); ok {
				all = append(all, typedField(typed.FieldType(), path+".0"))
			}
		case of.Kind() == reflect.Struct:
			if _, typed := reflect.TypeAssert[field.Typed](reflect.Zero(of)); !typed {
				all = append(all, elementsOf(of, path+".", outer)...)
			}
		default:
			all = append(all, single(from, path)...)
		}
	}

	return all
}

// single is the field of a member, none for one whose values a cell does not have.
func single(from reflect.StructField, path string) []collection.Field {
	member := &Field{Key: path, Label: Capitalize(Spaced(strings.NewReplacer(".0", "", ".", " ").Replace(path)))}
	if member.readType(from) != nil {
		return nil
	}
	made := member.CollectionField(from.Type)
	if made.Type == jsonType {
		return nil
	}
	made.ID, made.Required, made.Unique, made.Settable, made.Same = path, false, false, true, nil

	return []collection.Field{made}
}

func textField(path string) collection.Field { return typedField(field.TextType(), path) }

// typedField is the field of a type with its usual options.
func typedField(typ field.Type, path string) collection.Field {
	values := typ.New()
	_ = values.Check() //nolint:errcheck // the usual ones are right

	return collection.Field{
		ID: path, Key: path, Label: Capitalize(Spaced(strings.NewReplacer(".0", "", ".", " ").Replace(path))), Type: typ.Name, About: typ.About, Settable: true,
		Cell: values.CSV, Append: func(to, json []byte) []byte { return append(to, json...) }, Read: values.FromCSV,
		Check: func(raw []byte) ([]byte, error) {
			if raw[0] == 'n' {
				return raw, nil
			}
			parsed, err := values.Parse(raw)

			return parsed.JSON, err
		},
	}
}
