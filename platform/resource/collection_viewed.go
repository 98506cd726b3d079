package resource

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
)

// Listing implements collection.Viewed.
func (c rows) Listing(ctx context.Context, use func(context.Context, collection.Listing) error) error {
	ctx, err := c.of.lookUpOwn(ctx)
	if err != nil {
		return err
	}
	l, err := c.of.listing(ctx)
	if err != nil {
		return err
	}

	return use(ctx, l)
}

// listing is what lists of the rows can be asked for by who is calling. Views keep fields of the struct by their keys, which
// do not change, and others by their ids.
func (r *table) listing(ctx context.Context) (collection.Listing, error) {
	schema, err := r.schema(ctx)
	if err != nil {
		return collection.Listing{}, err
	}
	added, err := r.collectOwn(ctx, collected{})
	if err != nil {
		return collection.Listing{}, err
	}
	keys := r.plan.ViewKeys(r.sees(ctx))
	for _, f := range added.fields {
		keys = append(keys, f.Key)
	}
	named := func(key string) (collection.ListedField, bool) {
		for _, f := range added.fields {
			if f.Key == key || f.ID == key {
				return collection.ListedField{ID: f.ID, Key: f.Key, Sensitive: f.Sensitive}, true
			}
		}
		if !slices.Contains(keys, key) {
			return collection.ListedField{}, false
		}
		f := r.plan.ByKey[key]

		return collection.ListedField{ID: key, Key: key, Sensitive: f != nil && f.Guard != ""}, true
	}

	return collection.Listing{
		Info: collection.Info{Name: collection.Name(r.Item), Area: r.area, Title: columns.Capitalize(columns.Spaced(r.Plural))},
		Noun: "collection", Keys: keys, ByKey: named, ByID: named, MayShare: r.mayShare,
		Ask: func(ctx context.Context, in *list.Input) ([]list.Warning, error) {
			_, err := in.Parse(ctx, schema)

			return nil, err
		},
	}, nil
}

// mayShare returns principal.ErrScopeMissing for a caller who may not write the rows: shared views are for everybody who reads them.
func (r *table) mayShare(ctx context.Context) error {
	scope := r.area + string(r.WriteAccess)
	if caller, _ := principal.From(ctx); caller.Allows(scope) {
		return nil
	}

	return principal.Lacks(scope)
}

// viewed returns the query of a list by a saved view, uuid.Nil for none. Errors: views.ErrNotFound, views.ErrBroken.
func (r *table) viewed(ctx context.Context, view uuid.UUID, in *list.Input) (*list.Input, error) {
	if view == uuid.Nil {
		return in, nil
	}

	l, err := r.listing(ctx)
	if err != nil {
		return nil, err
	}

	return r.engine.views.ApplyTo(ctx, l, view, in)
}
