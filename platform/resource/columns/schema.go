package columns

import (
	"reflect"
	"slices"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/platform/web/jsonbody"
)

// lazySchema is made when it is first asked for: of thousands of fields, a process serves few.
type lazySchema struct {
	of    reflect.StructField
	edits []func(*huma.Schema)
	once  sync.Once
	made  *huma.Schema
}

// Schema describes the values.
func (f *Field) Schema() *huma.Schema {
	f.schema.once.Do(func() {
		registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
		made := inlineRefs(registry, jsonbody.FieldSchema(registry, f.schema.of))
		for _, edit := range f.schema.edits {
			edit(made)
		}
		f.schema.made = made
	})

	return f.schema.made
}

// describe changes what the schema says, while the resource is built.
func (f *Field) describe(edit func(*huma.Schema)) {
	if f.schema.made != nil {
		edit(f.schema.made)
	}
	f.schema.edits = append(f.schema.edits, edit)
}

// Enumerate has the values be some words.
func (f *Field) Enumerate(words []any) { f.describe(func(s *huma.Schema) { s.Enum = words }) }

// inlineRefs is a schema without references.
func inlineRefs(registry huma.Registry, s *huma.Schema) *huma.Schema {
	if s == nil {
		return nil
	}
	made := *s
	if s.Ref != "" {
		made = *registry.SchemaFromRef(s.Ref)
		if s.Description != "" {
			made.Description = s.Description
		}
	}
	made.Items = inlineRefs(registry, made.Items)
	properties := make(map[string]*huma.Schema, len(made.Properties))
	for key, property := range made.Properties {
		properties[key] = inlineRefs(registry, property)
	}
	if len(properties) > 0 {
		made.Properties = properties
	}
	made.Required = slices.Clone(made.Required)

	return &made
}
