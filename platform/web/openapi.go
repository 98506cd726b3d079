package web

import (
	"cmp"
	_ "embed" // the introduction
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/platform/web/schemas"
)

// introduction is the description of the whole API in the document.
//
//go:embed docs/introduction.md
var introduction string

// newOpenAPI is the document before any operation is in it.
func (a *API) newOpenAPI(names *schemas.Names) *huma.OpenAPI {
	requests := schemas.NewRequests(names)
	maps.Copy(requests.Map(), schemas.Errors())
	openAPI := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: a.about.Name, Version: a.about.Version, Description: introduction, Contact: a.settings.contact(a.about.Name),
			License: &huma.License{Name: "Apache License 2.0", Identifier: "Apache-2.0"},
		},
		Servers: []*huma.Server{{URL: cmp.Or(strings.TrimSuffix(a.settings.BaseURL, "/"), "/")}},
		Components: &huma.Components{
			Schemas:   requests,
			Responses: platformResponses(),
			Headers:   platformHeaders(),
			SecuritySchemes: map[string]*huma.SecurityScheme{securityScheme: {
				Type: "http", Scheme: "bearer", Description: "A company's token with the scopes that the operation requires.",
			}},
		},
	}
	for _, area := range a.about.Areas {
		if !slices.ContainsFunc(a.endpoints, func(e *endpoint) bool { return e.info.Prefix == area.ID }) {
			continue
		}
		openAPI.Tags = append(openAPI.Tags, &huma.Tag{Name: area.ID, Description: area.Title})
	}

	return openAPI
}

// newDescription describes every operation, piece by piece: what an operation is described by is dropped as soon as its text is there.
func (a *API) newDescription() (*description, error) {
	names := &schemas.Names{}
	described := a.newOpenAPI(names)
	answers := schemas.NewAnswers(names)
	d := &description{head: described, components: map[string]piece{}, examples: map[string]*huma.Example{}}
	var requests []string
	for _, e := range a.endpoints {
		names.Area = schemas.Camel(e.info.Prefix)
		op, err := e.describe(described, answers, d)
		if err == nil {
			requests = append(requests, schemas.RequestRefs(op)...)
			err = d.addOperation(e.info, op)
		}
		if err != nil {
			return nil, fmt.Errorf("OpenAPI document: operation %q: %w", e.info.ID, err)
		}
	}
	if err := answers.AddRequests(described.Components.Schemas, requests); err != nil {
		return nil, fmt.Errorf("OpenAPI document: %w", err)
	}

	described.Components.Schemas, described.Components.Examples = answers, d.examples
	d.exampleAnswers(described.Components.Responses, answers)
	for _, schema := range answers.Map() {
		schemas.Standard(schema)
	}

	return d, d.addComponents(described.Components)
}

// describe describes an operation in the document.
func (e *endpoint) describe(described *huma.OpenAPI, answers *schemas.Answers, d *description) (*huma.Operation, error) {
	op, _, err := e.bind(described.Components.Schemas)
	if err != nil {
		return nil, err
	}
	op.Description = e.op.Description
	if e.op.Describe != nil {
		op.Description = strings.TrimSpace(op.Description + "\n\n" + e.op.Describe())
	}
	e.documentRequest(op, described.Components.Schemas)
	e.documentHeaders(op.Responses)
	e.documentErrors(op, described.Components.Responses)
	if err := e.documentAnswers(op, described.Components.Schemas, answers); err != nil {
		return nil, err
	}
	d.documentExamples(op, described.Components.Schemas, answers)
	standardize(op)

	return op, nil
}

// documentRequest documents the body of an operation that decodes it itself.
func (e *endpoint) documentRequest(op *huma.Operation, requests huma.Registry) {
	if !e.raw {
		return
	}
	schema := e.op.RequestSchema()
	if name := e.op.RequestName; name != "" {
		if name == strings.ToLower(name) {
			name = schemas.Camel(e.info.Prefix) + schemas.Camel(name)
		}
		requests.Map()[name] = schema
		schema = &huma.Schema{Ref: schemas.Prefix + name}
	}
	op.RequestBody.Content[mediaJSON].Schema = schema
}

// standardize leaves out of the schemas of an operation what OpenAPI does not have.
func standardize(op *huma.Operation) {
	for _, p := range op.Parameters {
		schemas.Standard(p.Schema)
	}
	bodies := []map[string]*huma.MediaType{}
	if op.RequestBody != nil {
		bodies = append(bodies, op.RequestBody.Content)
	}
	for _, response := range op.Responses {
		bodies = append(bodies, response.Content)
	}
	for _, content := range bodies {
		for _, media := range content {
			schemas.Standard(media.Schema)
		}
	}
}
