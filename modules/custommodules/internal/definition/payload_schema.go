package definition

import (
	"maps"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/formula"
)

// SchemaUse is what a schema of payloads is for.
type SchemaUse string

// The uses: what creating takes, what a change takes (a merge patch), and what answers have.
const (
	ForCreate SchemaUse = "create"
	ForUpdate SchemaUse = "update"
	ForRead   SchemaUse = "read"
)

// PayloadSchema is the JSON Schema of payloads. It may allow more than the service, never less.
func (d *Definition) PayloadSchema(use SchemaUse) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, f := range d.Fields {
		if use != ForRead && f.isGiven() {
			continue
		}
		properties[f.Key] = f.PayloadSchema(use)
		if use == ForCreate && f.required && f.preset == nil {
			required = append(required, f.Key)
		}
	}
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}

	return schema
}

// isGiven reports whether callers do not set the field.
func (f *ModuleField) isGiven() bool {
	switch f.Values.(type) {
	case *AutoNumber, *formula.Options:
		return true
	default:
		return f.ReadOnly
	}
}

// PayloadSchema is the JSON Schema of the field's value in a payload.
func (f *ModuleField) PayloadSchema(use SchemaUse) map[string]any {
	schema := f.Values.Schema()
	if use == ForUpdate {
		schema = f.patchSchema(schema)
	}
	if use == ForRead {
		switch f.Values.(type) {
		case Referring:
			schema = withExpansion(schema, "record", "The record, with expand=.")
		case *field.FileOptions:
			schema = withExpansion(schema, "attachment", "Details of the file, with expand=: "+strings.Join(ShownFileKeys, ", ")+".")
		}
	}
	if f.required && use != ForRead || len(schema) == 0 {
		return schema
	}

	return map[string]any{"anyOf": []any{schema, map[string]any{"type": "null"}}}
}

// patchSchema is the schema of a merge patch for values of a schema: members of objects may be left out, or
// cleared.
func (f *ModuleField) patchSchema(schema map[string]any) map[string]any {
	if _, free := f.Values.(*field.JSONOptions); free && mayBeObject(schema["type"]) {
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

// withExpansion lets a value have what expand= embeds in it.
func withExpansion(schema map[string]any, name, about string) map[string]any {
	properties, ok := schema["properties"].(map[string]any)
	if !ok {
		return schema
	}
	made, parts := maps.Clone(schema), maps.Clone(properties)
	parts[name] = map[string]any{"type": []string{"object", "null"}, "description": about}
	made["properties"] = parts

	return made
}
