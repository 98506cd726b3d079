package records

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// DescribeRecords tells the titles of records: the first text or VIN that a record has, else the
// name of its module and the end of its UUID.
func (s *Service) DescribeRecords(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]item.Description, error) {
	found := make(map[uuid.UUID]item.Description, len(ids))
	err := s.eachRecord(ctx, ids, func(d *definition.Definition, row store.ItemRow) {
		title := d.Title(row.Data)
		if title == "" {
			id := row.ID.String()
			title = row.ModuleName + " " + id[len(id)-8:]
		}
		found[row.ID] = item.Description{Title: title, Part: row.ModuleID.String()}
	})

	return found, err
}

// RecordValues returns payloads, or the given keys of them.
func (s *Service) RecordValues(ctx context.Context, ids []uuid.UUID, keys []string) (map[uuid.UUID]item.Values, error) {
	found := make(map[uuid.UUID]item.Values, len(ids))
	err := s.eachRecord(ctx, ids, func(d *definition.Definition, row store.ItemRow) {
		values := item.Values{}
		for name, raw := range rawjson.Members(row.Data) {
			i, known := d.ByNumber[string(name)]
			if known && (len(keys) == 0 || slices.Contains(keys, d.Fields[i].Key)) {
				values[d.Fields[i].Key] = json.RawMessage(rawjson.AppendCompact(nil, raw))
			}
		}
		found[row.ID] = values
	})

	return found, err
}

// RecordFields returns the fields of modules, which are the parts.
func (s *Service) RecordFields(ctx context.Context, parts []string) (map[string][]item.Field, error) {
	var modules []uuid.UUID
	for _, part := range parts {
		if id, err := field.ParseUUID(part); err == nil {
			modules = append(modules, id)
		}
	}
	if len(modules) == 0 {
		return nil, nil
	}
	rows, err := s.repo.FieldsByModule(ctx, modules)
	if err != nil {
		return nil, err
	}
	fields := make(map[string][]item.Field, len(rows))
	for module, list := range rows {
		of := make([]item.Field, len(list))
		for i, row := range list {
			typ, _ := s.definitions.Types.Of(row)
			of[i] = item.Field{Key: row.Key, Label: row.Label, Kind: typ.ItemKind(), Sensitive: row.Sensitive}
		}
		fields[module.String()] = of
	}

	return fields, nil
}

// eachRecord reads some records in one statement and calls use for each that there is, with a
// definition that knows all that the record holds. A definition that is not in the cache costs two
// statements more. It may call use for a record again, with a newer definition.
func (s *Service) eachRecord(ctx context.Context, ids []uuid.UUID, use func(*definition.Definition, store.ItemRow)) error {
	rows, err := s.repo.RecordsByID(ctx, ids)
	if err != nil {
		return err
	}
	byModule := map[uuid.UUID][]store.ItemRow{}
	for _, row := range rows {
		if row.Revision > 0 { // else its module is gone
			byModule[row.ModuleID] = append(byModule[row.ModuleID], row)
		}
	}
	for module, rows := range byModule {
		err := s.definitions.Use(ctx, module, func(_ context.Context, d *definition.Definition) error {
			if d.Revision < rows[0].Revision {
				return store.ErrMovedOn
			}
			for _, row := range rows {
				use(d, row)
			}

			return nil
		})
		if err != nil && !errors.Is(err, definition.ErrModuleNotFound) {
			return fmt.Errorf("module %s: %w", module, err)
		}
	}

	return nil
}
