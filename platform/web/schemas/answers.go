package schemas

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
)

// Answers is the registry of the schemas of answers. Huma's describes what a Go type is read from; this one describes
// what package jsonbody writes of it: the fields of every embedded struct, null for a pointer without a value, any JSON for a
// type that writes its own.
type Answers struct {
	names   *Names
	schemas map[string]*huma.Schema
	types   map[string]reflect.Type
}

// NewAnswers makes a registry that has the schemas of errors.
func NewAnswers(names *Names) *Answers {
	return &Answers{names: names, schemas: Errors(), types: map[string]reflect.Type{}}
}

// UseArea has the names of what is described from now on begin with an area's.
func (s *Answers) UseArea(area string) { s.names.Area = Camel(area) }

// Schema implements huma.Registry. Whether there may be null in place of a t is the matter of what has the t.
func (s *Answers) Schema(t reflect.Type, allowRef bool, hint string) *huma.Schema {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[uuid.UUID]():
		return uuidText{}.Schema(s)
	case implements[huma.SchemaProvider](t), t == reflect.TypeFor[time.Time](), implements[encoding.TextMarshaler](t):
		return huma.SchemaFromType(s, t)
	case implements[json.Marshaler](t):
		return &huma.Schema{}
	case t.Kind() != reflect.Struct:
		return huma.SchemaFromType(s, t)
	}
	name := s.names.Of(t, hint)
	if _, known := s.schemas[name]; !known {
		s.types[name] = t
		s.schemas[name] = &huma.Schema{} // for a type that has itself inside
		s.schemas[name] = s.object(t)
	}
	if !allowRef {
		return s.schemas[name]
	}

	return &huma.Schema{Ref: Prefix + name}
}

// SchemaFromRef implements huma.Registry.
func (s *Answers) SchemaFromRef(ref string) *huma.Schema {
	return s.schemas[strings.TrimPrefix(ref, Prefix)]
}

// TypeFromRef implements huma.Registry.
func (s *Answers) TypeFromRef(ref string) reflect.Type {
	return s.types[strings.TrimPrefix(ref, Prefix)]
}

// Map implements huma.Registry.
func (s *Answers) Map() map[string]*huma.Schema { return s.schemas }

// MarshalJSON implements json.Marshaler: the document has the schemas by their names.
func (s *Answers) MarshalJSON() ([]byte, error) { return json.Marshal(s.schemas) }

// RegisterTypeAlias implements huma.Registry; nothing calls it.
func (*Answers) RegisterTypeAlias(_, _ reflect.Type) {}

func implements[I any](t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[I]())
}

// object completes what Huma knows of a struct.
func (s *Answers) object(t reflect.Type) *huma.Schema {
	schema := huma.SchemaFromType(s, t)
	for _, f := range writtenFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			name = f.Name
		}
		omitted := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
		property, known := schema.Properties[name]
		if !known {
			property = huma.SchemaFromField(s, f, t.Name()+f.Name+"Struct")
			schema.Properties[name] = property
			if !omitted {
				schema.Required = append(schema.Required, name)
			}
		}
		if f.Type.Kind() == reflect.Pointer && !omitted {
			schema.Properties[name] = orNull(property)
		}
	}

	return schema
}

// writtenFields returns the fields of a struct that are written as JSON, those of embedded structs among them, unless
// the embedded struct has a name in JSON of its own or is left out.
func writtenFields(t reflect.Type) []reflect.StructField {
	var fields []reflect.StructField
	var closed [][]int
	for _, f := range reflect.VisibleFields(t) {
		if slices.ContainsFunc(closed, func(at []int) bool { return len(f.Index) > len(at) && slices.Equal(f.Index[:len(at)], at) }) {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous {
			if name == "" {
				continue
			}
			closed = append(closed, f.Index)
		}
		if f.IsExported() && name != "-" {
			fields = append(fields, f)
		}
	}

	return fields
}

// orNull is the schema of a value that may be null.
func orNull(schema *huma.Schema) *huma.Schema {
	nullable := *schema
	switch {
	case schema.Ref != "":
		return &huma.Schema{Description: schema.Description, OneOf: []*huma.Schema{{Ref: schema.Ref}, {Type: "null"}}}
	case schema.Type == "":
		return schema // anything
	case len(schema.Enum) > 0 && !slices.Contains(schema.Enum, nil):
		nullable.Enum = append(slices.Clone(schema.Enum), nil)
	}
	nullable.Nullable = true

	return &nullable
}
