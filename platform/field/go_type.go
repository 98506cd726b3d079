package field

import (
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// Typed is a value of a struct that knows its field type, such as [VIN].
type Typed interface{ FieldType() Type }

// TypeOf returns the field type of the values of a Go type, of which pointers are optional ones; false if it has none. Besides
// what is [Typed], these are texts, whole numbers, booleans and moments (time.Time).
func TypeOf(t reflect.Type) (Type, bool) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if typed, ok := reflect.TypeAssert[Typed](reflect.Zero(t)); ok {
		return typed.FieldType(), true
	}
	if t == reflect.TypeFor[time.Time]() {
		return DatetimeType(), true
	}
	switch t.Kind() {
	case reflect.String:
		return TextType(), true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return IntegerType(), true
	case reflect.Bool:
		return BooleanType(), true
	default:
		return Type{}, false
	}
}

// Document is the schema of values of a type without options, for the OpenAPI document. A null is no value. Huma itself checks
// no patterns, formats and lists of values: the value does when it is read, in the words of its type.
func (t Type) Document(example any) *huma.Schema {
	schema := humaSchema(t.New().Schema())
	schema.Description = strings.Replace(t.About, ", from min to max", "", 1) // which are options of other fields
	schema.Nullable = true
	if codes, listed := schema.Extensions["enum"].([]string); listed {
		all := make([]any, 0, len(codes)+1)
		for _, code := range codes {
			all = append(all, code)
		}
		schema.Extensions["enum"] = append(all, nil)
	}
	schema.Examples = []any{example}

	return schema
}

// humaSchema makes Huma's schema of one of a type. What Huma would check, beside the kinds of values, it does not get to see.
func humaSchema(from map[string]any) *huma.Schema {
	schema := &huma.Schema{Extensions: map[string]any{}}
	for key, value := range from {
		switch given := value.(type) {
		case map[string]any: // properties
			schema.Properties = map[string]*huma.Schema{}
			for name, property := range given {
				inside, _ := property.(map[string]any)
				schema.Properties[name] = humaSchema(inside)
			}
		case []string:
			if key == "type" { // and null
				schema.Type, schema.Nullable = given[0], true
			} else {
				schema.Extensions[key] = given
			}
		case string:
			if key == "type" {
				schema.Type = given
			} else {
				schema.Extensions[key] = given
			}
		default:
			schema.Extensions[key] = value
		}
	}

	return schema
}
