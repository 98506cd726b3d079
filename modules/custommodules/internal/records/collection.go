package records

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/naming"
)

// moduleCollections are the modules of a company as collections.
type moduleCollections struct{ service *Service }

// Collections returns the modules as collections.
func (s *Service) Collections() collection.Source { return moduleCollections{s} }

// List implements collection.Source.
func (m moduleCollections) List(ctx context.Context) ([]collection.Info, error) {
	rows, err := m.service.repo.AllModules(ctx)
	if err != nil {
		return nil, err
	}
	var all []collection.Info
	for _, row := range rows {
		if row.Permissions.Allow(ctx, definition.MayRead) {
			all = append(all, definition.InfoOf(row.ID, row.Name))
		}
	}
	slices.SortStableFunc(all, func(a, b collection.Info) int { return strings.Compare(naming.Fold(a.Title), naming.Fold(b.Title)) })

	return all, nil
}

// Open implements collection.Source.
func (m moduleCollections) Open(id uuid.UUID) collection.Collection {
	return RecordCollection{Service: m.service, Module: id}
}

// RecordCollection is the records of a module as a collection.
type RecordCollection struct {
	Service *Service
	Module  uuid.UUID
}

// Describe implements collection.Collection.
func (c RecordCollection) Describe(ctx context.Context) (collection.Description, error) {
	var shown collection.Description
	err := c.Service.definitions.Use(ctx, c.Module, func(ctx context.Context, d *definition.Definition) error {
		revision, err := c.Service.repo.Revision(ctx, c.Module)
		if err == nil && revision != d.Revision {
			err = store.ErrMovedOn
		}
		shown = d.Collection()

		return err
	})

	return shown, err
}

// MayWrite implements collection.Collection.
func (c RecordCollection) MayWrite(ctx context.Context) error {
	return c.Service.definitions.Follow(ctx, c.Module, definition.MayWrite, func(_ context.Context, d *definition.Definition) error {
		if d.Archived {
			return definition.ErrModuleArchived
		}

		return nil
	})
}

// Page implements collection.Collection.
func (c RecordCollection) Page(ctx context.Context, view uuid.UUID, in *list.Input) (collection.Page, error) {
	found, err := c.Service.FindRecords(ctx, c.Module, view, in)
	if err != nil {
		return collection.Page{}, err
	}
	page := collection.Page{Description: found.Definition.Collection(), Keys: found.Query.Fields()}
	if found.Meta.NextCursor != nil {
		page.Next = *found.Meta.NextCursor
	}
	page.Rows = make([]collection.Row, len(found.Data))
	for i, row := range found.Data {
		page.Rows[i] = collection.Row{
			UUID: row.ID, Version: row.Version, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
			CreatedBy: row.CreatedBy, UpdatedBy: row.UpdatedBy,
			Values: found.Definition.Values(row.Data),
		}
	}

	return page, nil
}

// Holders implements collection.Finder.
func (c RecordCollection) Holders(ctx context.Context, field string, same []string) (map[string]uuid.UUID, error) {
	id, err := uuid.Parse(field)
	if err != nil {
		return nil, err
	}
	values := make([]store.ClaimedValue, len(same))
	for i, one := range same {
		values[i] = store.ClaimedValue{Field: id, Value: one}
	}
	found, err := c.Service.repo.UniqueHolders(ctx, c.Module, values)
	records := make(map[string]uuid.UUID, len(found))
	for of, record := range found {
		records[of.Value] = record
	}

	return records, err
}
