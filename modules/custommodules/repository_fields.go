package custommodules

import (
	"context"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// updateModule stores what of a module can change, with the revision that it has. Its errors are
// errModuleNameTaken and those of the database.
func (r *repository) updateModule(ctx context.Context, m moduleRow) error {
	return taken(r.db.Conn(ctx).Model(&moduleRow{}).Where("id = ?", m.ID).Updates(map[string]any{
		"name": m.Name, "name_key": m.NameKey, "description": m.Description, "title_field": m.TitleField, "permissions": m.Permissions,
		"archived_at": m.ArchivedAt, "deleted_at": m.DeletedAt, "used_slots": m.UsedSlots,
		"pack_name": m.Origin.PackName, "pack_key": m.Origin.PackKey, "pack_version": m.Origin.PackVersion, "pack_base": m.Origin.PackBase,
	}).Error, errModuleNameTaken)
}

func (r *repository) setUsedSlots(ctx context.Context, m moduleRow) error {
	return database.Translate(r.db.Conn(ctx).Model(&moduleRow{}).Where("id = ?", m.ID).Update("used_slots", m.UsedSlots).Error)
}

// updateField stores what of a field can change. Its errors are errFieldKeyTaken and those of the
// database.
func (r *repository) updateField(ctx context.Context, f fieldRow) error {
	return taken(r.db.Conn(ctx).Model(&fieldRow{}).Where("id = ?", f.ID).Updates(map[string]any{
		"key": f.Key, "label": f.Label, "help": f.Help, "section": f.Section, "required": f.Required,
		"is_unique": f.IsUnique, "checking": f.Checking, "incoming": f.Incoming,
		"read_only": f.ReadOnly, "sensitive": f.Sensitive, "default_value": f.DefaultValue, "options": f.Options, "position": f.Position,
		"slot": f.Slot, "slot_since": f.SlotSince, "slot_ready": f.SlotReady,
		"searchable": f.Searchable, "search_since": f.SearchSince, "search_ready": f.SearchReady, "rolling": f.Rolling, "version": f.Version,
		"updated_at": f.UpdatedAt, "updated_by": f.UpdatedBy, "deleted_at": f.DeletedAt,
	}).Error, errFieldKeyTaken)
}

// shiftFields makes room for a field that moves from one position to another.
func (r *repository) shiftFields(ctx context.Context, module uuid.UUID, from, to int) error {
	tx := r.db.Conn(ctx).Model(&fieldRow{}).Where("module_id = ? AND deleted_at IS NULL", module)
	if from < to {
		tx = tx.Where("position > ? AND position <= ?", from, to).Update("position", gorm.Expr("position - 1"))
	} else {
		tx = tx.Where("position >= ? AND position < ?", to, from).Update("position", gorm.Expr("position + 1"))
	}

	return database.Translate(tx.Error)
}

// deletedModule returns a module that is deleted, or errModuleNotFound.
func (r *repository) deletedModule(ctx context.Context, id uuid.UUID) (moduleRow, error) {
	var row moduleRow
	err := r.db.Conn(ctx).Where("id = ? AND deleted_at IS NOT NULL", id).Take(&row).Error

	return row, found(err, errModuleNotFound)
}

// unindexed returns records of a module, by id, that were written before a revision.
func (r *repository) unindexed(ctx context.Context, module uuid.UUID, since int64, after uuid.UUID, most int) ([]recordRow, error) {
	var rows []recordRow
	err := r.db.Conn(ctx).Select("id", "version", "rolled", "data").
		Where("module_id = ? AND id > ? AND schema_revision < ? AND deleted_at IS NULL", module, after, since).
		Order("id").Limit(most).Find(&rows).Error

	return rows, database.Translate(err)
}

// setSlots leaves the slots of a record to be filled, unless it has another version or other rollups by then,
// which fill them themselves.
func (r *repository) setSlots(ctx context.Context, row recordRow, revision int64, keys [slotCount]any) error {
	args := make([]any, 0, 1+slotCount+4)
	args = append(args, revision)
	for i, s := range r.slots {
		args = append(args, bindKey(r.db.Dialect(), s.kind(), keys[i]))
	}
	args = append(args, principal.CompanyOf(ctx), row.ID, row.Version, row.Rolled)

	return r.db.Pipeline(ctx, "all slots by name; the company is bound", r.setSlotsSQL, args, nil)
}

// forgetField gives the unique values of a field free, and removes the references that it was.
func (r *repository) forgetField(ctx context.Context, field uuid.UUID) error {
	if err := r.db.Conn(ctx).Where("field_id = ?", field).Delete(&uniqueRow{}).Error; err != nil {
		return database.Translate(err)
	}

	return database.Translate(r.db.Conn(ctx).Where("field_id = ?", field).Delete(&linkRow{}).Error)
}

// referringFields returns the fields of other modules that refer to a module, or are computed of its records.
func (r *repository) referringFields(ctx context.Context, module uuid.UUID) ([]fieldRow, error) {
	target := "options ->> 'module_uuid' = ?"
	var rows []fieldRow
	err := r.db.Conn(ctx).Where("type IN ? AND module_id <> ? AND deleted_at IS NULL AND "+target,
		[]string{"reference", string(rollupName)}, module, module.String()).
		Where("module_id IN (?)", r.db.Conn(ctx).Model(&moduleRow{}).Select("id").Where("deleted_at IS NULL")).
		Order("id").Find(&rows).Error

	return rows, database.Translate(err)
}
