// Package brand keeps how companies look to their customers: name, colors and logo.
package brand

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// Row is a row of companies_brands. Texts may be empty. Version is 0 where nothing has been set.
type Row struct {
	database.Tenant
	Name           string
	PrimaryColor   string
	SecondaryColor string
	AccentColor    string
	LogoURL        string
	Domain         string
	FromAddress    string
	Logo           Logo `gorm:"embedded;embeddedPrefix:logo_"`
	Version        int64
	UpdatedAt      time.Time
}

// TableName implements GORM's naming.
func (Row) TableName() string { return "companies_brands" }

// Logo is a PNG. It is zero where there is none.
type Logo struct {
	Blob   string
	SHA256 string `gorm:"column:sha256"`
	// Size is in bytes, Width and Height are in pixels.
	Size, Width, Height int64
}

// tagLength is how much of its hash is in the address of a logo.
const tagLength = 16

func (l Logo) tag() string { return l.SHA256[:min(tagLength, len(l.SHA256))] }

// PathOf is where the logo of a company is, "" if there is none. It changes with the logo, so that it can be kept forever.
func (l Logo) PathOf(company uuid.UUID) string {
	if l.SHA256 == "" {
		return ""
	}

	return Base + "/logo/" + company.String() + "?v=" + l.tag()
}
