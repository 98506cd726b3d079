package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web/sse"
)

// Operation declares one operation of an area.
type Operation struct {
	// Method is GET, POST, PUT, PATCH, DELETE or OPTIONS. A GET answers HEAD too.
	Method string
	// Path comes after /<area>/api/v1: "/records/{uuid}".
	Path string
	// Formerly is an earlier Path, which is still served and not documented; "" for none.
	Formerly string
	// ID names the operation in its area: "create_record". Clients know it as <area>_create_record.
	ID string
	// Summary is a line for people, Description as much Markdown as is useful.
	Summary, Description string
	// Describe makes, when the document is written, what it says after the Description; nil for nothing.
	Describe func() string
	// Access says which scope it needs.
	Access Access
	// Callers says whether it is for companies, which is the zero value, for the operator, or both.
	Callers Callers
	// Secret says that the answer carries a secret, such as the text of a token: nobody may keep it,
	// and what is stored of it, for repeats of the same Idempotency-Key, is encrypted.
	Secret bool
	// Outside says that a POST asks others outside of the service while it is handled, and writes nothing. It ignores Idempotency-Key, whose
	// transaction would wait for them.
	Outside bool
	// Errors are the expected failures that are the operation's own, at least one. Those of the
	// platform (no token, unknown keys, a deadline …) are documented without being listed.
	Errors []*errs.Error
	// MaxBody is the largest body in bytes; zero is web.body_limit.
	MaxBody config.Size
	// Timeout is the time that a request may take; zero is web.request_timeout.
	Timeout time.Duration
	// ReadTimeout is the time that the body may take to arrive; zero is web.read_timeout.
	ReadTimeout time.Duration
	// Status of success; zero is 200 with a body and 204 without.
	Status int
	// Produces are the media types of an answer that is a Stream, such as text/csv.
	Produces []string
	// Events are the kinds of events of an answer that is Events.
	Events []sse.Doc
	// Consumes are the media types of a body that is an Upload or Raw; multipart/form-data is one.
	Consumes []string
	// Admit decides, for an input with Raw, on a request before its body is read. The handler gets the context.
	Admit func(ctx context.Context, h Head) (context.Context, Admitted, error)
	// BodyOptional says that an Upload may have no body at all, and no media type then.
	BodyOptional bool
	// Headers are those of every answer of the operation, refusals among them, as pairs of name and value.
	Headers [][2]string
	// OAuth has refusals carry "error" and "error_description" too, as RFC 6749 (5.2) wants of the endpoint that issues
	// tokens: the code "<area>.invalid_client" is the error "invalid_client".
	OAuth bool
	// Page is how browsers are answered, which ask for text/html; nil answers them as everybody.
	Page func(Answer) Page
	// TakesForm says that the operation takes an HTML form, too (application/x-www-form-urlencoded), whose fields have the names of the body's
	// properties: see platform/web/formbody.
	TakesForm bool
	// Form makes the body of an HTML form with other fields (application/x-www-form-urlencoded): its result, as JSON, is read and checked like any
	// other body. Nil takes no forms.
	Form func(url.Values) any
	// RequestSchema describes, when the document is written, the body of an operation that decodes it itself (see RawJSON).
	// RequestName is its name there: "spot_create_request" stands behind the area's, "ServiceCreateRequest" for itself; "" has it stand
	// in the operation.
	RequestSchema func() *huma.Schema
	RequestName   string
	// ActsOn has bulk requests know the operation as a verb of an item that its body names. A POST under the path of a thing,
	// /loads/{uuid}/pick_up, is a verb of it by itself.
	ActsOn ActsOn
}

// Access says who may call an operation. Its zero value is no decision, and does not boot.
type Access string

const (
	// Public lets everybody call, without a token.
	Public Access = "public"
	// SignedIn asks for a good token and no scope: what everybody may do about himself.
	SignedIn Access = "signed_in"
	// Read asks for the scope "<area>:read".
	Read Access = ":read"
	// Write asks for the scope "<area>:write".
	Write Access = ":write"
)

// Scope asks for a finer scope of the area: Scope("define") is "<area>:define".
func Scope(name string) Access { return Access(":" + name) }

// OperationInfo is an operation as it is served.
type OperationInfo struct {
	// Area is the id of the area.
	Area string
	// Prefix is what ID and Access begin with: the id of the area, but for module.NamesOf.
	Prefix string
	// Method and Path are as in the OpenAPI document: "/sms/api/v1/numbers/{uuid}".
	Method, Path string
	// ID is unique in the deployment: "sms_read_number".
	ID string
	// Summary is a line for people.
	Summary string
	// Access is Public, SignedIn or the whole name of a scope, such as "sms:read".
	Access Access
	// Callers says whether it is for companies, the operator, or both.
	Callers Callers
	// HoldsSecrets says that its answers may have a secret.
	HoldsSecrets bool
	// Errors are the failures that the operation declared.
	Errors []*errs.Error
	// Output is the type of the handler's output.
	Output reflect.Type
}

var nameRule = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// Register declares an operation. I is its input: a struct whose fields come from the path, the
// query, headers ("path", "query" and "header" tags) and Body; embed IfMatch, RawJSON or
// list.Input for what they do. O is its output: header fields and Body, or Resource. The handler's
// errors are errs; any other error is a defect of ours and answered with 500.
//
// What is wrong with the declaration is reported by the API's Mount, so a service that has such an
// operation does not start. What is wrong with the schemas of its types, such as a bound that is no
// number, comes to light when the operation is first called, and in the document.
func Register[I, O any](r *Router, op Operation, handler func(context.Context, *I) (*O, error)) {
	r.register(op, reflect.TypeFor[I](), reflect.TypeFor[O](), func(ctx context.Context, in any) (any, error) {
		out, err := handler(ctx, in.(*I)) //nolint:forcetypeassert // it was made by its type
		if out == nil {
			return nil, err
		}

		return out, err
	})
}

// RegisterTyped is Register for an output of a type that is known when the service runs: the handler returns a pointer to one, or nil.
func RegisterTyped[I any](r *Router, op Operation, out reflect.Type, handler func(context.Context, *I) (any, error)) {
	r.register(op, reflect.TypeFor[I](), out, func(ctx context.Context, in any) (any, error) {
		return handler(ctx, in.(*I)) //nolint:forcetypeassert // it was made by its type
	})
}

// register is Register for the types of an input and an output. There is a copy of Register in the program for each operation, and one
// of this.
func (r *Router) register(op Operation, in, out reflect.Type, handler func(context.Context, any) (any, error)) {
	e, err := r.newEndpoint(op, in, out)
	if err != nil {
		r.addProblem(op, err)

		return
	}
	if r.api.serves(e.info.ID) {
		e.handler = handler
		r.add(e)
	}
}

// check reports everything that is wrong with an operation by itself.
func (op Operation) check() error {
	var problems []error
	problem := func(text string) { problems = append(problems, errors.New(text)) }

	switch op.Method {
	case http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
	default:
		problem("its method is " + op.Method + ": want GET, POST, PUT, PATCH, DELETE or OPTIONS")
	}
	if !strings.HasPrefix(op.Path, "/") {
		problem("its path does not start with a slash")
	}
	if !nameRule.MatchString(op.name()) {
		problem("its ID: want lower case letters, digits and underscores, such as create_record")
	}
	if op.Summary == "" {
		problem("it has no summary")
	}
	if op.Access == "" {
		problem("it has no access: set Access to web.Read, web.Write, web.Scope(…), web.SignedIn or web.Public")
	} else if op.Access != Public && op.Access != SignedIn && (!strings.HasPrefix(string(op.Access), ":") || !nameRule.MatchString(string(op.Access[1:]))) {
		problem(fmt.Sprintf("its access %q is not the name of a scope", op.Access))
	}
	if op.Access == Public && op.Callers != OfCompany {
		problem("it is public and restricts its callers, but a caller without a token is not known")
	}
	if len(op.Errors) == 0 {
		problem("it documents no errors: list its failures in Errors")
	}
	for _, e := range op.Errors {
		if e == nil || e.Code == "" || e.Message == "" {
			problem("an error in Errors has no code or no message")
		}
	}

	return errors.Join(problems...)
}

// name is the ID with underscores.
func (op Operation) name() string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == ' ' {
			return '_'
		}

		return r
	}, op.ID)
}

// scope returns the scope that the area asks for, "" if it is public. That of SignedIn is none that a
// token may have to have.
func (a Access) scope(area string) string {
	switch a {
	case Public:
		return ""
	case SignedIn:
		return string(SignedIn)
	case Read, Write:
	}

	return area + string(a)
}
