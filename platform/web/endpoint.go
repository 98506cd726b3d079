package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/platform/web/binding"
	"github.com/dispatchd/dispatchd/platform/web/stream"
	"github.com/dispatchd/dispatchd/platform/web/upload"
)

// endpoint is an operation while it is served.
type endpoint struct {
	api   *API
	op    Operation
	info  OperationInfo
	scope string
	// place is the method, and the path without the names of its parameters: two of the same are one route.
	place string

	input  *binding.Input
	output *binding.Output
	// handler takes a pointer to an input, and returns one to an output or nil.
	handler func(ctx context.Context, in any) (any, error)
	// made returns what reads requests and writes answers, once the first one is there.
	made func() (*binding.Plan, error)

	limit       int64
	timeout     time.Duration
	readTimeout time.Duration

	// Of the input: whether the handler decodes the body itself, it honours If-Match, there is one.
	raw, conditional, takesBody bool
	// Of the output: whether there is a body, and whether it is a Resource.
	answers, resource bool
	// streams says that the answer is written after the handler returned, uploads that the handler
	// reads the body as it arrives.
	streams, uploads bool
	// taken says that the input has a Raw.
	taken bool
	// keyed says that a request may be a repeat, by its Idempotency-Key.
	keyed bool
	// json says that the body is JSON; media are the types that it may be labelled with, none if
	// no body is read. They, the keys of the query and described are set with the first request.
	json      bool
	media     []string
	query     queryKeys
	described *huma.Operation
	// formBody makes the body of an HTML form; set with the first request, nil for an operation that takes none.
	formBody func(url.Values) ([]byte, error)
}

// newEndpoint checks an operation by itself and against those that are there already.
func (r *Router) newEndpoint(op Operation, in, out reflect.Type) (*endpoint, error) {
	if err := op.check(); err != nil {
		return nil, err
	}
	if in.Kind() != reflect.Struct || out.Kind() != reflect.Struct {
		return nil, errors.New("its input and output: want structs")
	}
	e := &endpoint{api: r.api, op: op, scope: op.Access.scope(r.prefix)}
	e.info = OperationInfo{
		Area: r.area, Prefix: r.prefix, Method: op.Method, Path: r.root() + op.Path, ID: r.prefix + "_" + op.name(),
		Summary: op.Summary, Access: op.Access, Callers: op.Callers, HoldsSecrets: op.holdsSecrets(), Errors: op.Errors, Output: out,
	}
	if e.scope != "" {
		e.info.Access = Access(e.scope)
	}
	e.setLimits()
	e.made = sync.OnceValues(e.compile)

	return e, errors.Join(e.readTypes(in, out), e.readTags(in, out), e.checkUnique())
}

func (e *endpoint) setLimits() {
	s := e.api.settings
	e.limit, e.timeout, e.readTimeout = int64(s.BodyLimit), s.RequestTimeout, s.ReadTimeout
	if e.op.MaxBody > 0 {
		e.limit = int64(e.op.MaxBody)
	}
	if e.op.Timeout > 0 {
		e.timeout = e.op.Timeout
	}
	if e.op.ReadTimeout > 0 {
		e.readTimeout = e.op.ReadTimeout
	}
}

// readTags reads how the input and the output are bound to requests and answers.
func (e *endpoint) readTags(in, out reflect.Type) (err error) {
	var wrong error
	e.input, err = e.api.inputOf(in)
	e.output, wrong = binding.OutputOf(out)

	return errors.Join(err, wrong, e.readPath())
}

// readTypes looks for what inputs and outputs have by embedding or being a type.
func (e *endpoint) readTypes(in, out reflect.Type) error {
	e.raw = reflect.PointerTo(in).Implements(reflect.TypeFor[rawInput]())
	e.conditional = reflect.PointerTo(in).Implements(reflect.TypeFor[conditional]())
	e.resource = reflect.PointerTo(out).Implements(reflect.TypeFor[versioned]())
	_, e.answers = out.FieldByName("Body")
	_, typed := in.FieldByName("Body")
	_, unread := in.FieldByName("RawBody")
	e.streams = reflect.PointerTo(out).Implements(reflect.TypeFor[stream.Output]())
	e.uploads = reflect.PointerTo(in).Implements(reflect.TypeFor[upload.Receiver]())
	e.taken = reflect.PointerTo(in).Implements(reflect.TypeFor[inputWithRaw]())
	e.takesBody = typed || unread || e.uploads
	e.keyed = e.keyable(in, out)

	if e.uploads && e.op.Timeout == 0 {
		e.timeout = e.api.settings.Streams.MaxDuration
	}

	for f := range in.Fields() {
		if f.Anonymous && !f.IsExported() {
			return fmt.Errorf("its input embeds %s, which is ignored: export it", f.Type)
		}
	}

	if err := errors.Join(e.checkStreams(out, typed || unread), e.checkRaw(), checkForm(e, typed)); err != nil {
		return err
	}
	switch {
	case e.takesBody && e.op.Method == http.MethodGet:
		return errors.New("a GET has no body")
	case e.op.BodyOptional && !e.uploads:
		return errors.New("its BodyOptional: that is for an input with an Upload")
	case e.op.Page != nil && e.streams:
		return errors.New("its Page: that is not for an answer that is a stream")
	case e.raw && e.op.RequestSchema == nil:
		return errors.New("its input is RawJSON: describe the body in RequestSchema")
	case !e.raw && e.op.RequestSchema != nil:
		return errors.New("RequestSchema is for an input with RawJSON")
	}

	return nil
}

// checkUnique refuses an id or a place that is taken.
func (e *endpoint) checkUnique() error {
	if other, taken := e.api.ids[e.info.ID]; taken {
		return fmt.Errorf("its id %s is used by %s %s", e.info.ID, other.info.Method, other.info.Path)
	}
	if other, taken := e.api.places[e.place]; taken {
		return fmt.Errorf("%s %s is served by operation %q", e.info.Method, e.info.Path, other.info.ID)
	}

	return nil
}

// declared is what the operation says of itself, before its types are described.
func (e *endpoint) declared() *huma.Operation {
	op := &huma.Operation{
		OperationID: e.info.ID, Method: e.info.Method, Path: e.info.Path,
		Summary: e.op.Summary, Tags: []string{e.info.Prefix},
		DefaultStatus: e.output.Status(e.op.Status),
		Parameters:    e.parameters(),
		Security:      []map[string][]string{}, // no token is required
	}
	if e.scope != "" {
		op.Security = append(op.Security, map[string][]string{securityScheme: e.scopes()})
	}

	return op
}

// scopes are those that a token must have.
func (e *endpoint) scopes() []string {
	if e.op.Access == SignedIn {
		return []string{}
	}

	return []string{e.scope}
}
