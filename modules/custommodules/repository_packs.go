package custommodules

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// modulesOfPack returns the modules that come from a pack, and those of some names or ids, by name.
func (r *repository) modulesOfPack(ctx context.Context, pack string, names []string, ids []uuid.UUID) ([]moduleRow, error) {
	var rows []moduleRow
	err := r.db.Dynamic(ctx).Where("deleted_at IS NULL AND (pack_name = ? OR name_key IN ? OR id IN ?)", pack, names, ids).
		Order("name_key, id").Find(&rows).Error

	return rows, database.Translate(err)
}

// modulesFromPacks returns the modules that come from some packs.
func (r *repository) modulesFromPacks(ctx context.Context, names []string) ([]moduleRow, error) {
	var rows []moduleRow
	err := r.db.Conn(ctx).Where("deleted_at IS NULL AND pack_name IN ?", names).Order("name_key, id").Find(&rows).Error

	return rows, database.Translate(err)
}

// moduleNames returns what some modules are called.
func (r *repository) moduleNames(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	names := map[uuid.UUID]string{}
	if len(ids) == 0 {
		return names, nil
	}
	var rows []moduleRow
	err := r.db.Dynamic(ctx).Select("id", "name").Where("id IN ? AND deleted_at IS NULL", ids).Find(&rows).Error
	for _, row := range rows {
		names[row.ID] = row.Name
	}

	return names, database.Translate(err)
}
