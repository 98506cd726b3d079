package module

import (
	"cmp"
	"fmt"
	"slices"

	"go.uber.org/fx"
)

// registrations is the one value group of the whole service.
const registrations = `group:"registrations"`

// Registration is a contribution that is ready to enter its registry.
type Registration struct {
	at    At
	apply func() error
}

// Register makes the fx option of a contribution which enters something made from T, a type of the
// area, into R, a registry of the platform. The registry is built empty; Fill calls enter once the
// whole graph stands. This order is forced by two facts of Fx: it hands out value groups in random
// order, and a registry that took its members in its constructor would recurse without end when a
// member is private to its area and depends on the registry.
func Register[R, T any](at At, enter func(R, T) error) fx.Option {
	return fx.Provide(fx.Annotate(
		func(registry R, from T) Registration {
			return Registration{at: at, apply: func() error { return enter(registry, from) }}
		},
		fx.ResultTags(registrations),
	))
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
