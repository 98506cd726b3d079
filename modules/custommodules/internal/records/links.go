package records

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/list"
)

// Links returns a page of the records that refer to a record, all or those of a module or of a field of
// it. Its errors are ErrRecordNotFound, ErrModuleNotFound, ErrInvalidRecord and those of the query.
func (s *Service) Links(ctx context.Context, id, module uuid.UUID, key string, q list.Query) (list.Page[RecordLink], error) {
	var none list.Page[RecordLink]
	target, err := s.ReadRecord(ctx, id)
	if err != nil {
		return none, err
	}
	by, err := s.referringBy(ctx, target, module, key)
	if err != nil {
		return none, err
	}
	page, err := s.repo.Links(ctx, id, by, q)
	if err != nil {
		return none, fmt.Errorf("record %s: %w", id, err)
	}
	titles, err := s.titles(ctx, page.Data)

	return list.Convert(page, func(row store.LinkedRow) RecordLink {
		return RecordLink{
			UUID: row.RecordID, FieldUUID: row.FieldID, Field: row.Key, ModuleUUID: row.ModuleID, Module: row.Name,
			Title: titles[row.RecordID],
		}
	}), err
}

// referringBy returns the fields of a module by which records may refer to one, or the field of a key;
// without a module, all fields by which records do.
func (s *Service) referringBy(ctx context.Context, to Stored, module uuid.UUID, key string) ([]uuid.UUID, error) {
	if module == uuid.Nil {
		if key != "" {
			return nil, definition.ErrInvalidRecord.WithField("field", "The field goes with module_uuid.")
		}

		return s.linkingFields(ctx, to.ID)
	}
	ids := []uuid.UUID{}
	err := s.definitions.Use(ctx, module, func(_ context.Context, d *definition.Definition) error {
		ids = ids[:0]
		var keys []string
		for _, f := range d.Fields {
			if !f.Refers() || (definition.Link{Field: f}).Target() != to.ModuleID {
				continue
			}
			keys = append(keys, f.Key)
			if key == "" || key == f.Key {
				ids = append(ids, f.ID)
			}
		}
		if key != "" && len(ids) == 0 {
			return definition.ErrInvalidRecord.WithField("field", "The field must be one that refers to the module of the record: "+orNone(keys)+".")
		}

		return nil
	})

	return ids, err
}

// linkingFields returns the fields by which records refer to a record, as far as the caller sees them.
func (s *Service) linkingFields(ctx context.Context, id uuid.UUID) ([]uuid.UUID, error) {
	rows, err := s.repo.LinkingFields(ctx, id)
	if err != nil {
		return nil, err
	}
	ids := []uuid.UUID{}
	for _, row := range rows {
		err := s.definitions.Use(ctx, row.ModuleID, func(_ context.Context, d *definition.Definition) error {
			switch {
			case d.FieldByID(row.ID) != nil:
				ids = append(ids, row.ID)
			case d.Revision < row.Revision:
				return store.ErrMovedOn
			}

			return nil
		})
		if err != nil && !errors.Is(err, definition.ErrModuleNotFound) {
			return nil, err
		}
	}

	return ids, nil
}

// titles returns what people call the records of a page.
func (s *Service) titles(ctx context.Context, rows []store.LinkedRow) (map[uuid.UUID]string, error) {
	byModule := map[uuid.UUID][]store.LinkedRow{}
	for _, row := range rows {
		byModule[row.ModuleID] = append(byModule[row.ModuleID], row)
	}
	titles := make(map[uuid.UUID]string, len(rows))
	for module, rows := range byModule {
		err := s.definitions.Use(ctx, module, func(_ context.Context, d *definition.Definition) error {
			if d.Revision < rows[0].Revision {
				return store.ErrMovedOn
			}
			for _, row := range rows {
				titles[row.RecordID] = d.Title(row.Data)
			}

			return nil
		})
		if err != nil && !errors.Is(err, definition.ErrModuleNotFound) {
			return nil, err
		}
	}

	return titles, nil
}

// LinkCounts counts the records that refer to a record, by field. Its error is ErrRecordNotFound.
func (s *Service) LinkCounts(ctx context.Context, id uuid.UUID) ([]store.LinkCount, error) {
	if _, err := s.ReadRecord(ctx, id); err != nil {
		return nil, err
	}
	fields, err := s.linkingFields(ctx, id)
	if err != nil {
		return nil, err
	}
	counts, err := s.repo.CountLinks(ctx, id, fields)
	if err != nil {
		return nil, fmt.Errorf("record %s: %w", id, err)
	}
	slices.SortFunc(counts, func(a, b store.LinkCount) int {
		return cmp.Or(cmp.Compare(a.Module, b.Module), cmp.Compare(a.Field, b.Field), cmp.Compare(a.FieldUUID.String(), b.FieldUUID.String()))
	})

	return counts, nil
}
