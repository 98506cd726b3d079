package feature

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// row is what was last decided about a company and an area.
type row struct {
	database.Tenant

	Area      string `gorm:"primaryKey"`
	Enabled   bool
	ChangedAt time.Time
	// ChangedByKind is the principal's kind, ChangedBy its user or else its token.
	ChangedByKind string
	ChangedBy     *uuid.UUID
}

// TableName implements the naming that GORM asks for.
func (row) TableName() string { return "features_areas" }
