package item

import (
	"fmt"
	"maps"
	"slices"

	"github.com/agnivade/levenshtein"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// ErrUnknownType is for a type of no area that the company uses.
var ErrUnknownType = errs.New(errs.Invalid, "item.unknown_type", "There is no such item type.")

var errNoFields = errs.New(errs.Invalid, "item.no_fields", "Items of this type have no fields.")

// Errors are the failures of the registry, for the documentation of an operation.
var Errors = []*errs.Error{ErrUnknownType, principal.ErrScopeMissing, errNoFields}

// unknown refuses a type, naming the nearest known one.
func (r *Registry) unknown(typ string) error {
	const enough = 100 // bytes; whatever is longer is no type's name
	typ = typ[:min(len(typ), enough)]
	known := slices.Sorted(maps.Keys(r.types))
	if len(known) == 0 {
		return ErrUnknownType
	}
	nearest := slices.MinFunc(known, func(a, b string) int {
		return levenshtein.ComputeDistance(a, typ) - levenshtein.ComputeDistance(b, typ)
	})

	return ErrUnknownType.
		WithMessage("There is no item type %s; the nearest is %s.", fmt.Sprintf("%q", typ), nearest).
		WithDetail("types", known)
}
