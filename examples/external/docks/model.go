package docks

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// door is a row of docks_doors.
type door struct {
	database.Tenant
	ID        uuid.UUID
	Name      string
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
}

// TableName implements GORM's naming.
func (door) TableName() string { return "docks_doors" }

// sortKey returns the value of a field of listSchema.
func (row door) sortKey(field string) any {
	switch field {
	case "name":
		return row.Name
	case "created_at":
		return row.CreatedAt
	default:
		return row.ID
	}
}
