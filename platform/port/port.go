// Package port lets areas provide what another area asks for through an interface of its contract, such as a load board that knows
// carriers. The area that asks depends on no other; those that answer import its contract.
//
//	port.Provides[carriersapi.Board, *boards]("central_dispatch") // manifest of listings: *boards implements the interface
//
//	for _, board := range port.All[carriersapi.Board](ctx, r) {   // carriers
package port

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/principal"
)

var nameRule = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

// Gate says whether a company uses an area.
type Gate interface {
	Allows(ctx context.Context, company uuid.UUID, area string) (bool, error)
}

// Registry knows the adapters of the enabled areas. It may be used from several goroutines once it is filled.
type Registry struct {
	gate     Gate
	adapters []adapter
}

type adapter struct {
	port       reflect.Type
	area, name string
	value      any
}

// Adapter is an implementation of the interface P.
type Adapter[P any] struct {
	Name  string
	Value P
}

// New returns an empty registry. Without a gate, every company uses every area.
func New(gate Gate) *Registry { return &Registry{gate: gate} }

// Provides is the manifest line of an adapter: T, a type of the area, implements the interface P of another area's contract. No other
// adapter of P has its name.
func Provides[P, T any](name string) fx.Option {
	return module.Contribute("adapter", name, nil, func(at module.At) fx.Option {
		return module.Register(at, func(r *Registry, t T) error {
			if _, ok := any(t).(P); !ok {
				return fmt.Errorf("adapter %q: %T does not implement %s", name, t, reflect.TypeFor[P]())
			}

			return r.add(adapter{port: reflect.TypeFor[P](), area: at.Area, name: name, value: t})
		})
	})
}

func (r *Registry) add(a adapter) error {
	if !nameRule.MatchString(a.name) {
		return fmt.Errorf("adapter %q: want a name of lower case letters, digits and underscores", a.name)
	}
	if slices.ContainsFunc(r.adapters, func(other adapter) bool { return other.port == a.port && other.name == a.name }) {
		return fmt.Errorf("adapter %q of %s is declared twice", a.name, a.port)
	}
	r.adapters = append(r.adapters, a)
	slices.SortFunc(r.adapters, func(a, b adapter) int { return strings.Compare(a.name, b.name) })

	return nil
}

// All returns the adapters of an interface by name. Those of areas that the caller's company does not use are absent.
func All[P any](ctx context.Context, r *Registry) ([]Adapter[P], error) {
	caller, _ := principal.From(ctx)
	var all []Adapter[P]
	for _, a := range r.adapters {
		value, ok := a.value.(P)
		if a.port != reflect.TypeFor[P]() || !ok {
			continue
		}
		if r.gate != nil {
			used, err := r.gate.Allows(ctx, caller.Company, a.area)
			if err != nil {
				return nil, err
			}
			if !used {
				continue
			}
		}
		all = append(all, Adapter[P]{a.name, value})
	}

	return all, nil
}
