package collection

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// What Open fails with.
var (
	// ErrNotFound says that there is no such collection for the caller.
	ErrNotFound = errs.New(errs.NotFound, "collection.not_found", "There is no such collection.")
)

// Gate says whether a company uses an area.
type Gate interface {
	Allows(ctx context.Context, company uuid.UUID, area string) (bool, error)
}

// Registry knows the collections of the enabled areas. It may be used from several goroutines once it is filled.
type Registry struct {
	gate   Gate
	typed  map[Name]typed
	family Source
	// familyArea is the area of the family, "" if there is none.
	familyArea string
	searchers  []Searcher
}

// typed is a collection that is the same for all companies.
type typed struct {
	Info

	keeps  Collection
	scopes Scopes
}

// Scopes are what reading and writing a collection takes, "" for "<area>:read" and "<area>:write".
type Scopes struct{ Read, Write string }

// of is the scope that an access to a collection of an area asks for.
func (s Scopes) of(area string, access Access) string {
	switch {
	case access == Read && s.Read != "":
		return s.Read
	case access == Write && s.Write != "":
		return s.Write
	default:
		return area + ":" + string(access)
	}
}

// New returns a registry without collections. Without a gate, every company uses every area.
func New(gate Gate) *Registry { return &Registry{gate: gate, typed: map[Name]typed{}} }

// Type is the manifest line of a collection that every company of the area has, named as its items are
// ("<area>.<thing>"); the title is what people call the rows together. T is a type of the area.
func Type[T any](name Name, title string, scopes Scopes, of func(T) Collection) fx.Option {
	return module.Contribute("collection", string(name), nil, func(at module.At) fx.Option {
		return module.Register(at, func(r *Registry, t T) error {
			if _, taken := r.typed[name]; taken {
				return fmt.Errorf("collection %q is declared twice", name)
			}
			if title == "" || !strings.HasPrefix(string(name), at.Area+".") {
				return fmt.Errorf("collection %q: want a title, and %q in front of the name", name, at.Area+".")
			}
			r.typed[name] = typed{Info: Info{Name: name, Area: at.Area, Title: title}, keeps: of(t), scopes: scopes}

			return nil
		})
	})
}

// Family is the manifest line of the area whose collections companies define and name by UUID. There is one such
// area at most. T is a type of the area.
func Family[T any](of func(T) Source) fx.Option {
	return module.Contribute("collection", "by uuid", nil, func(at module.At) fx.Option {
		return module.Register(at, func(r *Registry, t T) error {
			if r.family != nil {
				return fmt.Errorf("the areas %s and %s both have collections by uuid", r.familyArea, at.Area)
			}
			r.family, r.familyArea = of(t), at.Area

			return nil
		})
	})
}

// find returns a collection with the area that keeps it, and false for a name that nobody has.
func (r *Registry) find(name Name) (typed, bool) {
	if t, known := r.typed[name]; known {
		return t, true
	}
	id, err := uuid.Parse(string(name))
	if err != nil || r.family == nil || string(name) != id.String() {
		return typed{}, false
	}

	return typed{Info: Info{Name: name, Area: r.familyArea}, keeps: r.family.Open(id)}, true
}

// Access is what is done with the rows of a collection.
type Access string

// The accesses: each asks for the scope "<area>:<access>", unless the collection has Scopes.
const (
	Read  Access = "read"
	Write Access = "write"
)

// Open returns a collection for a caller who has the scope that an access asks for. Errors: ErrNotFound,
// principal.ErrScopeMissing and those of the gate.
func (r *Registry) Open(ctx context.Context, name Name, access Access) (Collection, error) {
	c, known := r.find(name)
	if !known {
		return nil, ErrNotFound
	}
	uses, err := r.uses(ctx, c.Area)
	if err != nil {
		return nil, fmt.Errorf("collection %s: %w", name, err)
	}
	if !uses {
		return nil, ErrNotFound
	}

	return c.keeps, c.permit(ctx, access)
}

// List returns the collections that the caller may read: those of areas by name, then those that the company has
// defined by title.
func (r *Registry) List(ctx context.Context) ([]Info, error) {
	var all []Info
	for _, name := range slices.Sorted(maps.Keys(r.typed)) {
		t := r.typed[name]
		readable, err := r.readable(ctx, t)
		if err != nil {
			return nil, err
		}
		if readable {
			all = append(all, t.Info)
		}
	}
	if r.family == nil {
		return all, nil
	}
	readable, err := r.readable(ctx, typed{Info: Info{Area: r.familyArea}})
	if err != nil || !readable {
		return all, err
	}
	defined, err := r.family.List(ctx)

	return append(all, defined...), err
}

// readable reports whether the caller may read a collection.
func (r *Registry) readable(ctx context.Context, c typed) (bool, error) {
	uses, err := r.uses(ctx, c.Area)

	return uses && c.permit(ctx, Read) == nil, err
}

// uses reports whether the caller's company uses an area.
func (r *Registry) uses(ctx context.Context, area string) (bool, error) {
	if r.gate == nil {
		return true, nil
	}
	caller, _ := principal.From(ctx)

	return r.gate.Allows(ctx, caller.Company, area)
}

// permit returns principal.ErrScopeMissing for a caller without the scope of an access.
func (c typed) permit(ctx context.Context, access Access) error {
	scope := c.scopes.of(c.Area, access)
	if caller, _ := principal.From(ctx); caller.Allows(scope) {
		return nil
	}

	return principal.Lacks(scope)
}
