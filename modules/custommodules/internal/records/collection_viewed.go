package records

import (
	"context"
	"sync"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/list"
)

// Listing implements collection.Viewed.
func (c RecordCollection) Listing(ctx context.Context, use func(context.Context, collection.Listing) error) error {
	return c.Service.definitions.UsePresent(ctx, c.Module, func(ctx context.Context, d *definition.Definition) error {
		return use(ctx, c.Service.listing(ctx, d))
	})
}

// Groups implements collection.Grouped.
func (c RecordCollection) Groups(ctx context.Context, view uuid.UUID, in *list.GroupInput) (list.Groups, error) {
	return c.Service.GroupRecords(ctx, c.Module, view, in)
}

// listing is what the list of a module's records can be asked for.
func (s *Service) listing(ctx context.Context, d *definition.Definition) collection.Listing {
	named := func(f *definition.ModuleField) (collection.ListedField, bool) {
		if f == nil {
			return collection.ListedField{}, false
		}

		return collection.ListedField{ID: f.ID.String(), Key: f.Key, Sensitive: f.Sensitive}, true
	}
	reached := sync.OnceValues(func() (reach, error) { return s.reach(ctx, d) }) // one for all views of a page

	return collection.Listing{
		Info: definition.InfoOf(d.Module, d.Name), Noun: "module", Under: "payload", Part: d.Module.String(),
		Own:   []string{"uuid", "created_at", "created_by", "updated_at", "updated_by", "version"},
		Keys:  d.Keys,
		ByKey: func(key string) (collection.ListedField, bool) { return named(d.Field(definition.NormalKey(key))) },
		ByID: func(id string) (collection.ListedField, bool) {
			parsed, err := uuid.Parse(id)
			if err != nil {
				return collection.ListedField{}, false
			}

			return named(d.FieldByID(parsed))
		},
		MayShare: d.MayShare,
		Ask: func(ctx context.Context, in *list.Input) ([]list.Warning, error) {
			q, _, err := s.parseListQuery(ctx, d, in)
			if err != nil {
				return nil, err
			}

			return s.checkScans(d, d.Scans(q), reached)
		},
	}
}

// viewed returns the query of a list by a view, uuid.Nil for none. Its errors are views.ErrNotFound and views.ErrBroken as this area's.
func (s *Service) viewed(ctx context.Context, d *definition.Definition, view uuid.UUID, in *list.Input) (*list.Input, error) {
	if view == uuid.Nil {
		return in, nil
	}
	by, err := s.others.Views.ApplyTo(ctx, s.listing(ctx, d), view, in)

	return by, RecodeError(err)
}
