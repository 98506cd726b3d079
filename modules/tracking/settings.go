package tracking

import (
	"github.com/dispatchd/dispatchd/modules/tracking/trackingapi"
	"github.com/dispatchd/dispatchd/platform/settings"
	"github.com/dispatchd/dispatchd/platform/web"
)

// preferences are how a company lets loads be followed.
type preferences struct {
	Delay     int64  `json:"delay_minutes" minimum:"0" maximum:"1440" doc:"How old positions are that customers see, unless the code says otherwise."`
	Precision string `json:"precision" enum:"exact,city" doc:"Whether customers see where the truck is, or the ZIP code that it is in."`
	Sandbox   bool   `json:"sandbox" doc:"Whether the trucks of loads whose positions nobody reports move straight to their destinations, at 500 miles a day."`
	Version   int64  `json:"version" readOnly:"true" doc:"0 for the settings of a company that has changed none."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (preferences) SchemaName() string { return "TrackingSettings" }

// WithVersion implements settings.Document.
func (p preferences) WithVersion(n int64) preferences {
	p.Version = n

	return p
}

const (
	exact = "exact"
	city  = "city"
)

func defaults() preferences {
	return preferences{Delay: 15, Precision: city} //nolint:mnd // a quarter of an hour
}

func newSettings(kept *settings.Store) *settings.Settings[preferences] {
	return settings.Of(kept, trackingapi.Area, defaults)
}

func settingsRoutes(r *web.Router, kept *settings.Settings[preferences]) {
	settings.Routes(r, kept, settings.Operations[preferences]{About: "how customers follow loads"})
}
