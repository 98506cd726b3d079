package custommodules

import (
	"context"
	"sync"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Listing implements collection.Viewed.
func (c recordCollection) Listing(ctx context.Context, use func(context.Context, collection.Listing) error) error {
	return c.service.definitions.usePresent(ctx, c.module, func(ctx context.Context, d *definition) error {
		return use(ctx, c.service.listing(ctx, d))
	})
}

// listing is what the list of a module's records can be asked for.
func (s *service) listing(ctx context.Context, d *definition) collection.Listing {
	named := func(f *moduleField) (collection.ListedField, bool) {
		if f == nil {
			return collection.ListedField{}, false
		}

		return collection.ListedField{ID: f.id.String(), Key: f.key, Sensitive: f.sensitive}, true
	}
	reached := sync.OnceValues(func() (reach, error) { return s.reach(ctx, d) }) // one for all views of a page

	return collection.Listing{
		Info: infoOf(d.module, d.name), Noun: "module", Under: "payload", Part: d.module.String(),
		Own:   []string{"uuid", "created_at", "created_by", "updated_at", "updated_by", "version"},
		Keys:  d.keys,
		ByKey: func(key string) (collection.ListedField, bool) { return named(d.field(normalKey(key))) },
		ByID: func(id string) (collection.ListedField, bool) {
			parsed, err := uuid.Parse(id)
			if err != nil {
				return collection.ListedField{}, false
			}

			return named(d.fieldByID(parsed))
		},
		MayShare: d.mayShare,
		Ask: func(ctx context.Context, in *list.Input) ([]list.Warning, error) {
			q, _, err := s.asked(ctx, d, in)
			if err != nil {
				return nil, err
			}

			return s.checkScans(d, d.scans(q), reached)
		},
	}
}

// mayShare returns errNotPermitted for who may not define the module: shared views are a part of it.
func (d *definition) mayShare(ctx context.Context) error {
	caller, _ := principal.From(ctx)
	if !caller.Allows("custom_modules:define") {
		return errNotPermitted.WithMessage("A shared view takes the scope custom_modules:define.").WithDetail("permission", mayDefine)
	}

	return d.permissions.permit(ctx, mayDefine)
}

// viewed returns the query of a list by a view, uuid.Nil for none. Its errors are views.ErrNotFound and views.ErrBroken as this area's.
func (s *service) viewed(ctx context.Context, d *definition, view uuid.UUID, in *list.Input) (*list.Input, error) {
	if view == uuid.Nil {
		return in, nil
	}
	by, err := s.others.views.Over(ctx, s.listing(ctx, d), view, in)

	return by, asOurs(err)
}
