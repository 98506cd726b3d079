package schemas

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
)

// NewRequests makes a registry of the schemas of what is read.
func NewRequests(names *Names) huma.Registry {
	schemas := huma.NewMapRegistry(Prefix, names.Of)
	schemas.RegisterTypeAlias(reflect.TypeFor[uuid.UUID](), reflect.TypeFor[uuidText]())

	return schemas
}

// uuidText describes a uuid.UUID, which to Huma is any text.
type uuidText struct{}

// Schema implements huma.SchemaProvider.
func (uuidText) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "uuid"}
}

// RequestRefs returns the references in what an operation is asked with.
func RequestRefs(op *huma.Operation) (refs []string) {
	for _, p := range op.Parameters {
		refs = append(refs, Refs(p.Schema)...)
	}
	if op.RequestBody != nil {
		for _, media := range op.RequestBody.Content {
			refs = append(refs, Refs(media.Schema)...)
		}
	}

	return refs
}

// AddRequests adds the schemas that requests refer to. It refuses a schema that is another one in answers.
func (s *Answers) AddRequests(from huma.Registry, refs []string) error {
	for _, ref := range refs {
		name := ref[len(Prefix):]
		wanted := from.SchemaFromRef(ref)
		if had, known := s.schemas[name]; known {
			if had != wanted && !sameJSON(had, wanted) {
				return fmt.Errorf("the schema %s differs between requests and answers: use separate types", name)
			}

			continue
		}
		s.schemas[name] = wanted
		if err := s.AddRequests(from, Refs(wanted)); err != nil {
			return err
		}
	}

	return nil
}

func sameJSON(a, b *huma.Schema) bool {
	x, err := json.Marshal(a)
	y, failed := json.Marshal(b)

	return err == nil && failed == nil && bytes.Equal(x, y)
}

// Refs returns the references in a schema.
func Refs(s *huma.Schema) (found []string) {
	walk(s, func(s *huma.Schema) {
		if s.Ref != "" {
			found = append(found, s.Ref)
		}
	})

	return found
}

// Standard has a schema say what a pattern means in its description, since JSON Schema has no other place for it.
func Standard(s *huma.Schema) {
	walk(s, func(s *huma.Schema) {
		if s.PatternDescription == "" {
			return
		}
		if s.Description == "" {
			s.Description = strings.ToUpper(s.PatternDescription[:1]) + s.PatternDescription[1:] + "."
		} else {
			s.Description = strings.TrimSuffix(s.Description, ".") + "; " + s.PatternDescription + "."
		}
		s.PatternDescription = ""
	})
}

// walk visits a schema and all that are inside of it. It does not follow references.
func walk(s *huma.Schema, visit func(*huma.Schema)) {
	if s == nil {
		return
	}
	visit(s)
	if s.Ref != "" {
		return
	}
	for _, list := range [][]*huma.Schema{s.OneOf, s.AnyOf, s.AllOf, {s.Items, s.Not}} {
		for _, inner := range list {
			walk(inner, visit)
		}
	}
	for _, property := range s.Properties {
		walk(property, visit)
	}
	if inner, ok := s.AdditionalProperties.(*huma.Schema); ok {
		walk(inner, visit)
	}
}
