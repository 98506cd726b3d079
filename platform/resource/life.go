package resource

import (
	"context"
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
type Life[R any] interface {
	line() fx.Option
	begin(row *R)
	has(verb Verb) bool
	states() []any
	firstVerb() string
	describe() (initial string, steps []Step)
	address(row *R) any
	routes(router *web.Router, r *Resource[R], failures []*errs.Error)
	move(ctx context.Context, log *state.Log, row *R, move state.Move) error
}

// LifeOf is a life by a machine, whose state is the field that at returns. Callers do not write it.
func LifeOf[R any, S ~string](machine state.Machine[S], at func(row *R) *S) Life[R] {
	return life[R, S]{machine, at}
}

type life[R any, S ~string] struct {
	machine state.Machine[S]
	at      func(row *R) *S
}

// line implements Life.
func (l life[R, S]) line() fx.Option { return state.Life(l.machine) }

// begin implements Life.
func (l life[R, S]) begin(row *R) {
	if now := l.at(row); !slices.Contains(l.machine.Starts, *now) {
		*now = l.machine.Initial
	}
}

// has implements Life.
func (l life[R, S]) has(verb Verb) bool { return slices.Contains(l.machine.Verbs(), string(verb)) }

// states implements Life.
func (l life[R, S]) states() []any {
	var all []any
	for _, s := range l.machine.States() {
		all = append(all, string(s))
	}

	return all
}

// firstVerb implements Life.
func (l life[R, S]) firstVerb() string {
	if _, steps := l.describe(); len(steps) > 0 {
		return steps[0].Verb
	}

	return "{verb}"
}

// describe implements Life. It leaves out what only the service does.
func (l life[R, S]) describe() (initial string, steps []Step) {
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

// address implements Life.
func (l life[R, S]) address(row *R) any { return l.at(row) }

// move implements Life.
func (l life[R, S]) move(ctx context.Context, log *state.Log, row *R, move state.Move) (err error) {
	move.Thing = *row
	*l.at(row), err = l.machine.Apply(ctx, log, *l.at(row), move)

	return err
}

// routes implements Life.
func (l life[R, S]) routes(router *web.Router, r *Resource[R], failures []*errs.Error) {
	state.Declare(router, l.machine, state.Handlers[S, R]{
		Path: "/" + r.Plural + "/{uuid}", ReadAccess: r.ReadAccess, WriteAccess: r.WriteAccess, Log: r.engine.states, Errors: failures, Own: ownVerbs(r.Own),
		Current: func(ctx context.Context, id uuid.UUID) (S, any, error) {
			row, err := r.Find(ctx, id)

			return *l.at(&row), row, err
		},
		Apply: func(ctx context.Context, move state.Move, match web.IfMatch) (*web.Resource[R], error) {
			row, err := r.Move(ctx, move, match)

			return r.Answer(ctx, row, err)
		},
	})
}

func ownVerbs(verbs []Verb) []string {
	names := make([]string, len(verbs))
	for i, verb := range verbs {
		names[i] = string(verb)
	}

	return names
}

// Move takes a step of the life of the row that the move names. Errors are those of Change, state.ErrNotAllowed,
// state.ErrNotYours, and those of guards.
func (r *Resource[R]) Move(ctx context.Context, move state.Move, match web.IfMatch) (R, error) {
	return r.Change(ctx, move.UUID, match, Verb(move.Verb), func(ctx context.Context, row *R) error {
		return r.Step(ctx, row, move)
	})
}

// Step takes a step of the life of a row that is about to be stored, for those who decide about it: a change of other fields
// that moves the row on. The move's UUID and Part are filled in. Errors are those of Move.
func (r *Resource[R]) Step(ctx context.Context, row *R, move state.Move) error {
	move.UUID, move.Part = columns.MetaOf(row).ID, r.partOf(*row)

	return r.Life.move(ctx, r.engine.states, row, move)
}
