package web

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"
	"github.com/gofiber/fiber/v2"

	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web/jsonbody"
	"github.com/dispatchd/dispatchd/platform/web/schemas"
)

// add has requests for the operation come to it. Huma describes its types, which takes longer than all else that a start does for
// it, when it is first called, and once more for the document.
func (r *Router) add(e *endpoint) {
	a := r.api
	a.endpoints = append(a.endpoints, e)
	a.ids[e.info.ID], a.places[e.place] = e, e
	e.addVerb()
	a.largest = max(a.largest, e.limit)
	for _, path := range []string{e.op.Path, e.op.Formerly} {
		if path != "" {
			a.routes.Add(e.info.Method, strings.ReplaceAll(strings.ReplaceAll(r.prefix()+path, "{", ":"), "}", ""), e.handle)
		}
	}
}

// handle answers a request.
func (e *endpoint) handle(c *fiber.Ctx) error {
	handler, err := e.made()
	if err != nil {
		return fmt.Errorf("operation %q: %w", e.info.ID, err)
	}

	return handler(c)
}

// compileHandler has Huma make what serves the operation. Its schemas are its own: those of operations that are called at the same time
// are made independently.
func (e *endpoint) compileHandler() (fiber.Handler, error) {
	var routes routeTable
	api := e.api.newHuma(&routes, &huma.OpenAPI{Components: &huma.Components{Schemas: schemas.NewRequests(&schemas.Names{Area: schemas.Camel(e.info.Area)})}})
	op, err := e.register(api)
	if err != nil {
		return nil, err
	}
	if op.RequestBody != nil {
		_, e.json = op.RequestBody.Content[mediaJSON]
		for media := range op.RequestBody.Content {
			e.media = append(e.media, media)
		}
		slices.Sort(e.media)
	}
	e.query, e.body = newQueryKeys(op.Parameters), bodyKeysOf(api.OpenAPI().Components.Schemas, op)
	e.query.lenient = e.opensByLink()
	op.Responses, api.OpenAPI().Paths = nil, nil
	keepOfRequests(api.OpenAPI().Components.Schemas.Map(), op)

	return routes.routes[0].handlers[0], nil
}

// keepOfRequests drops the schemas of answers, which are of no use while requests are served.
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

// register registers the operation with Huma, and adds what that does not know of.
func (e *endpoint) register(api huma.API) (*huma.Operation, error) {
	if err := recoverPanics(func() { e.declare(api) }); err != nil {
		return nil, err
	}
	op := operationOf(api.OpenAPI().Paths[e.info.Path], e.info.Method)
	e.documentStreams(op)
	documentForm(e, op)
	if op.RequestBody != nil && e.op.Method == fiber.MethodPatch && op.RequestBody.Content[mediaJSON] != nil {
		op.RequestBody.Content[mediaMergePatch] = op.RequestBody.Content[mediaJSON]
	}

	return op, nil
}

// newHuma makes a registry of operations, whose handlers go to the routes. Huma serves nothing by itself here: no docs page
// from elsewhere, no $schema in bodies.
func (a *API) newHuma(routes *routeTable, described *huma.OpenAPI) huma.API {
	return humafiber.NewWithGroup(a.app, routes, huma.Config{
		OpenAPI:       described,
		Formats:       map[string]huma.Format{mediaJSON: jsonbody.Format},
		DefaultFormat: mediaJSON,
		Transformers:  []huma.Transformer{list.Trim, minimize},
	})
}
