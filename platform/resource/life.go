package resource

import (
	"context"
	"reflect"
	"slices"

	"github.com/google/uuid"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Life is the life of the rows of a resource; see LifeOf.
type Life[R any] struct {
	cycle lifecycle // nil for none
}

// lifecycle is a life whatever the types of the rows and of their states.
type lifecycle interface {
	line() fx.Option
	begin(row any)
	has(verb Verb) bool
	state(row any) string
	states() []any
	firstVerb() string
	describe() (initial string, steps []Step)
	address(row any) any
	step(ctx context.Context, log *state.Log, row any, move state.Move) error
	routes(router *web.Router, r *table, failures []*errs.Error)
}

// LifeOf is a life by a machine, whose state is the field that at returns. Callers do not write it.
func LifeOf[R any, S ~string](machine state.Machine[S], at func(row *R) *S) Life[R] {
	return Life[R]{life[S]{machine, func(row any) *S { return at(typed[R](row)) }}}
}

type life[S ~string] struct {
	machine state.Machine[S]
	at      func(row any) *S
}

// line implements lifecycle.
func (l life[S]) line() fx.Option { return state.Life(l.machine) }

// begin implements lifecycle.
func (l life[S]) begin(row any) {
	if now := l.at(row); !slices.Contains(l.machine.Starts, *now) {
		*now = l.machine.Initial
	}
}

// has implements lifecycle.
func (l life[S]) has(verb Verb) bool { return slices.Contains(l.machine.Verbs(), string(verb)) }

// state implements lifecycle.
func (l life[S]) state(row any) string { return string(*l.at(row)) }

// states implements lifecycle.
func (l life[S]) states() []any {
	var all []any
	for _, s := range l.machine.States() {
		all = append(all, string(s))
	}

	return all
}

// firstVerb implements lifecycle.
func (l life[S]) firstVerb() string {
	if _, steps := l.describe(); len(steps) > 0 {
		return steps[0].Verb
	}

	return "{verb}"
}

// describe implements lifecycle. It leaves out what only the service does.
func (l life[S]) describe() (initial string, steps []Step) {
	for _, step := range l.machine.Steps {
		if step.Automatic || (step.Who.Kinds != nil && !slices.Contains(step.Who.Kinds, principal.User)) {
			continue
		}
		for _, from := range step.From {
			steps = append(steps, Step{From: string(from), Verb: step.Verb, To: string(step.To)})
		}
	}

	return string(l.machine.Initial), steps
}

// address implements lifecycle.
func (l life[S]) address(row any) any { return l.at(row) }

// routes implements lifecycle.
func (l life[S]) routes(router *web.Router, r *table, failures []*errs.Error) {
	state.DeclareTyped(router, l.machine, state.Handlers[S, struct{}]{
		Path: "/" + r.Plural + "/{uuid}", ReadAccess: r.ReadAccess, WriteAccess: r.WriteAccess, Log: r.engine.states, Errors: failures, Own: ownVerbs(r.Own),
		Current: func(ctx context.Context, id uuid.UUID) (S, any, error) {
			row, err := r.find(ctx, id)
			if err != nil {
				return "", nil, err
			}

			return *l.at(row), reflect.ValueOf(row).Elem().Interface(), nil
		},
	}, r.shapes.one, func(ctx context.Context, move state.Move, match web.IfMatch) (any, error) {
		row, err := r.takeStep(ctx, move, match)

		return r.answer(ctx, row, err)
	})
}

// step implements lifecycle.
func (l life[S]) step(ctx context.Context, log *state.Log, row any, move state.Move) (err error) {
	move.Thing = reflect.ValueOf(row).Elem().Interface()
	*l.at(row), err = l.machine.Apply(ctx, log, *l.at(row), move)

	return err
}

func ownVerbs(verbs []Verb) []string {
	names := make([]string, len(verbs))
	for i, verb := range verbs {
		names[i] = string(verb)
	}

	return names
}

// takeStep is Resource.Move.
func (r *table) takeStep(ctx context.Context, move state.Move, match web.IfMatch) (any, error) {
	return r.change(ctx, move.UUID, match, Verb(move.Verb), func(ctx context.Context, row any) error {
		return r.step(ctx, row, move)
	})
}

// step is Resource.Step.
func (r *table) step(ctx context.Context, row any, move state.Move) error {
	m := columns.MetaOf(row)
	move.UUID, move.Part = m.ID, r.partOf(row)
	columns.SetStep(m, move.Verb)

	return r.life.step(ctx, r.engine.states, row, move)
}
