// Package state gives things a life: a table of transitions as data, and a log of those that
// happened.
//
// An area writes the table as a function and puts it into its manifest with Life, where it is
// checked when the service starts:
//
//	func lifecycle() state.Machine[status] {
//		return state.Machine[status]{
//			Item: "loads.load", Initial: draft, Final: []status{delivered, cancelled},
//			Steps: []state.Step[status]{
//				{From: []status{draft}, Verb: "post", To: posted, Guard: state.NewGuard("it has stops", hasStops)},
//				{From: []status{posted}, Verb: "deliver", To: delivered},
//				{From: []status{draft, posted}, Verb: "cancel", To: cancelled, Who: state.Who{Scope: "cancel"}},
//			},
//		}
//	}
//
// Declare makes of it one POST a verb and the list of what is allowed now. A verb runs in a
// transaction of the area, which reads the thing, asks Apply, and stores the state that it returns.
// What comes from outside, late or twice, goes through Observe, which never moves a thing back.
package state

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/platform/principal"
)

// Machine is the table of transitions of one type of thing. It is data, and not changed.
type Machine[S ~string] struct {
	// Item is the item type, with the area in front: "loads.load".
	Item string
	// Initial is the state of a new thing.
	Initial S
	// Starts are other states that a new thing may have, when the service puts it there.
	Starts []S
	Steps  []Step[S]
	// Final are the states that nothing leaves.
	Final []S
	// Order ranks states for Observe, the earliest first; states in one list are equally far. An
	// event from outside about a state that is not here is refused.
	Order [][]S
}

// Step is one line of the table: from each of the states From, the verb leads to To.
type Step[S ~string] struct {
	From []S
	// Verb is lower case letters, digits and underscores; it is the end of a path.
	Verb  string
	To    S
	Who   Who
	Guard Guard
	// Reasoned says that whoever takes the step has to give a reason.
	Reasoned bool
	// Automatic says that the step follows from something else: callers are not offered it.
	Automatic bool
}

// Who says who may take a step. The zero Who is everybody who may call the operation.
type Who struct {
	// Scope is a scope of the item's area that the caller needs: "cancel" is "loads:cancel".
	Scope string
	// Kinds are the kinds of caller, nil for all: principal.System for what only the service does.
	Kinds []principal.Kind
}

// allows reports whether p may take the step in the area.
func (w Who) allows(area string, p principal.Principal) bool { return w.refuses(area, p) == nil }

// refuses returns nil, or why a caller may not take the step: ErrNotYours, principal.ErrScopeMissing.
func (w Who) refuses(area string, p principal.Principal) error {
	switch {
	case w.Kinds != nil && !slices.Contains(w.Kinds, p.Kind):
		return ErrNotYours
	case w.Scope != "" && !p.Allows(area+":"+w.Scope):
		return principal.Lacks(area + ":" + w.Scope)
	default:
		return nil
	}
}

// Guard is a condition of a step. The zero Guard always holds.
type Guard struct {
	name  string
	check func(context.Context, any, time.Time) error
}

// NewGuard makes a guard of a function of the thing. It returns nil, or an errs that says what is
// missing; the name is for diagrams ("it has stops"). T is the type of Move.Thing.
func NewGuard[T any](name string, check func(ctx context.Context, thing T) error) Guard {
	return NewTimedGuard(name, func(ctx context.Context, thing T, _ time.Time) error { return check(ctx, thing) })
}

// NewTimedGuard is NewGuard of a function of the thing and the present ("it has not expired").
func NewTimedGuard[T any](name string, check func(ctx context.Context, thing T, now time.Time) error) Guard {
	return Guard{name: name, check: func(ctx context.Context, thing any, now time.Time) error {
		t, ok := thing.(T)
		if !ok {
			return fmt.Errorf("guard %q: want a %T, got a %T", name, *new(T), thing)
		}

		return check(ctx, t, now)
	}}
}

func (g Guard) passes(ctx context.Context, log *Log, thing any) error {
	if g.check == nil {
		return nil
	}

	return g.check(ctx, thing, log.clock.Now())
}

// area is the id of the area that the item belongs to.
func (m Machine[S]) area() string {
	area, _, _ := strings.Cut(m.Item, ".")

	return area
}

// name is what the item is called in its area.
func (m Machine[S]) name() string {
	_, name, _ := strings.Cut(m.Item, ".")

	return name
}

// States returns every state of the table, in the order in which it names them.
func (m Machine[S]) States() []S {
	all := append([]S{m.Initial}, m.Starts...)
	for _, step := range m.Steps {
		all = append(all, step.From...)
		all = append(all, step.To)
	}
	var states []S
	for _, s := range all {
		if !slices.Contains(states, s) {
			states = append(states, s)
		}
	}

	return states
}

// Verbs returns every verb of the table, in its order.
func (m Machine[S]) Verbs() []string {
	var verbs []string
	for _, step := range m.Steps {
		if !slices.Contains(verbs, step.Verb) {
			verbs = append(verbs, step.Verb)
		}
	}

	return verbs
}

// leaving returns the steps from a state.
func (m Machine[S]) leaving(from S) []Step[S] {
	var steps []Step[S]
	for _, step := range m.Steps {
		if slices.Contains(step.From, from) {
			steps = append(steps, step)
		}
	}

	return steps
}

// reachable returns the states that steps lead to from some states, these among them.
func (m Machine[S]) reachable(from ...S) []S {
	seen := slices.Clone(from)
	for i := 0; i < len(seen); i++ {
		for _, step := range m.leaving(seen[i]) {
			if !slices.Contains(seen, step.To) {
				seen = append(seen, step.To)
			}
		}
	}

	return seen
}
