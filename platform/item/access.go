package item

import (
	"context"
	"fmt"
	"slices"

	"github.com/dispatchd/dispatchd/platform/principal"
)

// typeOf returns a type as the caller's company may use it. A type of an area that the company does
// not use is unknown to it. Errors: item.unknown_type and those of the gate.
func (r *Registry) typeOf(ctx context.Context, typ string) (itemType, error) {
	k, known := r.types[typ]
	if !known {
		return itemType{}, r.unknown(typ)
	}
	caller, _ := principal.From(ctx)
	if r.gate == nil {
		return k, nil
	}
	uses, err := r.gate.Allows(ctx, caller.Company, k.area)
	if err != nil {
		return itemType{}, fmt.Errorf("item type %s: %w", typ, err)
	}
	if !uses {
		return itemType{}, ErrUnknownType.WithMessage("The company does not use the area %s, which items of the type %s belong to.", k.area, typ)
	}

	return k, nil
}

// Hidden returns the parts of items that are kept from the caller, in no order. Whoever keeps something about an item,
// such as a file that belongs to it, keeps the Part of its Class too (see ClassOf), and shows nothing of parts that
// are hidden: that holds for items that are gone by now as well.
func (r *Registry) Hidden(ctx context.Context) ([]string, error) {
	var all []string
	for _, hidden := range r.hiding {
		parts, err := hidden(ctx)
		if err != nil {
			return nil, fmt.Errorf("hidden parts of items: %w", err)
		}
		all = append(all, parts...)
	}

	return all, nil
}

// Hides reports whether a part is kept from the caller. Items without a part never are.
func (r *Registry) Hides(ctx context.Context, part string) (bool, error) {
	if part == "" {
		return false, nil
	}
	hidden, err := r.Hidden(ctx)

	return slices.Contains(hidden, part), err
}

// readable returns a type whose fields and values the caller may read.
func (r *Registry) readable(ctx context.Context, typ string) (itemType, error) {
	k, err := r.typeOf(ctx, typ)
	switch {
	case err != nil:
		return itemType{}, err
	case !k.allows(ctx):
		return itemType{}, principal.Lacks(k.scope())
	case k.fields == nil:
		return itemType{}, errNoFields.WithMessage("Items of the type %s have no fields.", typ)
	default:
		return k, nil
	}
}

// scope is what reading items of the type takes.
func (k itemType) scope() string { return k.area + ":read" }

// allows reports whether the caller may read items of the type.
func (k itemType) allows(ctx context.Context) bool {
	caller, _ := principal.From(ctx)

	return caller.Allows(k.scope())
}
