package store

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
	"github.com/dispatchd/dispatchd/platform/database"
)

// CompanyLimits is a row of attachments_limits: what a company has set. The zero value is nothing.
type CompanyLimits struct {
	database.Tenant
	MaxSize        int64    // 0 is that of the settings
	MaxCompanySize int64    // likewise
	Types          []string `gorm:"serializer:json"` // none is all that the settings take
	Version        int64
	UpdatedBy      *uuid.UUID
	UpdatedAt      time.Time
}

// TableName implements GORM's naming.
func (CompanyLimits) TableName() string { return "attachments_limits" }

// MaxTotal is how many bytes the company may have, 0 for any number. A limit of its own never exceeds the deployment's, which may
// have been lowered since.
func (row CompanyLimits) MaxTotal(s settings.Settings) int64 {
	switch ceiling := int64(s.MaxCompanySize); {
	case row.MaxCompanySize == 0:
		return ceiling
	case ceiling == 0:
		return row.MaxCompanySize
	default:
		return min(row.MaxCompanySize, ceiling)
	}
}
