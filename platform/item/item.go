// Package item is the registry of item types: how areas point to each other's things without
// knowing them.
//
// An item is a thing of an area, named by its type ("loads.load") and UUID. The area contributes the
// type with three methods, and every other area may then ask whether items exist, what people call
// them, which fields they have, and what their values are:
//
//	item.Type("loads.load", "Load", (*service).describeLoads, (*service).loadFields, (*service).loadValues)
//
//	missing, err := items.Exists(ctx, item.Ref{Type: "loads.load", UUID: id})
//
// Everything is asked for in the name of the caller: items of other companies do not exist for him,
// and without the scope <area>:read of the type's area he learns that an item exists, and nothing
// more. A method of a type is called once for all items of that type, up to Batch of them.
package item

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// Batch is how many items a method of a type is called with at most.
const Batch = 200

// Description is what a type says of one of its items.
type Description struct {
	// Title is what people call the item, one line.
	Title string
	// Part completes the item's Class; "" where all items of the type have the same fields.
	Part string
}

// Values are the values of an item by the keys of its fields, as the API shows them. A field
// without a value may be absent or null.
type Values map[string]json.RawMessage

// ValuesOf is the values of an item, or those of the given keys if there are some. Errors: those of json.Marshal.
func ValuesOf(all map[string]any, keys []string) (Values, error) {
	values := make(Values, len(all))
	for key, value := range all {
		if len(keys) > 0 && !slices.Contains(keys, key) {
			continue
		}
		text, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("value %s: %w", key, err)
		}
		values[key] = text
	}

	return values, nil
}

// itemType is a type as the registry keeps it.
type itemType struct {
	name, title, area string

	describe func(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]Description, error)
	fields   func(ctx context.Context, parts []string) (map[string][]Field, error)
	values   func(ctx context.Context, ids []uuid.UUID, keys []string) (map[uuid.UUID]Values, error)
}

// Registry knows the types of the enabled areas. It may be used from several goroutines once it is
// filled.
type Registry struct {
	types map[string]itemType
	gate  Gate
	// hiding tell the parts that they keep from a caller.
	hiding []func(ctx context.Context) ([]string, error)
}

// Gate says whether a company uses an area.
type Gate interface {
	Allows(ctx context.Context, company uuid.UUID, area string) (bool, error)
}

// New returns a registry without types. Without a gate, every company uses every area.
func New(gate Gate) *Registry { return &Registry{types: map[string]itemType{}, gate: gate} }

// Type is the manifest line of a type of items, named "<area>.<thing>"; the title is what people
// call one such thing. T is a type of the area.
//
// The methods are asked in the name of the caller, whose principal is in the context: an item of
// another company is left out of the answer like one that is not there, and so are values that this
// caller may not see. describe tells by its answer which items exist. fields gets the Parts of
// classes, just "" if describe gives none, and leaves out those that are not there. values gets the
// keys of fields, or none for all of them, and leaves out what it does not know. No method is
// called with more than Batch ids, with none, or with the same twice. For a type whose items can be
// pointed to but not read, fields and values are nil.
func Type[T any](
	name, title string,
	describe func(t T, ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]Description, error),
	fields func(t T, ctx context.Context, parts []string) (map[string][]Field, error),
	values func(t T, ctx context.Context, ids []uuid.UUID, keys []string) (map[uuid.UUID]Values, error),
) fx.Option {
	return module.Contribute("item", name, nil, func(at module.At) fx.Option {
		return module.Register(at, func(r *Registry, t T) error {
			k := itemType{name: name, title: title, area: at.Area}
			if describe != nil {
				k.describe = func(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]Description, error) {
					return describe(t, ctx, ids)
				}
			}
			if fields != nil {
				k.fields = func(ctx context.Context, parts []string) (map[string][]Field, error) { return fields(t, ctx, parts) }
			}
			if values != nil {
				k.values = func(ctx context.Context, ids []uuid.UUID, keys []string) (map[uuid.UUID]Values, error) {
					return values(t, ctx, ids, keys)
				}
			}

			return r.add(k)
		})
	})
}

// Hides is the manifest line of an area that keeps parts of its items (see Class) from some of a company's callers. The
// method returns the parts that the caller may not know of, those of items that are gone among them. T is a type of
// the area.
func Hides[T any](hidden func(t T, ctx context.Context) ([]string, error)) fx.Option {
	return module.Contribute("item", "hidden parts", nil, func(at module.At) fx.Option {
		return module.Register(at, func(r *Registry, t T) error {
			r.hiding = append(r.hiding, func(ctx context.Context) ([]string, error) { return hidden(t, telemetry.WithArea(ctx, at.Area)) })

			return nil
		})
	})
}

func (r *Registry) add(k itemType) error {
	if _, taken := r.types[k.name]; taken {
		return fmt.Errorf("item type %q is declared twice", k.name)
	}
	switch {
	case !typePattern.MatchString(k.name) || !strings.HasPrefix(k.name, k.area+"."):
		return fmt.Errorf("item type %q: want %q and a name in lower case", k.name, k.area+".")
	case k.title == "" || k.describe == nil || (k.fields == nil) != (k.values == nil):
		return fmt.Errorf("item type %q: want a title, a method that describes, and fields and values together or neither", k.name)
	}
	r.types[k.name] = k

	return nil
}

// TypeInfo is a type as it can be shown.
type TypeInfo struct {
	Type string `json:"type"`
	// Title is what people call one such item.
	Title string `json:"title"`
	// Readable says that the items have fields and values.
	Readable bool `json:"readable"`
}

// Types lists the types of the enabled areas by name.
func (r *Registry) Types() []TypeInfo {
	all := make([]TypeInfo, 0, len(r.types))
	for _, name := range slices.Sorted(maps.Keys(r.types)) {
		k := r.types[name]
		all = append(all, TypeInfo{Type: name, Title: k.title, Readable: k.fields != nil})
	}

	return all
}
