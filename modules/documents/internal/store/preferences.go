package store

import (
	"github.com/dispatchd/dispatchd/modules/documents/documentsapi"
	"github.com/dispatchd/dispatchd/platform/settings"
)

// SizeOfCompany is the size of pages that is usual in the country of the company.
const SizeOfCompany = "company"

// Preferences are how a company makes documents.
type Preferences struct {
	Locale     string `json:"locale" minLength:"2" maxLength:"35" doc:"The language whose default templates are used where none is named." example:"en"`
	RetainDays int64  `json:"retain_days" minimum:"0" maximum:"36500" doc:"For how many days the PDF of a document cannot be deleted. Documents keep what was set when they were made."`
	Version    int64  `json:"version" readOnly:"true" doc:"0 for the settings of a company that has changed none."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Preferences) SchemaName() string { return "DocumentSettings" }

// WithVersion implements settings.Document.
func (p Preferences) WithVersion(n int64) Preferences {
	p.Version = n

	return p
}

// NewSettings returns the settings of the area.
func NewSettings(kept *settings.Store) *settings.Settings[Preferences] {
	return settings.Of(kept, documentsapi.Area, func() Preferences { return Preferences{Locale: "en", RetainDays: 3 * 365} }) //nolint:mnd // three years
}
