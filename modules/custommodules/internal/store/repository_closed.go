package store

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/database"
)

// closedRow is a row of custom_modules_closed: a module that is gone for good, and that not everybody was to read.
type closedRow struct {
	database.Tenant

	ModuleID    uuid.UUID              `gorm:"primaryKey"`
	Permissions definition.Permissions `gorm:"type:jsonb"`
}

// TableName implements gorm's Tabler.
func (closedRow) TableName() string { return "custom_modules_closed" }

// ClosedModules returns the ids and permissions of the modules that not everybody may read, also of those that are
// deleted or gone.
func (r *Repository) ClosedModules(ctx context.Context) ([]definition.ModuleRow, error) {
	var rows []definition.ModuleRow
	if err := r.DB.Conn(ctx).Select("id", "permissions").Where("permissions ->> 'read' IS NOT NULL").Find(&rows).Error; err != nil {
		return nil, database.Translate(err)
	}
	var gone []closedRow
	err := r.DB.Conn(ctx).Find(&gone).Error
	for _, row := range gone {
		rows = append(rows, definition.ModuleRow{ID: row.ModuleID, Permissions: row.Permissions})
	}

	return rows, database.Translate(err)
}
