package state

import (
	"cmp"
	"context"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Handlers are what an area adds to its machine for the API.
type Handlers[S ~string, B any] struct {
	// Path is that of the thing, with its id as {uuid}: "/loads/{uuid}".
	Path string
	// ReadAccess is what the list of transitions asks for, and WriteAccess what verbs do that name no scope: web.Read and
	// web.Write if they are not given.
	ReadAccess, WriteAccess web.Access
	// Current returns the state of the caller's thing with that id, and the thing itself for
	// guards; or the area's own failure where there is none.
	Current func(ctx context.Context, id uuid.UUID) (S, any, error)
	// Log is the log of transitions, whose clock timed guards go by.
	Log *Log
	// Apply runs the verb of the move, whose Thing is not set: in a transaction it reads the thing,
	// checks match, asks the machine's Apply, and stores the state.
	Apply func(ctx context.Context, move Move, match web.IfMatch) (*web.Resource[B], error)
	// Own are the verbs that the area serves by a handler of its own.
	Own []string
	// Errors are the area's failures of both, that of a thing which is not there at least.
	Errors []*errs.Error
}

// Declare adds to an area's router, for each verb of the machine, POST <path>/<verb>, and GET
// <path>/transitions, which lists what the caller may do now. Where every step of a verb asks for
// the same scope, the operation does; other verbs ask for the WriteAccess, and Apply decides.
func Declare[S ~string, B any](r *web.Router, m Machine[S], h Handlers[S, B]) {
	DeclareTyped(r, m, Handlers[S, struct{}]{
		Path: h.Path, ReadAccess: h.ReadAccess, WriteAccess: h.WriteAccess, Current: h.Current, Log: h.Log, Own: h.Own, Errors: h.Errors,
	}, reflect.TypeFor[web.Resource[B]](), func(ctx context.Context, move Move, match web.IfMatch) (any, error) {
		answer, err := h.Apply(ctx, move, match)
		if answer == nil {
			return nil, err
		}

		return answer, err
	})
}

// DeclareTyped is Declare for answers of a type that is known when the service runs, out: a web.Resource. Apply takes the place of the
// handlers' Apply, and returns a pointer to one.
func DeclareTyped[S ~string](
	r *web.Router, m Machine[S], h Handlers[S, struct{}], out reflect.Type, apply func(ctx context.Context, move Move, match web.IfMatch) (any, error),
) {
	h.ReadAccess, h.WriteAccess = cmp.Or(h.ReadAccess, web.Read), cmp.Or(h.WriteAccess, web.Write)
	for _, verb := range m.Verbs() {
		if !m.ownVerb(verb) && !slices.Contains(h.Own, verb) {
			declareVerb(r, m, h, verb, out, apply)
		}
	}
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: h.Path + "/transitions", ID: "list_" + m.name() + "_transitions", Access: h.ReadAccess,
		Summary: "List the transitions available for a " + spaced(m.name()),
		Errors:  h.Errors,
	}, func(ctx context.Context, in *transitionsInput) (*transitionsOutput, error) {
		current, thing, err := h.Current(ctx, in.UUID)
		if err != nil {
			return nil, err
		}
		p, _ := principal.From(ctx)
		allowed, err := m.Allowed(ctx, h.Log, current, thing, p)
		if err != nil {
			return nil, err
		}
		allowed = slices.DeleteFunc(allowed, func(step Step[S]) bool { return !p.Allows(m.area() + string(m.access(step.Verb, h.WriteAccess))) })

		return show(current, allowed), nil
	})
}

// ownVerb reports whether only the service itself takes a verb's steps: that is no operation.
func (m Machine[S]) ownVerb(verb string) bool {
	return !slices.ContainsFunc(m.Steps, func(step Step[S]) bool {
		return step.Verb == verb && !slices.Equal(step.Who.Kinds, []principal.Kind{principal.System})
	})
}

func declareVerb[S ~string](
	r *web.Router, m Machine[S], h Handlers[S, struct{}], verb string, out reflect.Type, apply func(ctx context.Context, move Move, match web.IfMatch) (any, error),
) {
	refusals := append(slices.Clone(h.Errors), ErrNotAllowed, ErrNotYours, ErrMoved)
	if m.reasoned(verb) {
		refusals = append(refusals, ErrNoReason)
	}
	web.RegisterTyped(r, web.Operation{
		Method: http.MethodPost, Path: h.Path + "/" + verb, ID: verb + "_" + m.name(), Access: m.access(verb, h.WriteAccess),
		Summary:     strings.ToUpper(verb[:1]) + spaced(verb[1:]) + " a " + spaced(m.name()),
		Description: m.describe(verb),
		Errors:      refusals,
	}, out, func(ctx context.Context, in *moveInput) (any, error) {
		move := Move{Verb: verb, UUID: in.UUID}
		if in.Body != nil {
			move.Party, move.Reason = in.Body.Party, in.Body.Reason
		}

		return apply(ctx, move, in.IfMatch)
	})
}

// reasoned reports whether a step of a verb needs a reason.
func (m Machine[S]) reasoned(verb string) bool {
	return slices.ContainsFunc(m.Steps, func(step Step[S]) bool { return step.Verb == verb && step.Reasoned })
}

// access is the one scope of a verb, or what verbs ask for otherwise.
func (m Machine[S]) access(verb string, otherwise web.Access) web.Access {
	var scopes []string
	for _, step := range m.Steps {
		if step.Verb == verb && !slices.Contains(scopes, step.Who.Scope) {
			scopes = append(scopes, step.Who.Scope)
		}
	}
	if len(scopes) == 1 && scopes[0] != "" {
		return web.Scope(scopes[0])
	}

	return otherwise
}

// describe says from where a verb leads where.
func (m Machine[S]) describe(verb string) string {
	var lines []string
	for _, step := range m.Steps {
		if step.Verb != verb {
			continue
		}
		from := make([]string, 0, len(step.From))
		for _, s := range step.From {
			from = append(from, "`"+string(s)+"`")
		}
		line := "- from " + strings.Join(from, ", ") + " to `" + string(step.To) + "`"
		if step.Guard.name != "" {
			line += ", if " + step.Guard.name
		}
		if step.Reasoned {
			line += "; the reason is required"
		}
		lines = append(lines, line)
	}

	return strings.Join(lines, "\n")
}

func spaced(name string) string { return strings.ReplaceAll(name, "_", " ") }

type moveInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body *moveBody
}

// moveBody is what a move may say.
type moveBody struct {
	Reason string `json:"reason,omitempty" maxLength:"1000" doc:"The reason; kept in the log."`
	Party  string `json:"party,omitempty" maxLength:"100" doc:"On whose behalf; kept in the log."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (moveBody) SchemaName() string { return "StateMove" }

type transitionsInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type transitionsOutput struct{ Body transitionsBody }

type transitionsBody struct {
	Current string           `json:"current" doc:"The current state."`
	Data    []transitionBody `json:"data" nullable:"false"`
}

// SchemaName is the name of the list in the OpenAPI document.
func (transitionsBody) SchemaName() string { return "StateTransitions" }

type transitionBody struct {
	Verb string `json:"verb"`
	To   string `json:"to" doc:"The resulting state."`
	// Reasoned is true for a step that needs a reason.
	Reasoned bool `json:"reason_required,omitempty" doc:"Whether the verb needs a reason."`
}

// SchemaName is the name of the item in the OpenAPI document.
func (transitionBody) SchemaName() string { return "StateTransition" }

func show[S ~string](current S, allowed []Step[S]) *transitionsOutput {
	out := &transitionsOutput{Body: transitionsBody{Current: string(current), Data: []transitionBody{}}}
	for _, step := range allowed {
		out.Body.Data = append(out.Body.Data, transitionBody{Verb: step.Verb, To: string(step.To), Reasoned: step.Reasoned})
	}

	return out
}
