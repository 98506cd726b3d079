package custommodules

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// moduleRow is a row of custom_modules_modules.
type moduleRow struct {
	database.Tenant

	ID         uuid.UUID `gorm:"primaryKey"`
	Name       string
	NameKey    string
	Revision   int64
	NextNumber int
	CreatedAt  time.Time
	CreatedBy  *uuid.UUID
	UpdatedAt  time.Time
	UpdatedBy  *uuid.UUID
	DeletedAt  *time.Time
}

// TableName implements gorm's Tabler.
func (moduleRow) TableName() string { return "custom_modules_modules" }

// fieldRow is a row of custom_modules_fields.
type fieldRow struct {
	database.Tenant

	ID        uuid.UUID `gorm:"primaryKey"`
	ModuleID  uuid.UUID
	Number    int
	Key       string
	Label     string
	Type      typeName
	Required  bool
	Slot      *slot
	SlotSince *int64
	Options   jsonText
	Position  int
	Version   int64
	CreatedAt time.Time
	CreatedBy *uuid.UUID
	UpdatedAt time.Time
	UpdatedBy *uuid.UUID
	DeletedAt *time.Time
}

// TableName implements gorm's Tabler.
func (fieldRow) TableName() string { return "custom_modules_fields" }

// recordRow is a row of custom_modules_records without its slots, which are written and compared
// but never read.
type recordRow struct {
	database.Tenant

	ID             uuid.UUID `gorm:"primaryKey"`
	ModuleID       uuid.UUID
	Version        int64
	SchemaRevision int64
	Data           jsonText
	CreatedAt      time.Time
	CreatedBy      *uuid.UUID
	UpdatedAt      time.Time
	UpdatedBy      *uuid.UUID
	DeletedAt      *time.Time

	// Revision is the present revision of the module, where it was read along.
	Revision int64 `gorm:"->"`
}

// TableName implements gorm's Tabler.
func (recordRow) TableName() string { return "custom_modules_records" }
