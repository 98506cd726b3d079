package custommodules

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/list"
)

// links returns a page of the records that refer to a record, all or those of a module or of a field of
// it. Its errors are errRecordNotFound, errModuleNotFound, errInvalidRecord and those of the query.
func (s *service) links(ctx context.Context, id, module uuid.UUID, key string, q list.Query) (list.Page[recordLink], error) {
	var none list.Page[recordLink]
	target, err := s.readRecord(ctx, id)
	if err != nil {
		return none, err
	}
	by, err := s.referringBy(ctx, target, module, key)
	if err != nil {
		return none, err
	}
	page, err := s.repo.links(ctx, id, by, q)
	if err != nil {
		return none, fmt.Errorf("record %s: %w", id, err)
	}
	titles, err := s.titles(ctx, page.Data)

	return list.Convert(page, func(row linkedRow) recordLink {
		return recordLink{
			UUID: row.RecordID, FieldUUID: row.FieldID, Field: row.Key, ModuleUUID: row.ModuleID, Module: row.Name,
			Title: titles[row.RecordID],
		}
	}), err
}

// referringBy returns the fields of a module by which records may refer to one, or the field of a key;
// without a module, all fields by which records do.
func (s *service) referringBy(ctx context.Context, to stored, module uuid.UUID, key string) ([]uuid.UUID, error) {
	if module == uuid.Nil {
		if key != "" {
			return nil, errInvalidRecord.WithField("field", "The field goes with module_uuid.")
		}

		return s.linkingFields(ctx, to.ID)
	}
	ids := []uuid.UUID{}
	err := s.definitions.use(ctx, module, func(_ context.Context, d *definition) error {
		ids = ids[:0]
		var keys []string
		for _, f := range d.fields {
			if !f.refers() || (link{field: f}).target() != to.ModuleID {
				continue
			}
			keys = append(keys, f.key)
			if key == "" || key == f.key {
				ids = append(ids, f.id)
			}
		}
		if key != "" && len(ids) == 0 {
			return errInvalidRecord.WithField("field", "The field must be one that refers to the module of the record: "+orNone(keys)+".")
		}

		return nil
	})

	return ids, err
}

// linkingFields returns the fields by which records refer to a record, as far as the caller sees them.
func (s *service) linkingFields(ctx context.Context, id uuid.UUID) ([]uuid.UUID, error) {
	rows, err := s.repo.linkingFields(ctx, id)
	if err != nil {
		return nil, err
	}
	ids := []uuid.UUID{}
	for _, row := range rows {
		err := s.definitions.use(ctx, row.ModuleID, func(_ context.Context, d *definition) error {
			switch {
			case d.fieldByID(row.ID) != nil:
				ids = append(ids, row.ID)
			case d.revision < row.Revision:
				return errMovedOn
			}

			return nil
		})
		if err != nil && !errors.Is(err, errModuleNotFound) {
			return nil, err
		}
	}

	return ids, nil
}

// titles returns what people call the records of a page.
func (s *service) titles(ctx context.Context, rows []linkedRow) (map[uuid.UUID]string, error) {
	byModule := map[uuid.UUID][]linkedRow{}
	for _, row := range rows {
		byModule[row.ModuleID] = append(byModule[row.ModuleID], row)
	}
	titles := make(map[uuid.UUID]string, len(rows))
	for module, rows := range byModule {
		err := s.definitions.use(ctx, module, func(_ context.Context, d *definition) error {
			if d.revision < rows[0].Revision {
				return errMovedOn
			}
			for _, row := range rows {
				titles[row.RecordID] = d.title(row.Data)
			}

			return nil
		})
		if err != nil && !errors.Is(err, errModuleNotFound) {
			return nil, err
		}
	}

	return titles, nil
}

// linkCounts counts the records that refer to a record, by field. Its error is errRecordNotFound.
func (s *service) linkCounts(ctx context.Context, id uuid.UUID) ([]linkCount, error) {
	if _, err := s.readRecord(ctx, id); err != nil {
		return nil, err
	}
	fields, err := s.linkingFields(ctx, id)
	if err != nil {
		return nil, err
	}
	counts, err := s.repo.countLinks(ctx, id, fields)
	if err != nil {
		return nil, fmt.Errorf("record %s: %w", id, err)
	}
	slices.SortFunc(counts, func(a, b linkCount) int {
		return cmp.Or(cmp.Compare(a.Module, b.Module), cmp.Compare(a.Field, b.Field), cmp.Compare(a.FieldUUID.String(), b.FieldUUID.String()))
	})

	return counts, nil
}
