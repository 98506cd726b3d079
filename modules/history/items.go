package history

import (
	"context"
	"errors"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// items says what entries may be about.
type items struct{ registry *item.Registry }

func newItems(r *item.Registry) *items { return &items{registry: r} }

// readable returns the class of an item that the caller may read. Errors: item.unknown_type, and notFound for an item that
// is not there, or not for the caller.
func (i *items) readable(ctx context.Context, ref item.Ref, notFound error) (item.Class, error) {
	caller, _ := principal.From(ctx)
	class, there, err := i.registry.ClassOf(ctx, ref)
	switch {
	case err != nil:
		return class, err
	case !there || !caller.Allows(ref.Area()+":read"):
		return class, notFound
	default:
		return class, nil
	}
}

// titles returns the titles of those items that the caller may know of.
func (i *items) titles(ctx context.Context, refs []item.Ref) (map[item.Ref]string, error) {
	titled, err := i.registry.Titles(ctx, refs)
	titles := make(map[item.Ref]string, len(titled))
	for _, t := range titled {
		titles[t.Ref] = t.Title
	}

	return titles, err
}

// unknownType returns the failure of an item of a type that there is not, with the place where the request names it.
func unknownType(err error, field string) error {
	if unknown, ok := errors.AsType[*errs.Error](err); ok && unknown.Kind == errs.Invalid {
		return unknown.WithField(field, unknown.Message)
	}

	return err
}
