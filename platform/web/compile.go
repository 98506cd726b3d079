package web

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"github.com/dispatchd/dispatchd/platform/web/binding"
	"github.com/dispatchd/dispatchd/platform/web/schemas"
)

// add has requests for the operation come to it. Its types are described, which takes longer than all else that a start does for
// it, when it is first called, and once more for the document.
func (r *Router) add(e *endpoint) {
	a := r.api
	a.endpoints = append(a.endpoints, e)
	a.ids[e.info.ID], a.places[e.place] = e, e
	e.addVerb()
	a.largest = max(a.largest, e.limit)
	for _, path := range []string{e.op.Path, e.op.Formerly} {
		if path != "" {
			a.routes.add(e.info.Method, strings.ReplaceAll(strings.ReplaceAll(r.root()+path, "{", ":"), "}", ""), e.handle)
		}
	}
}

// compile makes what reads the requests of the operation. Its schemas are its own: those of operations that are called at the same time
// are made independently.
func (e *endpoint) compile() (*binding.Plan, error) {
	registry := schemas.NewRequests(&schemas.Names{Area: schemas.Camel(e.info.Prefix)})
	op, plan, err := e.bind(registry)
	if err != nil {
		return nil, fmt.Errorf("operation %q: %w", e.info.ID, err)
	}
	if op.RequestBody != nil {
		_, e.json = op.RequestBody.Content[mediaJSON]
		e.media = slices.Sorted(maps.Keys(op.RequestBody.Content))
	}
	e.formBody = e.formReader(op, registry)
	e.query = newQueryKeys(op.Parameters)
	e.query.lenient = e.opensByLink()
	e.described = &huma.Operation{OperationID: op.OperationID, Method: op.Method, Path: op.Path, DefaultStatus: op.DefaultStatus}
	keepOfRequests(registry.Map(), op)

	return plan, nil
}

// keepOfRequests drops the schemas that others were made of, which are of no use while requests are served.
func keepOfRequests(described map[string]*huma.Schema, op *huma.Operation) {
	needed := map[string]bool{}
	var need func(*huma.Schema)
	need = func(schema *huma.Schema) {
		for _, ref := range schemas.Refs(schema) {
			if name := ref[len(schemas.Prefix):]; !needed[name] {
				needed[name] = true
				need(described[name])
			}
		}
	}
	for _, p := range op.Parameters {
		need(p.Schema)
	}
	if op.RequestBody != nil {
		for _, media := range op.RequestBody.Content {
			need(media.Schema)
		}
	}
	maps.DeleteFunc(described, func(name string, _ *huma.Schema) bool { return !needed[name] })
}

// bind describes the operation, and returns what reads its requests.
func (e *endpoint) bind(registry huma.Registry) (*huma.Operation, *binding.Plan, error) {
	op := e.declared()
	plan, err := binding.Describe(op, registry, e.input, e.output)
	if err != nil {
		return nil, nil, err
	}
	e.documentStreams(op)
	documentForm(e, op)
	if op.RequestBody != nil && e.op.Method == fiber.MethodPatch && op.RequestBody.Content[mediaJSON] != nil {
		op.RequestBody.Content[mediaMergePatch] = op.RequestBody.Content[mediaJSON]
	}

	return op, plan, nil
}
