package module

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"go.uber.org/fx"
)

// Registration is a contribution that is ready to enter its registry. They are the one value group of the whole service.
type Registration struct {
	at    At
	apply func() error
}

// Register makes the fx option of a contribution which enters something made from T, a type of the
// area, into R, a registry of the platform. The registry is built empty; Fill calls enter once the
// whole graph stands. This order is forced by two facts of Fx: it hands out value groups in random
// order, and a registry that took its members in its constructor would recurse without end when a
// member is private to its area and depends on the registry.
//
// It stands in a manifest by itself or among Lines, not in fx.Options.
func Register[R, T any](at At, enter func(R, T) error) fx.Option {
	return registered{
		Option: fx.Error(fmt.Errorf("area %q: a registration in fx.Options: want module.Lines", at.Area)),
		at:     at, needs: [2]reflect.Type{reflect.TypeFor[R](), reflect.TypeFor[T]()},
		enter: func(registry, from reflect.Value) error {
			return enter(registry.Interface().(R), from.Interface().(T)) //nolint:forcetypeassert // they are of these types
		},
	}
}

// registered is a registration while its area becomes fx options.
type registered struct {
	fx.Option

	at    At
	needs [2]reflect.Type
	enter func(registry, from reflect.Value) error
}

// together is how many registrations one constructor makes. Fx takes as long for one of them as for one constructor, and a
// function has at most 128 arguments and results.
const together = 60

// constructors makes constructors of registrations, as functions would be that have all that they need as arguments.
func constructors(all []registered) []fx.Option {
	var options []fx.Option
	for some := range slices.Chunk(all, together) {
		var needs []reflect.Type
		for _, r := range some {
			for _, need := range r.needs {
				if !slices.Contains(needs, need) {
					needs = append(needs, need)
				}
			}
		}
		made := reflect.FuncOf(needs, []reflect.Type{reflect.TypeFor[Registrations]()}, false)
		options = append(options, fx.Provide(reflect.MakeFunc(made, func(args []reflect.Value) []reflect.Value {
			var made Registrations
			for _, r := range some {
				registry, from := args[slices.Index(needs, r.needs[0])], args[slices.Index(needs, r.needs[1])]
				made.All = append(made.All, Registration{at: r.at, apply: func() error { return r.enter(registry, from) }})
			}

			return []reflect.Value{reflect.ValueOf(made)}
		}).Interface()))
	}

	return options
}

// Registrations are those of an area.
type Registrations struct {
	fx.Out

	All []Registration `group:"registrations,flatten"`
}

// FillParams are the registrations of all enabled areas, in no order.
type FillParams struct {
	fx.In

	All []Registration `group:"registrations"`
}

// Fill enters every registration, ordered by area and then by position in the manifest. The app
// package invokes it, once, before anything starts.
func Fill(p FillParams) error {
	all := slices.SortedFunc(slices.Values(p.All), func(a, b Registration) int {
		return cmp.Or(cmp.Compare(a.at.Area, b.at.Area), cmp.Compare(a.at.Position, b.at.Position))
	})
	for _, r := range all {
		if err := r.apply(); err != nil {
			return fmt.Errorf("area %q: %w", r.at.Area, err)
		}
	}

	return nil
}
