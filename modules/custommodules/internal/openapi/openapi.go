// Package openapi writes the OpenAPI document of a company's modules: five operations for each, with
// the types of its fields.
package openapi

import (
	"encoding/json"
	"strings"

	"github.com/google/uuid"
)

// Module is a module as its document shows it.
type Module struct {
	ID                uuid.UUID
	Name, Description string
	// Create, Update and Read are the JSON Schemas of payloads; Read is what answers have.
	Create, Update, Read map[string]any
	// Filters and Sorts are the keys that a list is filtered and sorted by.
	Filters, Sorts []string
	// Writes and Deletes say what the caller may do beside reading.
	Writes, Deletes bool
}

type object = map[string]any

// base is where the operations are.
const base = "/custom_modules/api/v1/modules/"

// Write returns the document of some modules. All are those of the company, by which names are given:
// a module has the same name in the document of every token.
func Write(modules []Module, all []Named) ([]byte, error) {
	called := uniqueNames(all)
	paths, schemas, tags := object{}, sharedSchemas(), []object{}
	for _, m := range modules {
		n := called[m.ID]
		tags = append(tags, object{"name": n.snake, "description": strings.TrimSpace(m.Name + "\n\n" + m.Description)})
		m.types(n, schemas)
		m.operations(n, paths)
	}

	return json.Marshal(object{
		"openapi": "3.1.0",
		"info": object{
			"title": "Modules of the company", "version": "1",
			"description": "The records of the company's own modules that the token may see. The document changes with the modules.",
		},
		"servers":    []object{{"url": "/"}},
		"security":   []object{{"bearer": []string{}}},
		"tags":       tags,
		"paths":      paths,
		"components": object{"schemas": schemas, "securitySchemes": object{"bearer": object{"type": "http", "scheme": "bearer"}}},
	})
}

func schemaRef(name string) object { return object{"$ref": "#/components/schemas/" + name} }

func typeSchema(typ string) object { return object{"type": typ} }

// types adds the schemas of a module.
func (m Module) types(n name, schemas object) {
	schemas[n.pascal+"Payload"] = m.Read
	properties := object{
		"uuid": object{"type": "string", "format": "uuid"}, "module_uuid": object{"type": "string", "const": m.ID},
		"payload": schemaRef(n.pascal + "Payload"), "version": object{"type": "integer", "minimum": 1},
		"created_at": object{"type": "string", "format": "date-time"}, "updated_at": object{"type": "string", "format": "date-time"},
		"created_by": object{"type": []string{"string", "null"}, "format": "uuid"}, "updated_by": object{"type": []string{"string", "null"}, "format": "uuid"},
		"masked":   object{"type": "array", "items": typeSchema("string"), "description": "The sensitive fields, whose values are withheld from you."},
		"warnings": object{"type": "object", "additionalProperties": object{"type": "array", "items": typeSchema("string")}},
	}
	schemas[n.pascal+"Record"] = object{
		"type": "object", "properties": properties, "required": []string{"uuid", "module_uuid", "payload", "version", "created_at", "created_by", "updated_at", "updated_by"},
	}
	schemas[n.pascal+"Listed"] = object{
		"type": "object", "properties": properties, "required": []string{"uuid"}, "description": "A record in a list: all keys, or those that fields= names.",
	}
	schemas[n.pascal+"Page"] = object{
		"type":       "object",
		"properties": object{"data": object{"type": "array", "items": schemaRef(n.pascal + "Listed")}, "meta": schemaRef("PageMeta")},
		"required":   []string{"data", "meta"},
	}
	if m.Writes {
		schemas[n.pascal+"Create"], schemas[n.pascal+"Update"] = m.Create, m.Update
	}
}

// operations adds the operations of a module.
func (m Module) operations(n name, paths object) {
	record := object{"name": "record_uuid", "in": "path", "required": true, "schema": object{"type": "string", "format": "uuid"}}
	op := func(verb, summary, answer string, parameters ...object) object {
		made := object{
			"operationId": verb + "_" + n.snake, "summary": summary + ": " + m.Name, "tags": []string{n.snake},
			"responses": object{"200": successResponse(answer), "default": errorResponse()},
		}
		if len(parameters) > 0 {
			made["parameters"] = parameters
		}

		return made
	}
	all := object{"get": op("list", "List records", n.pascal+"Page", m.query()...)}
	one := object{"parameters": []object{record}, "get": op("read", "Read a record", n.pascal+"Record")}
	if m.Writes {
		create := op("create", "Create a record", n.pascal+"Record", header("Idempotency-Key"))
		create["requestBody"] = requestBody(n.pascal + "Create")
		update := op("update", "Change a record", n.pascal+"Record", header("If-Match"))
		update["requestBody"] = requestBody(n.pascal + "Update")
		create["responses"], update["responses"] = writeResponses(n.pascal+"Record"), writeResponses(n.pascal+"Record")
		all["post"], one["patch"] = create, update
	}
	if m.Deletes {
		remove := op("delete", "Delete a record", "", header("If-Match"))
		remove["responses"] = object{"204": object{"description": "The record was deleted."}, "default": errorResponse()}
		one["delete"] = remove
	}
	path := base + m.ID.String() + "/records"
	paths[path], paths[path+"/{record_uuid}"] = all, one
}

// query are the parameters of a list.
func (m Module) query() []object {
	filters := object{}
	for _, key := range m.Filters {
		filters[key] = typeSchema("string")
	}
	in := func(name string, schema object) object { return object{"name": name, "in": "query", "schema": schema} }
	filter := in("filter", object{"type": "object", "properties": filters, "additionalProperties": false})
	filter["style"], filter["explode"] = "deepObject", true
	filter["description"] = "Filters by the value of fields. The service also supports filter[field][op]=value, which OpenAPI cannot describe."
	// Text, since clients send lists in different ways.
	sort := in("sort", typeSchema("string"))
	sort["description"] = "Keys to sort by, separated by commas; a hyphen in front of one reverses it. There are " + strings.Join(m.Sorts, ", ") + "."

	return []object{
		filter, sort, in("view", object{"type": "string", "format": "uuid"}), in("q", typeSchema("string")), in("fields", typeSchema("string")), in("expand", typeSchema("string")),
		in("per_page", object{"type": "integer", "minimum": 1, "maximum": 200, "default": 50}), in("cursor", typeSchema("string")),
		in("count", object{"type": "string", "enum": []string{"exact", "estimate"}}),
	}
}

func header(name string) object {
	return object{"name": name, "in": "header", "schema": typeSchema("string")}
}

func requestBody(name string) object {
	payload := object{
		"type": "object", "properties": object{"payload": schemaRef(name)}, "required": []string{"payload"}, "additionalProperties": false,
	}

	return object{"required": true, "content": object{"application/json": object{"schema": payload}}}
}

func successResponse(name string) object {
	return object{"description": "The operation succeeded.", "content": object{"application/json": object{"schema": schemaRef(name)}}}
}

// writeResponses are the answers to a write. Who asks for less by Prefer: return=minimal gets {}.
func writeResponses(name string) object {
	return object{"200": successResponse(name), "default": errorResponse()}
}

func errorResponse() object {
	return object{"description": "What went wrong.", "content": object{"application/json": object{"schema": schemaRef("Error")}}}
}

// sharedSchemas are the schemas of all modules. No module has one of these names: theirs have an ending.
func sharedSchemas() object {
	return object{
		"Error": object{
			"type": "object",
			"properties": object{
				"message": typeSchema("string"), "code": typeSchema("string"), "request_id": typeSchema("string"),
				"errors":  object{"type": "object", "additionalProperties": object{"type": "array", "items": typeSchema("string")}},
				"details": typeSchema("object"),
			},
			"required": []string{"message"},
		},
		"PageMeta": object{
			"type": "object",
			"properties": object{
				"per_page": typeSchema("integer"), "next_cursor": object{"type": []string{"string", "null"}},
				"prev_cursor": object{"type": []string{"string", "null"}}, "total": typeSchema("integer"), "total_kind": typeSchema("string"),
			},
			"required": []string{"per_page", "next_cursor", "prev_cursor"},
		},
	}
}
