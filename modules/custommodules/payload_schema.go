package custommodules

import (
	"maps"
	"strings"
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
func (f *field) isGiven() bool {
	switch f.values.(type) {
	case *autoNumber, *formula:
		return true
	default:
		return f.readOnly
	}
}

func (f *field) payloadSchema(use schemaUse) map[string]any {
	schema := f.values.schema()
	if use == forUpdate {
		schema = patched(schema)
	}
	if use == forRead {
		switch f.values.(type) {
		case referring:
			schema = expanded(schema, "record", "The record, with expand=.")
		case *fileField:
			schema = expanded(schema, "attachment", "What is known of the file, with expand=: "+strings.Join(shownFileKeys(), ", ")+".")
		}
	}
	if f.required && use != forRead || len(schema) == 0 {
		return schema
	}

	return map[string]any{"anyOf": []any{schema, map[string]any{"type": "null"}}}
}

// patched is the schema of a merge patch for values of a schema: members of objects may be left out, or
// cleared.
func patched(schema map[string]any) map[string]any {
	properties, isObject := schema["properties"].(map[string]any)
	switch {
	case schema["type"] == "object" && isObject && schema["additionalProperties"] == false:
	case schema["type"] == "object", schema["type"] == nil:
		return map[string]any{} // anything may be merged into what follows it
	default:
		return schema
	}
	made := maps.Clone(schema)
	delete(made, "required")
	loose := map[string]any{}
	for key, property := range properties {
		loose[key] = map[string]any{"anyOf": []any{property, map[string]any{"type": "null"}}}
	}
	made["properties"] = loose

	return made
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
