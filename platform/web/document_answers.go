package web

import (
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/platform/web/schemas"
	"github.com/dispatchd/dispatchd/platform/web/sse"
)

// minimalSchema names the schema of what writes answer with where web.documented_bodies is set.
const minimalSchema = "Minimal"

// documentAnswers documents what the operation answers with when it succeeds.
func (e *endpoint) documentAnswers(op *huma.Operation, requests huma.Registry, answers *schemas.Answers) error {
	response := op.Responses[strconv.Itoa(op.DefaultStatus)]
	if media := response.Content[sse.Media]; media != nil {
		media.Schema = e.eventSchema(answers)
	}
	media := response.Content[mediaJSON]
	if media == nil || e.streams || e.output.WritesBytes() {
		return nil
	}
	answers.UseArea(e.info.Prefix)
	_, err := e.output.BodySchema(op.OperationID, requests) // which finds two types with one name
	if err == nil {
		media.Schema, err = e.output.BodySchema(op.OperationID, answers)
	}
	// Else only who asks for {} gets it: a union would have every generated client ask which one it got.
	if e.resource && e.op.Method != http.MethodGet && e.api.settings.DocumentedBodies && !e.op.Secret {
		answers.Map()[minimalSchema] = &huma.Schema{
			Type: huma.TypeObject, AdditionalProperties: false, Description: "The answer to a write without `Prefer: return=representation`.",
		}
		media.Schema = &huma.Schema{AnyOf: []*huma.Schema{media.Schema, {Ref: schemas.Prefix + minimalSchema}}}
	}

	return err
}
