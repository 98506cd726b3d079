package web

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/telemetry"
	"github.com/dispatchd/dispatchd/platform/web/etag"
	"github.com/dispatchd/dispatchd/platform/web/httperror"
	"github.com/dispatchd/dispatchd/platform/web/jsonbody"
	"github.com/dispatchd/dispatchd/platform/web/schemas"
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
	c := &acting{endpoint: e, do: do}
	if err := c.readBody(); err != nil {
		return Acted{}, err
	}
	ctx = telemetry.WithOperation(telemetry.WithArea(ctx, e.info.Area), telemetry.Operation{ID: e.info.ID, Address: ClientIP(ctx), Item: do.UUID})
	c.ctx = context.WithValue(ctx, actingKey{}, c)
	made, err := e.acts()
	if err != nil {
		return Acted{}, err
	}
	c.body = made.body
	made.perform(c)

	return c.acted, c.failed
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

// compileActs has Huma make what serves the operation in the course of another request.
func (e *endpoint) compileActs() (compiledAct, error) {
	var taken handlerTaker
	api := huma.NewAPI(huma.Config{
		OpenAPI:       &huma.OpenAPI{Components: &huma.Components{Schemas: schemas.NewRequests(&schemas.Names{Area: schemas.Camel(e.info.Area)})}},
		Formats:       map[string]huma.Format{mediaJSON: jsonbody.Format},
		DefaultFormat: mediaJSON,
	}, &taken)
	op, err := e.register(api)
	if err != nil {
		return compiledAct{}, err
	}
	op.Responses, api.OpenAPI().Paths = nil, nil
	keepOfRequests(api.OpenAPI().Components.Schemas.Map(), op)

	return compiledAct{taken.handler, bodyKeysOf(api.OpenAPI().Components.Schemas, op)}, nil
}

// compiledAct serves acts.
type compiledAct struct {
	perform func(huma.Context)
	body    bodyKeys
}

// handlerTaker is an adapter that serves nothing.
type handlerTaker struct{ handler func(huma.Context) }

// Handle implements huma.Adapter.
func (h *handlerTaker) Handle(_ *huma.Operation, handler func(huma.Context)) { h.handler = handler }

// ServeHTTP implements huma.Adapter.
func (h *handlerTaker) ServeHTTP(http.ResponseWriter, *http.Request) {}

type actingKey struct{}

// acting is Huma's view of an Act. What Huma would answer is dropped: acted and failed are the answer.
type acting struct {
	ctx      context.Context
	endpoint *endpoint
	do       Act
	body     bodyKeys
	acted    Acted
	failed   error
}

// actingOf returns the Act that ctx is of, nil for a request.
func actingOf(ctx context.Context) *acting {
	c, _ := ctx.Value(actingKey{}).(*acting)

	return c
}

// readBody checks the body before Huma does.
func (c *acting) readBody() error {
	e := c.endpoint
	if key := e.op.ActsOn.Key; key != "" && c.do.Verb == e.op.ActsOn.Verb {
		if rawjson.Member(c.do.Body, key) != nil {
			return httperror.ErrInvalid.WithField(key, "`"+key+"` is the item's uuid. Leave it out.")
		}
		c.do.Body = withMember(c.do.Body, key, c.do.UUID.String())
	}
	if c.do.Body == nil {
		c.do.Body = []byte("{}")
	}
	if !e.takesBody {
		return jsonbody.Decode(c.do.Body, &struct{}{})
	}
	for _, check := range e.api.bodyChecks[e.info.Area] {
		if check.wrong(c.do.Body) {
			return check.refusal
		}
	}

	return nil
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

// done notes the outcome of the handler, and returns what Huma is given instead.
func (c *acting) done(e *endpoint, out any, err error) error {
	if err == nil {
		c.acted, err = e.actedOf(out)
	}
	c.failed = err

	return errHeld
}

// actedOf is the answer that an output makes.
func (e *endpoint) actedOf(out any) (acted Acted, err error) {
	if resource, ok := out.(versioned); ok {
		acted.Location = resource.path()
	}
	if e.answers {
		acted.Body, err = jsonbody.Encode(reflect.Indirect(reflect.ValueOf(out)).FieldByName("Body").Interface())
	}

	return acted, err
}

// refuse notes what Huma found wrong.
func (c *acting) refuse(status int, problems []error) {
	switch text := bodyProblem(problems); {
	case status == http.StatusBadRequest && text != "":
		c.failed = httperror.ErrMalformed.WithMessage("%s", text)
	case status == http.StatusBadRequest:
		c.failed = httperror.ErrNoBody
	case status == http.StatusRequestEntityTooLarge:
		c.failed = c.endpoint.tooLarge()
	default:
		c.body.suggest(problems)
		c.failed = jsonbody.Invalid(jsonbody.FieldMessages(problems))
	}
}

// Operation implements huma.Context.
func (c *acting) Operation() *huma.Operation { return nil }

// Context implements huma.Context.
func (c *acting) Context() context.Context { return c.ctx }

// TLS implements huma.Context.
func (c *acting) TLS() *tls.ConnectionState { return nil }

// Version implements huma.Context.
func (c *acting) Version() huma.ProtoVersion { return huma.ProtoVersion{} }

// Method implements huma.Context.
func (c *acting) Method() string { return c.endpoint.info.Method }

// Host implements huma.Context.
func (c *acting) Host() string { return "" }

// RemoteAddr implements huma.Context.
func (c *acting) RemoteAddr() string { return "" }

// URL implements huma.Context.
func (c *acting) URL() url.URL { return url.URL{Path: c.endpoint.info.Path} }

// Param implements huma.Context.
func (c *acting) Param(string) string { return c.do.UUID.String() }

// Query implements huma.Context.
func (c *acting) Query(string) string { return "" }

// Header implements huma.Context.
func (c *acting) Header(name string) string {
	switch {
	case name == fiber.HeaderIfMatch && c.do.Version != 0:
		return etag.Of(c.do.Version)
	case name == fiber.HeaderContentType:
		return mediaJSON
	default:
		return ""
	}
}

// EachHeader implements huma.Context.
func (c *acting) EachHeader(func(name, value string)) {}

// BodyReader implements huma.Context.
func (c *acting) BodyReader() io.Reader { return bytes.NewReader(c.do.Body) }

// GetMultipartForm implements huma.Context.
func (c *acting) GetMultipartForm() (*multipart.Form, error) { return nil, http.ErrNotMultipart }

// SetReadDeadline implements huma.Context.
func (c *acting) SetReadDeadline(time.Time) error { return nil }

// SetStatus implements huma.Context.
func (c *acting) SetStatus(int) {}

// Status implements huma.Context.
func (c *acting) Status() int { return http.StatusOK }

// SetHeader implements huma.Context.
func (c *acting) SetHeader(string, string) {}

// AppendHeader implements huma.Context.
func (c *acting) AppendHeader(string, string) {}

// BodyWriter implements huma.Context.
func (c *acting) BodyWriter() io.Writer { return io.Discard }

var _ huma.Context = (*acting)(nil)
