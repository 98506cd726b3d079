package custommodules

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// recordItem is the type of records as items. Their class has the module's UUID as its part.
const recordItem = "custom_modules.record"

// longestTitle is how many characters of a text make a title.
const longestTitle = 120

// describeRecords tells the titles of records: the first text or VIN that a record has, else the
// name of its module and the end of its UUID.
func (s *service) describeRecords(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]item.Description, error) {
	found := make(map[uuid.UUID]item.Description, len(ids))
	err := s.eachRecord(ctx, ids, func(d *definition, row itemRow) {
		title := d.title(row.Data)
		if title == "" {
			id := row.ID.String()
			title = row.ModuleName + " " + id[len(id)-8:]
		}
		found[row.ID] = item.Description{Title: title, Part: row.ModuleID.String()}
	})

	return found, err
}

// recordValues returns payloads, or the given keys of them.
func (s *service) recordValues(ctx context.Context, ids []uuid.UUID, keys []string) (map[uuid.UUID]item.Values, error) {
	found := make(map[uuid.UUID]item.Values, len(ids))
	err := s.eachRecord(ctx, ids, func(d *definition, row itemRow) {
		values := item.Values{}
		for name, raw := range rawjson.Members(row.Data) {
			i, known := d.byNumber[string(name)]
			if known && (len(keys) == 0 || slices.Contains(keys, d.fields[i].key)) {
				values[d.fields[i].key] = json.RawMessage(rawjson.AppendCompact(nil, raw))
			}
		}
		found[row.ID] = values
	})

	return found, err
}

// recordFields returns the fields of modules, which are the parts.
func (s *service) recordFields(ctx context.Context, parts []string) (map[string][]item.Field, error) {
	var modules []uuid.UUID
	for _, part := range parts {
		if id, err := field.ParseUUID(part); err == nil {
			modules = append(modules, id)
		}
	}
	if len(modules) == 0 {
		return nil, nil
	}
	rows, err := s.repo.fieldsByModule(ctx, modules)
	if err != nil {
		return nil, err
	}
	fields := make(map[string][]item.Field, len(rows))
	for module, list := range rows {
		of := make([]item.Field, len(list))
		for i, row := range list {
			typ, _ := s.definitions.types.of(row)
			of[i] = item.Field{Key: row.Key, Label: row.Label, Kind: typ.ItemKind(), Sensitive: row.Sensitive}
		}
		fields[module.String()] = of
	}

	return fields, nil
}

// eachRecord reads some records in one statement and calls use for each that there is, with a
// definition that knows all that the record holds. A definition that is not in the cache costs two
// statements more. It may call use for a record again, with a newer definition.
func (s *service) eachRecord(ctx context.Context, ids []uuid.UUID, use func(*definition, itemRow)) error {
	rows, err := s.repo.recordsByID(ctx, ids)
	if err != nil {
		return err
	}
	byModule := map[uuid.UUID][]itemRow{}
	for _, row := range rows {
		if row.Revision > 0 { // else its module is gone
			byModule[row.ModuleID] = append(byModule[row.ModuleID], row)
		}
	}
	for module, rows := range byModule {
		err := s.definitions.use(ctx, module, func(_ context.Context, d *definition) error {
			if d.revision < rows[0].Revision {
				return errMovedOn
			}
			for _, row := range rows {
				use(d, row)
			}

			return nil
		})
		if err != nil && !errors.Is(err, errModuleNotFound) {
			return fmt.Errorf("module %s: %w", module, err)
		}
	}

	return nil
}

// title returns what the title field of a document has, without one its first short text, on one line.
func (d *definition) title(document []byte) string {
	for _, f := range d.fields {
		if d.titleField != nil && f != d.titleField || d.titleField == nil && f.typ.Index != field.TextIndex {
			continue
		}
		text, _ := f.comparand(document)
		if text = strings.Join(strings.Fields(text), " "); text != "" {
			runes := []rune(text)

			return string(runes[:min(len(runes), longestTitle)])
		}
	}

	return ""
}
