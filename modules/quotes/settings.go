package quotes

import (
	"github.com/dispatchd/dispatchd/modules/quotes/quotesapi"
	"github.com/dispatchd/dispatchd/platform/settings"
	"github.com/dispatchd/dispatchd/platform/web"
)

// preferences are how a company makes quotes.
type preferences struct {
	ValidDays int64  `json:"valid_days" minimum:"1" maximum:"366" doc:"How many days a quote is valid after it is sent, unless it says so itself."`
	Terms     string `json:"terms" maxLength:"20000" doc:"What the customer accepts with the price. Quotes keep the terms with which they were sent."`
	Version   int64  `json:"version" readOnly:"true" doc:"0 for the settings of a company that has changed none."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (preferences) SchemaName() string { return "QuoteSettings" }

func defaults() preferences { return preferences{ValidDays: 14} } //nolint:mnd // two weeks

// WithVersion implements settings.Document.
func (p preferences) WithVersion(n int64) preferences {
	p.Version = n

	return p
}

func newSettings(kept *settings.Store) *settings.Settings[preferences] {
	return settings.Of(kept, quotesapi.Area, defaults)
}

func settingsRoutes(r *web.Router, kept *settings.Settings[preferences]) {
	settings.Routes(r, kept, settings.Operations[preferences]{About: "how the company makes quotes"})
}
