package attachments

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// companyLimits is a row of attachments_limits: what a company has set. The zero value is nothing.
type companyLimits struct {
	database.Tenant
	MaxSize        int64    // 0 is that of the settings
	MaxCompanySize int64    // likewise
	Types          []string `gorm:"serializer:json"` // none is all that the settings take
	Version        int64
	UpdatedBy      *uuid.UUID
	UpdatedAt      time.Time
}

// TableName implements GORM's naming.
func (companyLimits) TableName() string { return "attachments_limits" }
