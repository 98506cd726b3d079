package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// minimalSchema names the schema of what writes answer with where web.documented_bodies is set.
const minimalSchema = "Minimal"

// documentAnswers documents what the operation answers with when it succeeds.
func (e *endpoint) documentAnswers(op *huma.Operation, schemas *answerSchemas) {
	response := op.Responses[strconv.Itoa(op.DefaultStatus)]
	if media := response.Content[mediaEvents]; media != nil {
		media.Schema = e.eventSchema(schemas)
	}
	media := response.Content[mediaJSON]
	if media == nil || e.streams || e.writesBytes() {
		return
	}
	schemas.names.area = camel(e.info.Area)
	body, _ := e.info.Output.FieldByName("Body")
	hint := op.OperationID + "Response"
	if e.info.Output.Name() != "" {
		hint = e.info.Output.Name() + body.Name
	}
	media.Schema = huma.SchemaFromField(schemas, body, hint)
	// Else only who asks for {} gets it: a union would have every generated client ask which one it got.
	if e.resource && e.op.Method != http.MethodGet && e.api.settings.DocumentedBodies && !e.op.Secret {
		schemas.schemas[minimalSchema] = &huma.Schema{
			Type: huma.TypeObject, AdditionalProperties: false, Description: "What a write answers with that does not ask for more by `Prefer: return=representation`.",
		}
		media.Schema = &huma.Schema{AnyOf: []*huma.Schema{media.Schema, {Ref: schemaPrefix + minimalSchema}}}
	}
}

// addRequests adds the schemas that the requests of an operation refer to.
func (s *answerSchemas) addRequests(from huma.Registry, op *huma.Operation) error {
	for _, p := range op.Parameters {
		if err := s.add(from, p.Schema); err != nil {
			return err
		}
	}
	if op.RequestBody == nil {
		return nil
	}
	for _, media := range op.RequestBody.Content {
		if err := s.add(from, media.Schema); err != nil {
			return err
		}
	}

	return nil
}

// add adds what a schema refers to. It refuses a schema that is another one in answers.
func (s *answerSchemas) add(from huma.Registry, schema *huma.Schema) error {
	for _, ref := range refs(schema) {
		name := ref[len(schemaPrefix):]
		wanted := from.SchemaFromRef(ref)
		if had, known := s.schemas[name]; known {
			if had != wanted && !sameJSON(had, wanted) {
				return fmt.Errorf("the schema %s is another one in requests than in answers: give them types of their own", name)
			}

			continue
		}
		s.schemas[name] = wanted
		if err := s.add(from, wanted); err != nil {
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

// refs returns the references in a schema.
func refs(s *huma.Schema) []string {
	if s == nil {
		return nil
	}
	if s.Ref != "" {
		return []string{s.Ref}
	}
	var found []string
	for _, list := range [][]*huma.Schema{s.OneOf, s.AnyOf, s.AllOf, {s.Items, s.Not}} {
		for _, inner := range list {
			found = append(found, refs(inner)...)
		}
	}
	for _, property := range s.Properties {
		found = append(found, refs(property)...)
	}
	if inner, ok := s.AdditionalProperties.(*huma.Schema); ok {
		found = append(found, refs(inner)...)
	}

	return found
}
