package store

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/database"
)

// ModulesOfPack returns the modules that come from a pack, and those of some names or ids, by name.
func (r *Repository) ModulesOfPack(ctx context.Context, pack string, names []string, ids []uuid.UUID) ([]definition.ModuleRow, error) {
	var rows []definition.ModuleRow
	err := r.DB.Dynamic(ctx).Where("deleted_at IS NULL AND (pack_name = ? OR name_key IN ? OR id IN ?)", pack, names, ids).
		Order("name_key, id").Find(&rows).Error

	return rows, database.Translate(err)
}

// ModulesFromPacks returns the modules that come from some packs.
func (r *Repository) ModulesFromPacks(ctx context.Context, names []string) ([]definition.ModuleRow, error) {
	var rows []definition.ModuleRow
	err := r.DB.Conn(ctx).Where("deleted_at IS NULL AND pack_name IN ?", names).Order("name_key, id").Find(&rows).Error

	return rows, database.Translate(err)
}

// ModuleNames returns what some modules are called.
func (r *Repository) ModuleNames(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	names := map[uuid.UUID]string{}
	if len(ids) == 0 {
		return names, nil
	}
	var rows []definition.ModuleRow
	err := r.DB.Dynamic(ctx).Select("id", "name").Where("id IN ? AND deleted_at IS NULL", ids).Find(&rows).Error
	for _, row := range rows {
		names[row.ID] = row.Name
	}

	return names, database.Translate(err)
}
