// Package binding reads requests into the inputs of operations, and writes their outputs, by plans that reflection compiles once for an
// operation. Nothing in it is generic: there is one copy of it in the program, not one for each operation.
//
// It carries of Huma's declarations what operations use, and refuses the rest. In an input those are the tags path, query (with explode for
// lists and deepObject for a map of texts), header, default and required; Body, a JSON value, or RawBody; defaults in a Body; and a
// Resolve method of the input itself, which may be that of a struct that it embeds. In an output they are Status, Body and
// headers that are text, integers or times. Schemas, and what is checked by them, are Huma's.
package binding

import (
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web/httperror"
	"github.com/dispatchd/dispatchd/platform/web/jsonbody"
)

const mediaJSON = "application/json"

// Plan reads the requests of an operation. It may be used from several goroutines.
type Plan struct {
	input    *Input
	output   *Output
	registry huma.Registry
	// schemas are those of the parameters, in their order, and body is that of the body.
	schemas []*huma.Schema
	body    *huma.Schema
	// optional says that there may be no body.
	optional bool
	// fill sets the defaults of a body that was read; nil if it has none.
	fill     fill
	resolves bool
}

// Describe adds to an operation the parameters and the body of its input and what it answers with if it succeeds, but for the schema of
// that, and returns the plan. Schemas that others refer to go to the registry.
func Describe(op *huma.Operation, registry huma.Registry, in *Input, out *Output) (p *Plan, err error) {
	defer recoverInto(&err)
	p = &Plan{input: in, output: out, registry: registry, resolves: reflect.PointerTo(in.of).Implements(resolver)}
	for _, each := range in.parameters {
		schema := huma.SchemaFromField(registry, each.field, "")
		p.schemas = append(p.schemas, schema)
		each.document(op, schema)
	}
	switch {
	case in.body.Index != nil:
		hint := op.OperationID + "Request"
		if in.of.Name() != "" {
			hint = in.of.Name() + in.body.Name
		}
		p.body = huma.SchemaFromField(registry, in.body, hint)
		kind := in.body.Type.Kind()
		p.optional = (kind == reflect.Pointer || kind == reflect.Interface) && in.body.Tag.Get("required") != "true"
		describeBody(op, !p.optional, mediaJSON, p.body)
		p.fill, err = fillOf(in.body.Type, map[reflect.Type]bool{})
	case in.raw.Index != nil:
		media := in.raw.Tag.Get("contentType")
		if media == "" {
			media = "application/octet-stream"
		}
		describeBody(op, true, media, &huma.Schema{Type: huma.TypeString, Format: "binary"})
	}
	out.describe(op, registry)

	return p, err
}

// recoverInto makes an error of a panic, by which Huma reports a wrong tag.
func recoverInto(err *error) {
	switch wrong := recover().(type) {
	case nil:
	case error:
		*err = wrong
	default:
		*err = fmt.Errorf("%v", wrong)
	}
}

func describeBody(op *huma.Operation, required bool, media string, schema *huma.Schema) {
	op.RequestBody = &huma.RequestBody{Required: required, Content: map[string]*huma.MediaType{media: {Schema: schema}}}
}

// document adds the parameter to an operation, unless that documents it by itself.
func (p *parameter) document(op *huma.Operation, schema *huma.Schema) {
	for _, known := range op.Parameters {
		if known.Name == p.name && known.In == p.in {
			return
		}
	}
	documented := &huma.Param{Name: p.name, In: p.in, Required: p.required, Description: schema.Description, Schema: schema}
	if p.in == "query" {
		documented.Explode = &p.repeated
	}
	if p.deep {
		documented.Style = "deepObject"
	}
	op.Parameters = append(op.Parameters, documented)
}

// check is what a request is checked with.
type check struct {
	path   *huma.PathBuffer
	result huma.ValidateResult
}

// pathLength is how long a location usually is at most.
const pathLength = 128

var checks = sync.Pool{New: func() any { return &check{path: huma.NewPathBuffer(make([]byte, 0, pathLength), 0)} }}

// release gives the check back, unless one large request made it large.
func (c *check) release() {
	const longest, most = 2048, 128
	if cap(c.path.Bytes()) > longest || cap(c.result.Errors) > most {
		return
	}
	clear(c.result.Errors)
	c.result.Reset()
	checks.Put(c)
}

// at has the check look at a parameter, or the body.
func (c *check) at(steps ...string) {
	c.path.Reset()
	for _, step := range steps {
		c.path.Push(step)
	}
}

// Read returns a new input with what a request says: a pointer to a struct. The body is kept if the input has a RawBody, and not else.
// The refusal is everything that is wrong with the request: errs.Malformed if there is no body or it is no JSON, else errs.Invalid.
func (p *Plan) Read(ctx huma.Context, body []byte) (in any, refusal *errs.Error) {
	pointer := reflect.New(p.input.of)
	in = pointer.Interface()
	c := checks.Get().(*check) //nolint:forcetypeassert // nothing else is put there
	defer c.release()

	for i := range p.input.parameters {
		p.readParameter(ctx, c, i, pointer.Elem())
	}
	if refusal = p.readBody(c, body, pointer.Elem()); refusal != nil {
		return nil, refusal
	}
	if p.resolves {
		c.result.Errors = append(c.result.Errors, in.(huma.Resolver).Resolve(ctx)...) //nolint:forcetypeassert // Describe looked
	}
	if len(c.result.Errors) == 0 {
		return in, nil
	}
	jsonbody.Suggest(c.result.Errors, p.registry, p.body)

	return nil, jsonbody.Invalid(jsonbody.FieldMessages(c.result.Errors))
}

func (p *Plan) readParameter(ctx huma.Context, c *check, i int, in reflect.Value) {
	of := &p.input.parameters[i]
	c.at(of.in, of.name)
	if of.deep {
		p.readDeep(ctx, c, i, in)

		return
	}
	text := of.text(ctx)
	if text == "" {
		text = of.fallback
	}
	if text == "" {
		c.missing(of)

		return
	}
	f := in.FieldByIndex(of.index)
	var checked any
	var problem string
	if of.repeated {
		query := ctx.URL()
		checked = setList(f, query.Query()[of.name])
	} else if checked, problem = of.parse(f, text); problem != "" {
		c.result.Add(c.path, text, problem)

		return
	}
	huma.Validate(p.registry, p.schemas[i], c.path, huma.ModeWriteToServer, checked, &c.result)
}

func (p *parameter) text(ctx huma.Context) string {
	switch p.in {
	case "path":
		return ctx.Param(p.name)
	case "query":
		return ctx.Query(p.name)
	default:
		return ctx.Header(p.name)
	}
}

func (c *check) missing(p *parameter) {
	if p.required {
		c.result.Add(c.path, "", "required "+p.in+" parameter is missing")
	}
}

// readDeep reads keys such as filter[city]. Of what is in further brackets, the first name is read.
func (p *Plan) readDeep(ctx huma.Context, c *check, i int, in reflect.Value) {
	of := &p.input.parameters[i]
	address := ctx.URL()
	var found map[string]string
	var checked map[string]any
	if strings.ContainsAny(address.RawQuery, "[%") { // else there are no brackets in it
		for key, values := range address.Query() {
			name, rest, deep := strings.Cut(key, "[")
			if !deep || name != of.name {
				continue
			}
			if found == nil {
				found, checked = map[string]string{}, map[string]any{}
			}
			inner, _, _ := strings.Cut(rest, "[")
			inner = strings.Trim(inner, "]")
			found[inner], checked[inner] = values[0], values[0]
		}
	}
	if found == nil {
		c.missing(of)

		return
	}
	in.FieldByIndex(of.index).Set(reflect.ValueOf(found))
	huma.Validate(p.registry, p.schemas[i], c.path, huma.ModeWriteToServer, checked, &c.result)
}

// readBody reads the body, if the input has one. What does not fit the schema is noted; the refusal is what makes all else irrelevant.
func (p *Plan) readBody(c *check, body []byte, in reflect.Value) (refusal *errs.Error) {
	raw := p.input.raw.Index != nil
	switch {
	case p.body == nil && !raw:
		return nil
	case len(body) == 0 && p.optional:
		return nil
	case len(body) == 0:
		return httperror.ErrNoBody
	case raw:
		in.FieldByIndex(p.input.raw.Index).SetBytes(body)

		return nil
	}
	var value any
	if err := jsonbody.Format.Unmarshal(body, &value); err != nil {
		return httperror.ErrMalformed.WithMessage("%s", err.Error())
	}
	before := len(c.result.Errors)
	c.at("body")
	huma.Validate(p.registry, p.body, c.path, huma.ModeWriteToServer, value, &c.result)
	if len(c.result.Errors) > before {
		return nil
	}
	f := in.FieldByIndex(p.input.body.Index)
	err := jsonbody.Format.Unmarshal(body, f.Addr().Interface())
	switch {
	case err != nil:
		c.result.Add(c.path, nil, err.Error())
	case p.fill != nil:
		p.fill(f)
	}

	return nil
}
