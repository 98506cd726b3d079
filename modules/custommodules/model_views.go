package custommodules

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// viewRow is a row of custom_modules_views.
type viewRow struct {
	database.Tenant

	ID       uuid.UUID `gorm:"primaryKey"`
	ModuleID uuid.UUID
	// OwnerID is the user whose view it is, nil if it is everybody's.
	OwnerID *uuid.UUID
	Name    string
	// Content is a views.Content by the ids of fields.
	Content   jsonText
	Version   int64
	CreatedAt time.Time
	CreatedBy *uuid.UUID
	UpdatedAt time.Time
	UpdatedBy *uuid.UUID
}

// TableName implements gorm's Tabler.
func (viewRow) TableName() string { return "custom_modules_views" }
