package web

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/telemetry"
	"github.com/dispatchd/dispatchd/platform/web/etag"
	"github.com/dispatchd/dispatchd/platform/web/httperror"
	"github.com/dispatchd/dispatchd/platform/web/jsonbody"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// Thing is a kind of things that have verbs: the operations POST <Path>/{uuid}/<verb>, of one part, and those that
// Operation.ActsOn adds to the items of the type.
type Thing struct {
	// Item is "loads.load", and Path is "/loads/api/v1/loads".
	Item, Path string
}

// ActsOn makes an operation, which has the id of an item in its body, a verb of that item.
type ActsOn struct {
	// Item is the type of the item, Verb the name of the verb, and Key the key of the id in the body.
	Item, Verb, Key string
}

// Act asks for a verb of a thing, in the course of another request.
type Act struct {
	Verb string
	UUID uuid.UUID
	// Version is the one that the thing must have, 0 for any. An operation without If-Match ignores it: see Conditional.
	Version int64
	// Body is a JSON object, nil for none.
	Body []byte
}

// Acted is the answer of an operation.
type Acted struct {
	// Location is the path of the resource, "" if the answer is none.
	Location string
	// Body is the body, nil if there is none.
	Body []byte
}

// Verbs returns the sorted verbs that things of a kind have here.
func (a *API) Verbs(of Thing) []string {
	var verbs []string
	for key := range a.verbs {
		if key.of == of.Item || key.of == of.Path {
			verbs = append(verbs, key.verb)
		}
	}
	slices.Sort(verbs)

	return verbs
}

// Conditional reports whether the operation of a verb honours a version.
func (a *API) Conditional(of Thing, verb string) bool {
	e := a.actor(of, verb)

	return e != nil && e.conditional
}

// MayAct returns nil if the caller may call the operation of a verb, and else what it would answer.
func (a *API) MayAct(ctx context.Context, of Thing, verb string) error {
	e := a.actor(of, verb)
	if e == nil {
		return nil // Act says so
	}
	who, _ := principal.From(ctx)
	if err := e.permit(who); err != nil {
		return err
	}

	return e.gated(ctx, who)
}

// Act does what the operation of a verb does, for the caller in ctx and in the transaction in ctx: with the same checks of scope
// and body, and the same failures. It does not count as a request. Errors are those of MayAct and of the operation.
func (a *API) Act(ctx context.Context, of Thing, do Act) (Acted, error) {
	e := a.actor(of, do.Verb)
	if e == nil {
		return Acted{}, fmt.Errorf("%s has no verb %q", of.Item, do.Verb)
	}
	if err := a.MayAct(ctx, of, do.Verb); err != nil {
		return Acted{}, err
	}
	plan, err := e.made()
	if err != nil {
		return Acted{}, err
	}
	body, err := e.bodyOf(do)
	if err != nil {
		return Acted{}, err
	}
	ctx = telemetry.WithOperation(telemetry.WithArea(ctx, e.info.Area), telemetry.Operation{ID: e.info.ID, Address: ClientIP(ctx), Item: do.UUID})
	in, refusal := plan.Read(&acting{ctx: ctx, endpoint: e, do: do}, body)
	if refusal != nil {
		return Acted{}, refusal
	}
	out, err := e.handler(ctx, in)
	if err != nil {
		return Acted{}, err
	}

	return e.actedOf(out)
}

// verbKey is a verb of the things with a path, or of the items of a type.
type verbKey struct{ of, verb string }

func (a *API) actor(of Thing, verb string) *endpoint {
	if e := a.verbs[verbKey{of.Path, verb}]; e != nil {
		return e
	}

	return a.verbs[verbKey{of.Item, verb}]
}

// addVerb enters the operation as a verb, if it is one: it can run in the transaction of another request.
func (e *endpoint) addVerb() {
	if !e.keyed || e.op.Callers == OfOperator {
		return
	}
	if on := e.op.ActsOn; on.Verb != "" {
		e.api.verbs[verbKey{on.Item, on.Verb}] = e
	}
	path, verb, found := strings.Cut(e.info.Path, "/{uuid}/")
	if found && nameRule.MatchString(verb) && !strings.Contains(path, "{") {
		e.api.verbs[verbKey{path, verb}] = e
	}
}

// bodyOf returns the body that the operation reads of an act, or refuses it.
func (e *endpoint) bodyOf(do Act) ([]byte, error) {
	body := do.Body
	if key := e.op.ActsOn.Key; key != "" && do.Verb == e.op.ActsOn.Verb {
		if rawjson.Member(body, key) != nil {
			return nil, httperror.ErrInvalid.WithField(key, "`"+key+"` is the item's uuid. Leave it out.")
		}
		body = withMember(body, key, do.UUID.String())
	}
	if body == nil {
		body = []byte("{}")
	}
	if !e.takesBody {
		return nil, jsonbody.Decode(body, &struct{}{})
	}
	for _, check := range e.api.bodyChecks[e.info.Area] {
		if check.wrong(body) {
			return nil, check.refusal
		}
	}
	if int64(len(body)) > e.limit {
		return nil, e.tooLarge()
	}
	if e.raw { // it belongs to the handler
		body = bytes.Clone(body)
	}

	return body, nil
}

// withMember is an object, nil for an empty one, with a further member in front.
func withMember(object []byte, key, text string) []byte {
	with := append([]byte(`{"`+key+`":`), rawjson.Quote(text)...)
	rest := bytes.TrimSpace(object)
	if len(rest) > 0 {
		rest = bytes.TrimSpace(rest[1:])
	}
	switch {
	case len(rest) == 0:
		return append(with, '}')
	case rest[0] != '}':
		with = append(with, ',')
	}

	return append(with, rest...)
}

// actedOf is the answer that an output makes.
func (e *endpoint) actedOf(out any) (acted Acted, err error) {
	if resource, ok := out.(versioned); ok {
		acted.Location = resource.path()
	}
	if e.answers && out == nil {
		return acted, stream.ErrNoOutput
	}
	if e.answers {
		acted.Body, err = jsonbody.Encode(reflect.Indirect(reflect.ValueOf(out)).FieldByName("Body").Interface())
	}

	return acted, err
}

type humaContext huma.Context

// acting is an Act as what reads an input sees it.
type acting struct {
	humaContext // nil: nothing else is asked of it

	ctx      context.Context
	endpoint *endpoint
	do       Act
}

// Context implements huma.Context.
func (c *acting) Context() context.Context { return c.ctx }

// URL implements huma.Context.
func (c *acting) URL() url.URL { return url.URL{Path: c.endpoint.info.Path} }

// Param implements huma.Context.
func (c *acting) Param(string) string { return c.do.UUID.String() }

// Query implements huma.Context.
func (c *acting) Query(string) string { return "" }

// Header implements huma.Context.
func (c *acting) Header(name string) string {
	if name == fiber.HeaderIfMatch && c.do.Version != 0 {
		return etag.Of(c.do.Version)
	}

	return ""
}
