// Package letterhead keeps what the papers of companies say of who issues them.
package letterhead

import (
	"time"

	"github.com/dispatchd/dispatchd/platform/database"
)

// row is a row of companies_letterheads. What is empty is that of the company's profile, if it has it. Version is 0 where nothing has been set.
type row struct {
	database.Tenant
	LegalName string
	// Address are lines.
	Address string
	Phone   string
	Email   string
	Website string
	TaxID   string `gorm:"column:tax_id"`
	USDOT   string `gorm:"column:usdot"`
	Docket  string
	// RemitText and Footer may have several lines.
	RemitText string
	Footer    string
	Version   int64
	UpdatedAt time.Time
}

// TableName implements GORM's naming.
func (row) TableName() string { return "companies_letterheads" }
