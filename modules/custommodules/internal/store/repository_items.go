package store

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// ItemRow is what of a record is read when it is read as an item.
type ItemRow struct {
	database.Tenant

	ID       uuid.UUID
	ModuleID uuid.UUID
	Data     rawjson.Object
	// Revision and ModuleName are what the module is at present, 0 and "" if it is not there.
	Revision   int64
	ModuleName string
}

// TableName implements gorm's Tabler.
func (ItemRow) TableName() string { return "custom_modules_records" }

// RecordsByID returns those of some records that there are, each with the present revision and the
// name of its module.
func (r *Repository) RecordsByID(ctx context.Context, ids []uuid.UUID) ([]ItemRow, error) {
	const ofModule = ` FROM custom_modules_modules AS m
		WHERE m.company_id = custom_modules_records.company_id AND m.id = custom_modules_records.module_id
		AND m.deleted_at IS NULL)`
	const columns = "id, module_id, data" +
		", coalesce((SELECT m.revision" + ofModule + ", 0) AS revision" +
		", coalesce((SELECT m.name" + ofModule + ", '') AS module_name"
	var rows []ItemRow
	err := r.DB.Dynamic(ctx).Select(columns).Where("id IN ? AND deleted_at IS NULL", ids).Find(&rows).Error

	return rows, database.Translate(err)
}

// FieldsByModule returns the fields of those of some modules that there are, in the order of people.
func (r *Repository) FieldsByModule(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID][]definition.FieldRow, error) {
	var modules []definition.ModuleRow
	err := r.DB.Dynamic(ctx).Select("id, permissions").Where("id IN ? AND deleted_at IS NULL", ids).Find(&modules).Error
	if err != nil {
		return nil, database.Translate(err)
	}
	var rows []definition.FieldRow
	err = r.DB.Dynamic(ctx).Where("module_id IN ? AND deleted_at IS NULL", ids).Order("position, number").Find(&rows).Error
	if err != nil {
		return nil, database.Translate(err)
	}
	fields := make(map[uuid.UUID][]definition.FieldRow, len(modules))
	for _, m := range modules {
		if m.Permissions.Allow(ctx, definition.MayRead) {
			fields[m.ID] = nil
		}
	}
	for _, row := range rows {
		if _, there := fields[row.ModuleID]; there {
			fields[row.ModuleID] = append(fields[row.ModuleID], row)
		}
	}

	return fields, nil
}

// ItemFields returns the company's fields whose values are items of other areas, those of own fields included, by id.
func ItemFields(ctx context.Context, r *Repository) ([]definition.FieldRow, error) {
	var rows []definition.FieldRow
	err := r.DB.Conn(ctx).Where("type = ? AND deleted_at IS NULL", "item").
		Where("module_id IN (?)", r.DB.Conn(ctx).Model(&definition.ModuleRow{}).Select("id").Where("deleted_at IS NULL")).
		Order("id").Find(&rows).Error

	return rows, database.Translate(err)
}

// RecordsNaming returns records, by id, whose item field names an item: of some records or, with nil, of all. Without an
// index on the field it reads the whole module.
func RecordsNaming(
	ctx context.Context, r *Repository, d *definition.Definition, f *definition.ModuleField, named uuid.UUID, only []uuid.UUID, most int,
) (ids []uuid.UUID, err error) {
	tx := r.DB.Dynamic(ctx).Model(&definition.RecordRow{}).Where("module_id = ? AND deleted_at IS NULL", d.Module)
	if f.Indexed && f.Overflow {
		tx = tx.Where("id IN (?)", r.DB.Dynamic(ctx).Model(&IndexRow{}).Select("record_id").Where("field_id = ? AND uuid_value = ?", f.ID, named))
	} else {
		tx = tx.Where(f.Expression(r.DB.Dialect())+" = ?", named)
	}
	if only != nil {
		tx = database.WithID(tx, "id", only)
	}
	err = tx.Order("id").Limit(most).Pluck("id", &ids).Error

	return ids, database.Translate(err)
}
