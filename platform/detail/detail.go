// Package detail lets an area add details to the values of a field type, wherever they are: the vehicles area decodes VINs, in
// resources and in custom modules.
//
//	detail.Of("vin", "decoded", (*service).decode)
//	detail.Filter("tags", (*service).filter)
//
// Lists and reads embed it for each field of the type: expand=vin.decoded shows it at expanded.vin.decoded. It depends on
// the value alone, and is not stored with the row. A filter narrows the lists of all resources by what an area keeps of items of any
// type: filter[tags].
package detail

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"github.com/google/uuid"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/telemetry"
)

var nameRule = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

// Gate says whether a company uses an area.
type Gate interface {
	Allows(ctx context.Context, company uuid.UUID, area string) (bool, error)
}

// Registry knows the details of the enabled areas. It may be used from several goroutines once it is filled.
type Registry struct {
	gate    Gate
	all     []detail
	filters []filter
	links   []link
}

// link embeds in the rows of an item type an item that another area keeps for each of them.
type link struct {
	area, of, name string
	find           func(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]item.Ref, error)
}

// filter is a filter of the lists of all resources.
type filter struct {
	area, name string
	field      func(ctx context.Context) list.Field
}

type detail struct {
	area, of, name string
	read           func(ctx context.Context, values []string) ([]any, error)
}

// New returns a registry without details. Without a gate, every company uses every area.
func New(gate Gate) *Registry { return &Registry{gate: gate} }

// Of is the manifest line of a detail of a field type whose values are texts. The method gets different values in their normal form, of
// any number of rows, and returns what is shown of each, nil for nothing; it calls no vendor, and uses at most
// a few statements for all values. Callers need no scope, but their company must use the area. T is a type of the area.
func Of[T, V any](fieldType, name string, method func(t T, ctx context.Context, values []string) ([]V, error)) fx.Option {
	return module.Contribute("detail", fieldType+"."+name, nil, func(at module.At) fx.Option {
		return module.Register(at, func(r *Registry, t T) error {
			return r.add(detail{at.Area, fieldType, name, func(ctx context.Context, values []string) ([]any, error) {
				found, err := method(t, ctx, values)
				all := make([]any, len(found))
				for i, v := range found {
					all[i] = v
				}

				return all, err
			}})
		})
	})
}

// Filter is the manifest line of a filter of the lists of all resources, filter[name], by what the area keeps of their rows.
// The method returns where that is, for the caller's company, but for the name of the field and Held.ID. Callers need the scope to
// read the area.
func Filter[T any](name string, method func(t T, ctx context.Context) list.Field) fx.Option {
	return module.Contribute("detail", "filter."+name, nil, func(at module.At) fx.Option {
		return module.Register(at, func(r *Registry, t T) error {
			if !nameRule.MatchString(name) {
				return fmt.Errorf("filter %q: want a name of lower case letters, digits and underscores", name)
			}
			r.filters = append(r.filters, filter{at.Area, name, func(ctx context.Context) list.Field { return method(t, ctx) }})

			return nil
		})
	})
}

// Filters returns the filters that the caller may use on a list whose rows have their ids in a column. Errors: those of the gate.
func (r *Registry) Filters(ctx context.Context, id string) ([]list.Field, error) {
	caller, _ := principal.From(ctx)
	var fields []list.Field
	for _, f := range r.filters {
		if !caller.Allows(f.area + ":read") {
			continue
		}
		uses, err := r.uses(ctx, f.area)
		if err != nil {
			return nil, fmt.Errorf("filter %s: %w", f.name, err)
		}
		if uses {
			field := f.field(ctx)
			held := *field.Held
			held.ID, field.Name, field.Held, field.Filterable = id, f.name, &held, true
			fields = append(fields, field)
		}
	}

	return fields, nil
}

// Link is the manifest line of an item that the area keeps for rows of another one's type: expand=dispatch embeds it in lists and reads of
// loads, at expanded.dispatch, as a reference of theirs. The method gets the ids of any number of rows and returns the items of those that
// have one; it uses at most a few statements. Callers see the item's values if they may read them. T is a type of the area.
func Link[T any](itemType, name string, method func(t T, ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]item.Ref, error)) fx.Option {
	return module.Contribute("detail", itemType+".link."+name, nil, func(at module.At) fx.Option {
		return module.Register(at, func(r *Registry, t T) error {
			if !nameRule.MatchString(name) {
				return fmt.Errorf("link %q of %s: want a name of lower case letters, digits and underscores", name, itemType)
			}
			r.links = append(r.links, link{at.Area, itemType, name, func(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]item.Ref, error) {
				return method(t, ctx, ids)
			}})

			return nil
		})
	})
}

// Links returns the names of the links of an item type that the caller's company may request. Errors: those of the gate.
func (r *Registry) Links(ctx context.Context, itemType string) ([]string, error) {
	var names []string
	for _, l := range r.links {
		if l.of != itemType {
			continue
		}
		uses, err := r.uses(ctx, l.area)
		if err != nil {
			return nil, fmt.Errorf("link %s: %w", l.name, err)
		}
		if uses {
			names = append(names, l.name)
		}
	}

	return names, nil
}

// Linked returns the items of a link of some rows.
func (r *Registry) Linked(ctx context.Context, itemType, name string, ids []uuid.UUID) (map[uuid.UUID]item.Ref, error) {
	for _, l := range r.links {
		if l.of == itemType && l.name == name && len(ids) > 0 {
			found, err := l.find(telemetry.WithArea(ctx, l.area), ids)
			if err != nil {
				return nil, fmt.Errorf("link %s of %s: %w", name, itemType, err)
			}

			return found, nil
		}
	}

	return nil, nil //nolint:nilnil // no items
}

// uses reports whether the caller's company uses an area.
func (r *Registry) uses(ctx context.Context, area string) (bool, error) {
	if r.gate == nil {
		return true, nil
	}

	return r.gate.Allows(ctx, principal.CompanyOf(ctx), area)
}

func (r *Registry) add(d detail) error {
	if !nameRule.MatchString(d.name) {
		return fmt.Errorf("detail %q of %s: want a name of lower case letters, digits and underscores", d.name, d.of)
	}
	if r.find(d.of, d.name) != nil {
		return fmt.Errorf("detail %q of %s is declared twice", d.name, d.of)
	}
	r.all = append(r.all, d)

	return nil
}

func (r *Registry) find(fieldType, name string) *detail {
	i := slices.IndexFunc(r.all, func(d detail) bool { return d.of == fieldType && d.name == name })
	if i < 0 {
		return nil
	}

	return &r.all[i]
}

// Names returns the sorted details of a field type that the caller's company may request. Errors: those of the gate.
func (r *Registry) Names(ctx context.Context, fieldType string) ([]string, error) {
	var names []string
	for _, d := range r.all {
		if d.of != fieldType {
			continue
		}
		uses, err := r.uses(ctx, d.area)
		if err != nil {
			return nil, fmt.Errorf("detail %s: %w", d.name, err)
		}
		if uses {
			names = append(names, d.name)
		}
	}
	slices.Sort(names)

	return names, nil
}

// Asked is a requested detail of values of one field type.
type Asked struct {
	Type, Name string

	values []string
	read   map[string]json.RawMessage
}

// Add adds a value to read the detail for. It ignores "".
func (a *Asked) Add(value string) {
	if value != "" {
		a.values = append(a.values, value)
	}
}

// Of returns the detail of a value once it is read; ok is false if it has none.
func (a *Asked) Of(value string) (text json.RawMessage, ok bool) {
	text, ok = a.read[value]

	return text, ok
}

// Read reads details of all values that were added to them, each value once.
func (r *Registry) Read(ctx context.Context, all ...*Asked) error {
	for _, a := range all {
		slices.Sort(a.values)
		a.values = slices.Compact(a.values)
		d := r.find(a.Type, a.Name)
		if d == nil || len(a.values) == 0 {
			continue
		}
		found, err := d.read(telemetry.WithArea(ctx, d.area), a.values)
		if err == nil && len(found) != len(a.values) {
			err = fmt.Errorf("want one for each of %d values, got %d", len(a.values), len(found))
		}
		if err != nil {
			return fmt.Errorf("detail %s of %s: %w", a.Name, a.Type, err)
		}
		a.read = make(map[string]json.RawMessage, len(found))
		for i, value := range a.values {
			text, err := json.Marshal(found[i])
			if err != nil {
				return fmt.Errorf("detail %s of %s: %w", a.Name, a.Type, err)
			}
			if string(text) != "null" {
				a.read[value] = text
			}
		}
	}

	return nil
}

// Shown are details of one row by field and name.
type Shown map[string]map[string]json.RawMessage

// With returns the details with another one.
func (s Shown) With(key, name string, text json.RawMessage) Shown {
	if s == nil {
		s = Shown{}
	}
	if s[key] == nil {
		s[key] = map[string]json.RawMessage{}
	}
	s[key][name] = text

	return s
}

// Path returns the name of a detail of a field for expand=: vin.decoded.
func Path(key, name string) string { return key + "." + name }

// Keys returns the keys of a detail for fields=, with a prefix.
func Keys(prefix, key, name string) []string {
	return []string{prefix + "expanded", prefix + "expanded." + key, prefix + "expanded." + Path(key, name)}
}
