package store

import (
	"context"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// UpdateModule stores what of a module can change, with the revision that it has. Its errors are
// ErrModuleNameTaken and those of the database.
func (r *Repository) UpdateModule(ctx context.Context, m definition.ModuleRow) error {
	return duplicateAs(r.DB.Conn(ctx).Model(&definition.ModuleRow{}).Where("id = ?", m.ID).Updates(map[string]any{
		"name": m.Name, "name_key": m.NameKey, "description": m.Description, "title_field": m.TitleField, "permissions": m.Permissions,
		"archived_at": m.ArchivedAt, "deleted_at": m.DeletedAt, "used_slots": m.UsedSlots,
		"pack_name": m.Origin.PackName, "pack_key": m.Origin.PackKey, "pack_version": m.Origin.PackVersion, "pack_base": m.Origin.PackBase,
	}).Error, definition.ErrModuleNameTaken)
}

// SetUsedSlots stores which slots have had values of the module.
func (r *Repository) SetUsedSlots(ctx context.Context, m definition.ModuleRow) error {
	return database.Translate(r.DB.Conn(ctx).Model(&definition.ModuleRow{}).Where("id = ?", m.ID).Update("used_slots", m.UsedSlots).Error)
}

// UpdateField stores what of a field can change. Its errors are ErrFieldKeyTaken and those of the
// database.
func (r *Repository) UpdateField(ctx context.Context, f definition.FieldRow) error {
	return duplicateAs(r.DB.Conn(ctx).Model(&definition.FieldRow{}).Where("id = ?", f.ID).Updates(map[string]any{
		"key": f.Key, "label": f.Label, "help": f.Help, "section": f.Section, "required": f.Required,
		"is_unique": f.IsUnique, "checking": f.Checking, "incoming": f.Incoming,
		"read_only": f.ReadOnly, "sensitive": f.Sensitive, "default_value": f.DefaultValue, "options": f.Options, "position": f.Position,
		"slot": f.Slot, "slot_since": f.SlotSince, "slot_ready": f.SlotReady,
		"searchable": f.Searchable, "search_since": f.SearchSince, "search_ready": f.SearchReady, "rolling": f.Rolling, "version": f.Version,
		"updated_at": f.UpdatedAt, "updated_by": f.UpdatedBy, "deleted_at": f.DeletedAt,
	}).Error, definition.ErrFieldKeyTaken)
}

// ShiftFields makes room for a field that moves from one position to another.
func (r *Repository) ShiftFields(ctx context.Context, module uuid.UUID, from, to int) error {
	tx := r.DB.Conn(ctx).Model(&definition.FieldRow{}).Where("module_id = ? AND deleted_at IS NULL", module)
	if from < to {
		tx = tx.Where("position > ? AND position <= ?", from, to).Update("position", gorm.Expr("position - 1"))
	} else {
		tx = tx.Where("position >= ? AND position < ?", to, from).Update("position", gorm.Expr("position + 1"))
	}

	return database.Translate(tx.Error)
}

// DeletedModule returns a module that is deleted, or ErrModuleNotFound.
func (r *Repository) DeletedModule(ctx context.Context, id uuid.UUID) (definition.ModuleRow, error) {
	var row definition.ModuleRow
	err := r.DB.Conn(ctx).Where("id = ? AND deleted_at IS NOT NULL", id).Take(&row).Error

	return row, notFoundAs(err, definition.ErrModuleNotFound)
}

// Unindexed returns records of a module, by id, that were written before a revision.
func (r *Repository) Unindexed(ctx context.Context, module uuid.UUID, since int64, after uuid.UUID, most int) ([]definition.RecordRow, error) {
	var rows []definition.RecordRow
	err := r.DB.Conn(ctx).Select("id", "version", "rolled", "data").
		Where("module_id = ? AND id > ? AND schema_revision < ? AND deleted_at IS NULL", module, after, since).
		Order("id").Limit(most).Find(&rows).Error

	return rows, database.Translate(err)
}

// SetSlots leaves the slots of a record to be filled, unless it has another version or other rollups by then,
// which fill them themselves.
func (r *Repository) SetSlots(ctx context.Context, row definition.RecordRow, revision int64, keys [definition.SlotCount]any) error {
	args := make([]any, 0, 1+definition.SlotCount+4)
	args = append(args, revision)
	for i, s := range r.slots {
		args = append(args, definition.BindKey(r.DB.Dialect(), s.Kind(), keys[i]))
	}
	args = append(args, principal.CompanyOf(ctx), row.ID, row.Version, row.Rolled)

	return r.DB.Pipeline(ctx, "all slots by name; the company is bound", r.setSlotsSQL, args, nil)
}

// ForgetField gives the unique values of a field free, and removes the references that it was.
func (r *Repository) ForgetField(ctx context.Context, field uuid.UUID) error {
	if err := r.DB.Conn(ctx).Where("field_id = ?", field).Delete(&definition.UniqueRow{}).Error; err != nil {
		return database.Translate(err)
	}

	return database.Translate(r.DB.Conn(ctx).Where("field_id = ?", field).Delete(&definition.LinkRow{}).Error)
}

// ReferringFields returns the fields of other modules that refer to a module, or are computed of its records.
func (r *Repository) ReferringFields(ctx context.Context, module uuid.UUID) ([]definition.FieldRow, error) {
	target := "options ->> 'module_uuid' = ?"
	var rows []definition.FieldRow
	err := r.DB.Conn(ctx).Where("type IN ? AND module_id <> ? AND deleted_at IS NULL AND "+target,
		[]string{"reference", string(definition.RollupName)}, module, module.String()).
		Where("module_id IN (?)", r.DB.Conn(ctx).Model(&definition.ModuleRow{}).Select("id").Where("deleted_at IS NULL")).
		Order("id").Find(&rows).Error

	return rows, database.Translate(err)
}
