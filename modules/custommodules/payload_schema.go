package custommodules

import (
	"maps"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/formula"
)

// schemaUse is what a schema of payloads is for.
type schemaUse string

// The uses: what creating takes, what a change takes (a merge patch), and what answers have.
const (
	forCreate schemaUse = "create"
	forUpdate schemaUse = "update"
	forRead   schemaUse = "read"
)

// payloadSchema is the JSON Schema of payloads. It may allow more than the service, never less.
func (d *definition) payloadSchema(use schemaUse) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, f := range d.fields {
		if use != forRead && f.isGiven() {
			continue
		}
		properties[f.key] = f.payloadSchema(use)
		if use == forCreate && f.required && f.preset == nil {
			required = append(required, f.key)
		}
	}
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}

	return schema
}

// isGiven reports whether callers do not set the field.
func (f *moduleField) isGiven() bool {
	switch f.values.(type) {
	case *autoNumber, *formula.Options:
		return true
	default:
		return f.readOnly
	}
}

func (f *moduleField) payloadSchema(use schemaUse) map[string]any {
	schema := f.values.Schema()
	if use == forUpdate {
		schema = f.patchSchema(schema)
	}
	if use == forRead {
		switch f.values.(type) {
		case referring:
			schema = expanded(schema, "record", "The record, with expand=.")
		case *field.FileOptions:
			schema = expanded(schema, "attachment", "What is known of the file, with expand=: "+strings.Join(shownFileKeys(), ", ")+".")
		}
	}
	if f.required && use != forRead || len(schema) == 0 {
		return schema
	}

	return map[string]any{"anyOf": []any{schema, map[string]any{"type": "null"}}}
}

// patchSchema is the schema of a merge patch for values of a schema: members of objects may be left out, or
// cleared.
func (f *moduleField) patchSchema(schema map[string]any) map[string]any {
	if _, free := f.values.(*field.JSONOptions); free && mayBeObject(schema["type"]) {
		return map[string]any{} // anything may be merged into what follows it
	}
	properties, isObject := schema["properties"].(map[string]any)
	if !isObject {
		return schema
	}
	made := maps.Clone(schema)
	delete(made, "required")
	delete(made, "minProperties")
	loose := map[string]any{}
	for key, property := range properties {
		loose[key] = map[string]any{"anyOf": []any{property, map[string]any{"type": "null"}}}
	}
	made["properties"] = loose

	return made
}

// mayBeObject reports whether a "type" of JSON Schema takes objects. Of none, everything is taken.
func mayBeObject(typ any) bool {
	if list, ok := typ.([]any); ok {
		return slices.Contains(list, any("object"))
	}

	return typ == nil || typ == "object"
}

// expanded lets a value have what expand= embeds in it.
func expanded(schema map[string]any, name, about string) map[string]any {
	properties, ok := schema["properties"].(map[string]any)
	if !ok {
		return schema
	}
	made, parts := maps.Clone(schema), maps.Clone(properties)
	parts[name] = map[string]any{"type": []string{"object", "null"}, "description": about}
	made["properties"] = parts

	return made
}
