package resource

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Listing implements collection.Viewed. What a resource is does not change while the service runs.
func (c rows[R]) Listing(ctx context.Context, use func(context.Context, collection.Listing) error) error {
	return use(ctx, c.of.listing(ctx))
}

// listing is what lists of the rows can be asked for by who is calling. Views keep fields by their keys, which do not change.
func (r *Resource[R]) listing(ctx context.Context) collection.Listing {
	schema := r.Schema(ctx)
	keys := r.plan.viewKeys(r.seesSensitive(ctx))
	named := func(key string) (collection.ListedField, bool) {
		if !slices.Contains(keys, key) {
			return collection.ListedField{}, false
		}
		f := r.plan.byKey[key]

		return collection.ListedField{ID: key, Key: key, Sensitive: f != nil && f.sensitive}, true
	}

	return collection.Listing{
		Info: collection.Info{Name: collection.Name(r.Item), Area: r.area, Title: capital(spoken(r.Plural))},
		Noun: "collection", Keys: keys, ByKey: named, ByID: named, MayShare: r.mayShare,
		Ask: func(ctx context.Context, in *list.Input) ([]list.Warning, error) {
			_, err := in.Parse(ctx, schema)

			return nil, err
		},
	}
}

// viewKeys are the names that a view of the rows can have: the fields, and what lists are filtered by besides.
func (p *plan) viewKeys(sensitive bool) []string {
	var keys []string
	for _, f := range p.fields {
		if f.sensitive && !sensitive {
			continue
		}
		keys = append(keys, f.key)
		if f.anyItem {
			for _, filter := range f.itemFilters() {
				keys = append(keys, filter.Name)
			}
		}
	}

	return keys
}

// mayShare returns collection.ErrNotPermitted for a caller who may not write the rows: shared views are for everybody who reads them.
func (r *Resource[R]) mayShare(ctx context.Context) error {
	scope := r.area + string(r.WriteAccess)
	if caller, _ := principal.From(ctx); caller.Allows(scope) {
		return nil
	}

	return collection.ErrNotPermitted.WithMessage("A shared view takes the scope %s.", scope).WithDetail("scope", scope)
}

// viewed returns the query of a list by a saved view, uuid.Nil for none. Errors: views.ErrNotFound, views.ErrBroken.
func (r *Resource[R]) viewed(ctx context.Context, view uuid.UUID, in *list.Input) (*list.Input, error) {
	if view == uuid.Nil {
		return in, nil
	}

	return r.engine.views.Over(ctx, r.listing(ctx), view, in)
}
